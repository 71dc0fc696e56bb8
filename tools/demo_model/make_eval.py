#!/usr/bin/env python3
"""Writes the held-out questions and the examples of the repository.

    python3 tools/demo_model/make_eval.py

examples/eval/demo.jsonl and demo.pack: 2,000 questions in the format that README.md beside this gives.
examples/pictures/: pictures, a pair of them and two clips, with their questions, and talk without a picture. Both
come from seeds that training never uses, at full level. needs torch.
"""

import collections
import json
import pathlib
import random
import struct
import sys
import zlib

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import batches
import raster
import scenes
import words

QUESTIONS = {  # how many of each kind
    "attribute": 220, "count": 220, "yesno": 160, "position": 220, "description": 160, "box": 160, "text": 220,
    "chart": 180, "table": 100, "motion": 80, "order": 60, "compare": 80, "followup": 80, "arithmetic": 40,
    "greeting": 20,
}


def png(pixels):
    """A PNG file of uint8 [H, W, 3]; each row is stored as its difference from the row above."""
    height, width, _ = pixels.shape
    flat = pixels.reshape(height, -1)
    above = flat.copy()
    above[1:] = flat[1:] - flat[:-1]
    rows = b"".join(b"\2" + row.tobytes() for row in above)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def files(scene):
    """The PNG files of a scene's pictures."""
    return [png(raster.draw(raster.Drawing(p.height, p.width, [p]), "cpu")[0].numpy())
            for p in scene.pictures]


def pick_size(rng, largest):
    return batches.draw_size(rng, (rng.randint(3, largest), rng.randint(3, largest)))


def make_case(rng, kind, w):
    """A scene with a question of this kind, and the clip's frames a second."""
    while True:
        fps = None
        if kind in ("motion", "order"):
            fps = rng.choice([1, 2, 4])
            scene = scenes.make_clip(rng, w, *pick_size(rng, 5), rng.randint(2, 8))
        elif kind == "compare":
            scene = scenes.make_pair(rng, w, pick_size(rng, 6), pick_size(rng, 6))
        elif kind in ("arithmetic", "greeting"):
            scene = scenes.make_talk(rng, w)
        else:
            largest = rng.choice([5, 8, 8, 12, 20])
            scene = scenes.make_picture(rng, w, *pick_size(rng, largest))
        questions = [q for q in scene.questions + scene.last if q.kind == kind]
        if questions:
            return scene, rng.choice(questions), fps


def record(kind, w, question, fps):
    """One line of the set, without its pictures."""
    out = {"kind": kind, "language": w.language}
    if fps:
        out["fps"] = fps
    if question.needs:
        out["earlier"] = [{"question": question.needs.text, "answer": question.needs.answer}]
    out.update(question=question.text, answer=question.answer, judge=question.judge)
    return out


def write_set(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random("held out")
    lines, pack = [], bytearray()
    for kind, number in QUESTIONS.items():
        for index in range(number):
            w = words.LANGUAGES[("en", "zh")[index % 2]]
            scene, question, fps = make_case(rng, kind, w)
            line = record(kind, w, question, fps)
            places = []
            for file in files(scene):
                places.append([len(pack), len(file)])
                pack += file
            if places:
                line["frames" if fps else "pictures"] = places
            lines.append(json.dumps(line, ensure_ascii=False))
    (folder / "demo.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "demo.pack").write_bytes(pack)
    print(f"{len(lines)} questions, {len(pack) / 1e6:.2f} MB of pictures")


def varied(scene):
    """Up to eight questions of a scene, one of each kind before a second of any, and none twice."""
    times, texts = collections.Counter(), set()
    ranked = []
    for question in scene.last + scene.questions:
        if question.text not in texts:
            ranked.append((times[question.kind], question))
        texts.add(question.text)
        times[question.kind] += 1
    return [question for _, question in sorted(ranked, key=lambda pair: pair[0])][:8]


def example(scene, **media):
    """An entry of questions.json: its pictures, or its frames with their rate, and questions; a follow-up holds
    the turn before it under `earlier`, as the held-out set does."""
    asked = []
    for q in varied(scene):
        asked.append({"question": q.text, "answer": q.answer})
        if q.needs:
            asked[-1] = {"earlier": [{"question": q.needs.text, "answer": q.needs.answer}], **asked[-1]}
    return {**media, "questions": asked}


def write_examples(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random("examples 3")
    english = words.LANGUAGES["en"]
    makers = {"shapes": scenes.object_scene, "text": scenes.text_scene, "chart": scenes.chart_scene,
              "table": scenes.table_scene}
    entries = []
    for number in range(3):
        for name, make in makers.items():
            w = words.LANGUAGES[("en", "en", "zh")[number]]
            scene = make(rng, w, *rng.choice([(192, 256), (256, 192), (224, 320), (160, 160)]))
            path = f"{name}-{number + 1}.png"
            (folder / path).write_bytes(files(scene)[0])
            entries.append(example(scene, pictures=[path]))
    for name, make in (("motion", scenes.motion_clip), ("order", scenes.order_clip)):
        scene = make(rng, english, 128, 160, 6)
        (folder / name).mkdir(exist_ok=True)
        for index, file in enumerate(files(scene)):
            (folder / name / f"{index:02}.png").write_bytes(file)
        entries.append(example(scene, frames=name, fps=2))
    scene = scenes.make_pair(rng, english, (160, 192), (128, 160))
    names = ["pair-1.png", "pair-2.png"]
    for name, file in zip(names, files(scene)):
        (folder / name).write_bytes(file)
    entries += [example(scene, pictures=names), example(scenes.make_talk(rng, english))]
    (folder / "questions.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n",
                                           encoding="utf-8")


def main():
    torch.set_num_threads(1)  # pictures are small: more threads would only wait for one another
    root = HERE.parent.parent
    write_set(root / "examples" / "eval")
    write_examples(root / "examples" / "pictures")


if __name__ == "__main__":
    main()
