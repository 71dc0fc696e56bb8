#!/usr/bin/env python3
"""Shows that transformers and Saker give the same greedy answers, token for token.

    python3 tools/demo_model/same_tokens.py models/demo

Asks the questions of examples/pictures, and --n of the held-out set, as many of each kind and language. Both
sides compute in float32 on the CPU, so that rounding decides few near ties. Prints each difference, then
`N of M the same`; exits with 1 where there is one. Run by hand; needs torch, torchvision and transformers
(4.57 or 5).

Saker is asked twice. `saker render` and `saker verify` give the ids of prompt and answer, for every question.
`saker run` gives the text, where its command line can ask the same: one turn, and no clip that transformers
(5) wraps in one more pair of vision marks.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import safetensors.torch
import torch
import transformers
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from natural_order import natural_key  # noqa: E402: it lies one folder up

# One thread on either side: for a model this small more gain little, and on a busy machine they wait long for
# each other.
SAKER = ["--backend", "cpu", "--compute", "f32", "--threads", 1]
CASES = 50  # in one call of saker verify, which holds every layer of all of them
LONGEST = 64  # saker verify has room for as many tokens of an answer


@dataclasses.dataclass
class Question:
    name: str
    messages: list  # as in a chat request; media have a place and no content
    pictures: list  # files
    frames: list  # files of one clip
    fps: float


@dataclasses.dataclass
class Answer:
    """What transformers made of a question."""
    prompt: torch.Tensor  # ids
    tokens: list
    logits: list  # at each token
    outer_pair: bool  # around the clip

    def margin(self, at):
        best = self.logits[at][0].topk(2).values
        return (best[0] - best[1]).item()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="folder of a checkpoint")
    parser.add_argument("--saker", default=ROOT / "build/release/saker", help="the program")
    parser.add_argument("--n", type=int, default=300, help="questions of the held-out set")
    parser.add_argument("--no-pictures", action="store_true", help="leave out examples/pictures")
    parser.add_argument("--max-tokens", type=int, default=LONGEST, help=f"of an answer, at most {LONGEST}")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.saker).is_file():
        parser.error(f"there is no {arguments.saker}: make build, or name one with --saker")
    if not 0 < arguments.max_tokens <= LONGEST:
        parser.error(f"--max-tokens must be from 1 to {LONGEST}")
    return arguments


def make_question(name, turns, pictures, frames, fps):
    """turns: question, answer, question ...; media stand in the first."""
    media = [{"type": "image", "image": "-"}] * len(pictures)
    media += [{"type": "video", "video": "-"}] * bool(frames)
    messages = []
    for index, text in enumerate(turns):
        content = (media if index == 0 else []) + [{"type": "text", "text": text}]
        messages.append({"role": "assistant" if index % 2 else "user", "content": content})
    return Question(f"{name}, {turns[-1]!r}", messages, pictures, frames, fps)


def example_questions():
    folder = ROOT / "examples/pictures"
    for entry in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
        pictures = [folder / name for name in entry.get("pictures", [])]
        frames = sorted((folder / entry["frames"]).iterdir(), key=natural_key) if "frames" in entry else []
        name = ", ".join([path.name for path in pictures] + [entry.get("frames", "")]).strip(", ") or "no picture"
        for asked in entry["questions"]:
            yield make_question(name, turns_of(asked), pictures, frames, entry.get("fps"))


def turns_of(asked):
    """Questions and answers in turn, the question to be answered last."""
    return [turn[key] for turn in asked.get("earlier", []) for key in ("question", "answer")] + [asked["question"]]


def held_out_questions(n, folder):
    """n questions, spread evenly over kinds and languages; their pictures are written to folder."""
    groups = collections.defaultdict(list)
    with open(ROOT / "examples/eval/demo.jsonl", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            record = json.loads(line)
            groups[record["kind"], record["language"]].append((number, record))
    rng = random.Random(1)
    order = []
    for group in groups.values():
        rng.shuffle(group)
        order += enumerate(group)
    order.sort(key=lambda ranked: ranked[0])
    pack = (ROOT / "examples/eval/demo.pack").read_bytes()
    for _, (number, record) in order[:n]:
        media = folder / f"line{number}"
        media.mkdir()
        files = []
        for index, (offset, length) in enumerate(record.get("pictures", record.get("frames", []))):
            files.append(media / f"{index:03}.png")
            files[-1].write_bytes(pack[offset:offset + length])
        clip = "frames" in record
        yield make_question(f"{record['kind']}, line {number}", turns_of(record),
                            [] if clip else files, files if clip else [], record.get("fps"))


def read_inputs(processor, question):
    text = processor.apply_chat_template(question.messages, tokenize=False, add_generation_prompt=True)
    keywords = {"images": [Image.open(path).convert("RGB") for path in question.pictures] or None}
    if question.frames:
        # As a tensor with metadata: both versions then use the very frames, at their own times.
        clip = [Image.open(path).convert("RGB") for path in question.frames]
        pixels = [torch.frombuffer(bytearray(frame.tobytes()), dtype=torch.uint8)
                  .reshape(frame.height, frame.width, 3) for frame in clip]
        keywords["videos"] = [torch.stack(pixels).permute(0, 3, 1, 2)]
        keywords["video_metadata"] = [{"fps": question.fps, "total_num_frames": len(clip),
                                       "duration": len(clip) / question.fps,
                                       "frames_indices": list(range(len(clip)))}]
        keywords["do_sample_frames"] = False
    return processor(text=[text], return_tensors="pt", **keywords)


def ask_transformers(model, processor, question, max_tokens):
    inputs = read_inputs(processor, question)
    with torch.no_grad():
        out = model.generate(**inputs, do_sample=False, max_new_tokens=max_tokens, output_logits=True,
                             return_dict_in_generate=True)
    prompt = inputs["input_ids"]
    groups = int(inputs["video_grid_thw"][0, 0]) if question.frames else 0
    starts = (prompt == model.config.vision_start_token_id).sum().item()
    return Answer(prompt, out.sequences[0, prompt.shape[1]:].tolist(), out.logits,
                  starts > len(question.pictures) + groups)


def call(command, text=""):
    """The stdout of a command that reads text; 1 is how saker verify says that something differs."""
    command = [str(word) for word in command]
    # As bytes: text mode would turn the \r of an answer into \n.
    done = subprocess.run(command, input=text.encode(), capture_output=True)
    if done.returncode not in ([0, 1] if command[1] == "verify" else [0]):
        sys.exit(f"{' '.join(command)}\n{done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="replace")


def run_text(arguments, question):
    command = [arguments.saker, "run", *SAKER, "--temperature", 0, "--max-tokens", arguments.max_tokens]
    for path in question.pictures:
        command += ["--image", path]
    if question.frames:
        command += ["--video-frames", question.frames[0].parent, "--fps", question.fps]
    command += ["--", arguments.model, question.messages[0]["content"][-1]["text"]]
    return call(command).removesuffix("\n")


def write_case(arguments, folder, question, answer):
    """A case for saker verify: Saker's own prompt, and no pixel values, so that it uses its own."""
    folder.mkdir()
    for index, path in enumerate(question.pictures):
        (folder / f"image{index}.png").symlink_to(path.resolve())
    for index, path in enumerate(question.frames):
        (folder / f"frame{index:03}.png").symlink_to(path.resolve())
    request = json.dumps({"model": "demo", "messages": question.messages})
    prompt = json.loads(call([arguments.saker, "render", arguments.model, "-"], request))["prompt"]
    (folder / "case.json").write_text(json.dumps({"prompt": prompt, "fps": question.fps}))
    safetensors.torch.save_file({"input_ids": answer.prompt, "greedy": torch.tensor(answer.tokens),
                                 "logits_tail": answer.logits[0].float()}, folder / "golden.safetensors")


def verdicts(arguments, folders, outer_pair):
    """Of each case, {stage: what saker verify says}."""
    out = call([arguments.saker, "verify", *SAKER, "--rope", "f32", *["--video-outer-pair"] * outer_pair,
                arguments.model, *folders])
    said = collections.defaultdict(dict)
    for line in out.split("\n"):
        if line in {folder.name for folder in folders}:
            case = said[line]
        elif found := re.match(r"  (input_ids|greedy) +0 +0  (.*)", line):
            case[found[1]] = found[2].removeprefix("FAILED: ")
    return [said[folder.name] for folder in folders]


def difference(arguments, tokenizer, question, answer, verdict):
    """A line that says how the answers differ, or nothing."""
    if verdict["input_ids"] != "ok":
        return f"{question.name}: prompt ids differ (Saker's for transformers'): {verdict['input_ids']}"
    text = None
    if len(question.messages) == 1 and not answer.outer_pair:
        text = run_text(arguments, question)
    theirs = tokenizer.decode(answer.tokens)
    if verdict["greedy"] != "ok":
        at, ours, _ = map(int, re.fullmatch(r"at (\d+): (\d+) for (\d+)", verdict["greedy"]).groups())
        if text is None:
            text = tokenizer.decode(answer.tokens[:at] + [ours]) + " ..."
        return (f"{question.name}: transformers {theirs!r}, Saker {text!r}; token {at} is "
                f"{tokenizer.decode([answer.tokens[at]])!r}, Saker's {tokenizer.decode([ours])!r}, "
                f"margin {answer.margin(at):.2g}")
    if text is not None and text != tokenizer.decode(answer.tokens, skip_special_tokens=True):
        least = min(map(answer.margin, range(len(answer.tokens))))
        return (f"{question.name}: transformers {theirs!r}, saker run {text!r}; saker verify has the same "
                f"ids, least margin {least:.2g}")
    return None


def main():
    arguments = parse_arguments()
    torch.set_num_threads(1)
    processor = transformers.AutoProcessor.from_pretrained(arguments.model)
    model = transformers.Qwen3VLMoeForConditionalGeneration.from_pretrained(
        arguments.model, dtype=torch.float32).eval()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        questions = [] if arguments.no_pictures else list(example_questions())
        questions += held_out_questions(arguments.n, folder)
        print(f"transformers {transformers.__version__}, {len(questions)} questions", flush=True)
        same = 0
        for first in range(0, len(questions), CASES):
            part = questions[first:first + CASES]
            answers = [ask_transformers(model, processor, q, arguments.max_tokens) for q in part]
            folders = [folder / f"case{first + index}" for index in range(len(part))]
            for case, question, answer in zip(folders, part, answers):
                write_case(arguments, case, question, answer)
            said = verdicts(arguments, folders, any(answer.outer_pair for answer in answers))
            for question, answer, verdict in zip(part, answers, said):
                line = difference(arguments, processor.tokenizer, question, answer, verdict)
                same += line is None
                if line:
                    print(line, flush=True)
    print(f"{same} of {len(questions)} the same")
    return same < len(questions)


if __name__ == "__main__":
    sys.exit(main())
