#!/usr/bin/env python3
"""Makes a reference case for `saker verify` from a checkpoint, with Hugging Face transformers.

    python3 tools/export_reference.py MODEL OUT --question "What is this?" --image cat.png
    saker verify MODEL OUT --compute f32

needs torch, transformers (4.57 or 5) and safetensors, in an environment of their own; Saker itself never
runs Python. The case holds every stage from token ids to logits and the greedy answer, computed in float32
on the CPU (or --device cuda) from the checkpoint's weights. For a large model leave the layers out
(--no-layers) and keep the last rows of the logits (--tail 4).

Newer transformers wrap a video's frame groups in one more vision_start ... vision_end; verify such cases with
--video-outer-pair.
"""
import argparse
import json
import pathlib
import shutil

import torch
import transformers
from PIL import Image
from safetensors.torch import save_file

from natural_order import natural_key


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="folder of a checkpoint")
    parser.add_argument("out", type=pathlib.Path, help="folder of the case to write")
    parser.add_argument("--question", default="Describe this.")
    parser.add_argument("--image", action="append", default=[], type=pathlib.Path)
    parser.add_argument("--video-frames", type=pathlib.Path, help="folder of pictures, in the order of the numbers in their names")
    parser.add_argument("--fps", type=float, help="frames a second of --video-frames")
    parser.add_argument("--greedy", type=int, default=24, help="tokens of the greedy answer")
    parser.add_argument("--tail", type=int, default=0, help="keep only the last N rows of the logits")
    parser.add_argument("--no-layers", action="store_true", help="leave out layers and routers")
    parser.add_argument("--no-pixels", action="store_true", help="leave out the pixels, by far the largest")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    if bool(arguments.video_frames) != bool(arguments.fps):
        parser.error("--video-frames and --fps go together")
    return arguments


def make_prompt(num_images, has_video, question):
    """The released template's text for one user turn: placeholders stand before the question."""
    media = "<|vision_start|><|image_pad|><|vision_end|>" * num_images
    if has_video:
        media += "<|vision_start|><|video_pad|><|vision_end|>"
    return f"<|im_start|>user\n{media}{question}<|im_end|>\n<|im_start|>assistant\n"


def read_inputs(arguments):
    processor = transformers.AutoProcessor.from_pretrained(arguments.model)
    images = [Image.open(path).convert("RGB") for path in arguments.image]
    keywords = {"images": images or None}
    frames = []
    if arguments.video_frames:
        known = Image.registered_extensions()
        frames = sorted((path for path in arguments.video_frames.iterdir()
                         if path.suffix.lower() in known and not path.name.startswith(".")), key=natural_key)
        pictures = [torch.frombuffer(bytearray(Image.open(path).convert("RGB").tobytes()),
                                     dtype=torch.uint8).reshape(*Image.open(path).size[::-1], 3)
                    for path in frames]
        keywords["videos"] = [torch.stack(pictures).permute(0, 3, 1, 2)]
        keywords["video_metadata"] = [{"fps": arguments.fps, "total_num_frames": len(frames),
                                       "duration": len(frames) / arguments.fps,
                                       "frames_indices": list(range(len(frames)))}]
        keywords["do_sample_frames"] = False
    prompt = make_prompt(len(images), bool(frames), arguments.question)
    return prompt, frames, processor(text=[prompt], return_tensors="pt", **keywords)


class Recorder:
    """Collects what modules return, by hooks that hold in transformers 4.57 and 5 alike."""

    def __init__(self, model, layers):
        self.tensors = {}
        self.visual = []  # one dict for each call of the vision tower
        inner = model.model
        inner.visual.register_forward_pre_hook(lambda *_: self.visual.append({"deepstack": []}))
        inner.visual.blocks[-1].register_forward_hook(self.keep_visual("last_hidden_state"))
        inner.visual.merger.register_forward_hook(self.keep_visual("pooler_output"))
        for merger in inner.visual.deepstack_merger_list:
            merger.register_forward_hook(
                lambda _m, _i, out: self.visual[-1]["deepstack"].append(out.detach()))
        inner.language_model.register_forward_pre_hook(self.keep_positions, with_kwargs=True)
        if not layers:
            return
        num_chosen = getattr(model.config.text_config, "num_experts_per_tok", 0)  # none in dense models
        for index, layer in enumerate(inner.language_model.layers):
            layer.register_forward_hook(self.keep_layer(f"layer{index}"))
            gate = getattr(layer.mlp, "gate", None)
            if gate is not None:
                gate.register_forward_hook(self.keep_router(f"router{index}", num_chosen))

    def keep_visual(self, name):
        def hook(_module, _inputs, out):
            self.visual[-1][name] = (out[0] if isinstance(out, tuple) else out).detach()
        return hook

    def keep_positions(self, _module, _args, kwargs):
        positions = kwargs.get("position_ids")
        if positions is not None:
            self.tensors["position_ids"] = positions[-3:].detach().clone()

    def keep_layer(self, name):
        def hook(_module, _inputs, out):
            hidden = out[0] if isinstance(out, tuple) else out
            # A copy: transformers 4.57 adds DeepStack to these rows in place, after the layer.
            self.tensors[name] = hidden.detach().reshape(-1, hidden.shape[-1]).clone()
        return hook

    def keep_router(self, name, num_chosen):
        def hook(_module, _inputs, out):
            parts = out if isinstance(out, tuple) else (out,)
            for index, part in enumerate(parts):
                self.tensors[f"{name}.{index}"] = part.detach().reshape(-1, part.shape[-1])
            if len(parts) == 1:  # transformers 4.57's gate gives logits alone
                self.tensors[f"{name}.2"] = self.tensors[f"{name}.0"].float().topk(num_chosen, -1).indices
        return hook


def add_visual(tensors, recorder, inputs, merge):
    """visual0 is the images where there are any, then the video."""
    grids = [inputs[key] for key in ("image_grid_thw", "video_grid_thw") if key in inputs]
    for call, (seen, grid) in enumerate(zip(recorder.visual, grids)):
        tensors[f"visual{call}.last_hidden_state"] = seen["last_hidden_state"]
        rows = (grid.prod(-1) // merge**2).tolist()
        for item, part in enumerate(seen["pooler_output"].split(rows)):
            tensors[f"visual{call}.pooler_output.{item}"] = part
        for level, part in enumerate(seen["deepstack"]):
            tensors[f"visual{call}.deepstack_features.{level}"] = part


def main():
    arguments = parse_arguments()
    prompt, frames, inputs = read_inputs(arguments)
    model = transformers.AutoModelForImageTextToText.from_pretrained(
        arguments.model, dtype=torch.float32, attn_implementation="eager").eval()
    model.to(arguments.device)
    inputs = inputs.to(arguments.device)
    recorder = Recorder(model, not arguments.no_layers)
    with torch.no_grad():
        out = model(**inputs)
    tensors = {name: inputs[name] for name in inputs
               if not (arguments.no_pixels and name.startswith("pixel_values"))}
    tensors.update(recorder.tensors)
    if "position_ids" in recorder.tensors and getattr(model.model, "rope_deltas", None) is not None:
        tensors["rope_deltas"] = model.model.rope_deltas
    add_visual(tensors, recorder, inputs, model.config.vision_config.spatial_merge_size)
    logits = out.logits[0]
    tensors["logits_tail" if arguments.tail else "logits"] = logits[-arguments.tail:]

    recorder.visual.clear()
    # The model alone: no end tokens, so exactly as many tokens as asked for, and no penalties or bans.
    model.generation_config = transformers.GenerationConfig(
        pad_token_id=model.generation_config.pad_token_id)
    with torch.no_grad():
        answer = model.generate(**inputs, do_sample=False, max_new_tokens=arguments.greedy)
    greedy = answer[0, inputs["input_ids"].shape[1]:]
    tensors["greedy"] = greedy

    arguments.out.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()},
              str(arguments.out / "golden.safetensors"))
    for index, path in enumerate(arguments.image):
        shutil.copy(path, arguments.out / f"image{index}{path.suffix.lower()}")
    for index, path in enumerate(frames):
        shutil.copy(path, arguments.out / f"frame{index:03}{path.suffix.lower()}")
    case = {"prompt": prompt, "fps": arguments.fps, "transformers": transformers.__version__}
    (arguments.out / "case.json").write_text(json.dumps(case, indent=1, ensure_ascii=False))
    print(f"{arguments.out}: {len(tensors)} tensors, {inputs['input_ids'].shape[1]} prompt tokens")


if __name__ == "__main__":
    main()
