#!/usr/bin/env python3
"""Usage: eval_demo.py SAKER, in the repository's root. Grades models/demo.

`saker eval` on part of the held-out questions: what is right, where boxes lie, how evenly experts are used, in bf16
and, on fewer questions, in f32. Then `saker run` on one question of each entry of examples/pictures/questions.json,
and the answer of `make demo`. Answers are greedy and questions fixed, so that a bound is missed when the engine or
the model changes, not by chance.
"""

import json
import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path("examples/pictures")
failures = 0


def hold(name, value, least, most=float("inf")):
    global failures
    good = least <= value <= most
    failures += not good
    print(f"{'ok    ' if good else 'FAILED'}  {name}: {value:.6g}, {least:g} to {most:g} allowed")


def hold_text(name, said, wanted):
    global failures
    failures += said != wanted
    print(f"{'ok    ' if said == wanted else 'FAILED'}  {name}: {said!r}" +
          ("" if said == wanted else f", not {wanted!r}"))


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, encoding="utf-8")
    if done.returncode:
        sys.exit(f"FAILED: {command}: {done.stderr}")
    return done.stdout.strip()


def grade(*options):
    print("saker eval models/demo", *options)
    out = json.loads(call(saker, "eval", "models/demo", "--json", *options))
    # Each token goes through each layer once: prompts, and answers, which all end by themselves.
    tokens = out["prompt_tokens"] + out["answer_tokens"]
    hold("layers with experts", len(out["experts"]), 6, 6)
    for layer in out["experts"]:
        hold(f"rows of layer {layer['layer']}", layer["rows"], tokens, tokens)
        hold(f"least used expert of layer {layer['layer']}", layer["least"], 0.25)
        hold(f"most used expert of layer {layer['layer']}", layer["most"], 1, 4)
    return out


saker = sys.argv[1]

# Enough of each kind that one answer which another CPU flips stays within the bounds.
seen = grade("--n", 600)
hold("asked", seen["all"]["asked"], 600, 600)
for least, kinds in ((0.97, "attribute yesno"), (0.95, "count chart position motion"),
                     (0.90, "description text followup compare order table arithmetic greeting")):
    for kind in kinds.split():
        hold(kind, seen["kinds"][kind]["accuracy"], least)
hold("mean overlap of boxes", seen["kinds"]["box"]["mean_iou"], 0.75)
for language in ("en", "zh"):
    hold(f"in {language}", seen["languages"][language]["accuracy"], 0.95)

# A kind has too few questions here for a bound of its own.
seen = grade("--n", 60, "--compute", "f32")
hold("right", seen["all"]["accuracy"], 0.95)
hold("mean overlap of boxes", seen["kinds"]["box"]["mean_iou"], 0.75)

for entry in json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8")):
    asked = next(q for q in entry["questions"] if "earlier" not in q)
    media = [option for name in entry.get("pictures", []) for option in ("--image", EXAMPLES / name)]
    if "frames" in entry:
        media += ["--video-frames", EXAMPLES / entry["frames"], "--fps", entry["fps"]]
    hold_text(asked["question"], call(saker, "run", *media, asked["question"]), asked["answer"])
demo = call("tools/demo", saker).splitlines()
hold_text("make demo", "".join(line for line in demo if line.startswith("answer")),
          "answer    a black ring, a gray diamond, a black diamond")
print("all as expected" if not failures else f"{failures} failed")
sys.exit(failures > 0)
