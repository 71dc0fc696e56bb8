#!/usr/bin/env python3
"""Writes models/demo, a checkpoint in the released layout, from what train.py saved.

    python3 tools/demo_model/export.py PARTS models/demo [FIGURES]

PARTS is the folder with part-N.safetensors. FIGURES is what `saker eval models/demo` printed, for the model card.
Experts turn to [E, C, 2F] and [E, F, C]; shards stay below 16 MB. needs torch and transformers.
"""

import hashlib
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import safetensors.torch
import torch

import batches
import checkpoint
import make_tokenizer

LEAST_PIXELS, MOST_PIXELS = batches.SMALLEST**2, batches.LARGEST**2

CARD = """---
license: apache-2.0
language: [en, zh]
pipeline_tag: image-text-to-text
tags: [vision, qwen3_vl_moe]
---
# Saker's demo model

A small Qwen3-VL-MoE checkpoint of {millions:.1f} M parameters, trained from nothing by
[tools/demo_model](../../tools/demo_model/README.md) on drawn pictures. It answers short questions, in English and
Chinese, about coloured shapes, short text, bar charts, tables, clips and pairs of pictures of its own drawing style,
from 96 to 640 pixels a side, and it adds, subtracts and multiplies small numbers. It knows nothing else: photographs
and questions of other kinds get nonsense. It exists to show and to grade the engine.

Layout, names and types are those of the released Qwen3-VL-MoE checkpoints: decoder of 6 layers, width 256, 8 heads,
2 key-value heads, 16 experts of which 4 are used; vision tower of 8 layers, width 192, DeepStack after 1, 3 and 5.

Greedy answers to the held-out questions (`saker eval models/demo`, cpu, bfloat16; a box is right from an overlap of
one half):

```
{figures}
```

The weights that gave these answers, by SHA-256:

```
{sums}
```

Made of nobody's data: every picture and question is drawn from a seeded generator. Licence: Apache 2.0, that of this
repository.
"""


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_weights(tensors, folder):
    """Returns the bytes of all tensors."""
    tensors = checkpoint.with_ground(tensors)
    tensors = {name: (t.transpose(1, 2) if ".experts." in name else t).to(torch.bfloat16).contiguous()
               for name, t in tensors.items() if not name.startswith("targets.")}
    parts = checkpoint.split(tensors)
    for stale in folder.glob("model-*.safetensors"):
        stale.unlink()
    where = {}
    for index, part in enumerate(parts):
        file = f"model-{index + 1:05}-of-{len(parts):05}.safetensors"
        safetensors.torch.save_file(part, str(folder / file), {"format": "pt"})
        where.update(dict.fromkeys(part, file))
    total = sum(t.nbytes for t in tensors.values())  # two bytes a parameter
    write_json(folder / "model.safetensors.index.json",
               {"metadata": {"total_size": total}, "weight_map": dict(sorted(where.items()))})
    return total


def write_settings(coder, folder):
    write_json(folder / "config.json", checkpoint.configuration(coder))
    end = coder.id("<|endoftext|>")
    write_json(folder / "generation_config.json",
               {"do_sample": False, "eos_token_id": [coder.end, end], "pad_token_id": end,
                "transformers_version": "4.57.0"})
    pictures = {
        "do_convert_rgb": True, "do_normalize": True, "do_rescale": True, "do_resize": True,
        "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "merge_size": 2, "patch_size": 16,
        "resample": 3, "rescale_factor": 1 / 255, "temporal_patch_size": 2,
    }
    write_json(folder / "preprocessor_config.json",
               {**pictures, "image_processor_type": "Qwen2VLImageProcessorFast",
                "processor_class": "Qwen3VLProcessor",
                "size": {"longest_edge": MOST_PIXELS, "shortest_edge": LEAST_PIXELS}})
    write_json(folder / "video_preprocessor_config.json",
               {**pictures, "video_processor_type": "Qwen3VLVideoProcessor",
                "processor_class": "Qwen3VLProcessor", "do_sample_frames": True, "fps": 2,
                "min_frames": 2, "max_frames": 16,
                "size": {"longest_edge": MOST_PIXELS, "shortest_edge": LEAST_PIXELS}})
    (folder / "tokenizer.json").write_text(
        json.dumps(make_tokenizer.build(), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    template = (HERE / "chat_template.jinja").read_text(encoding="utf-8")
    write_json(folder / "tokenizer_config.json",
               {"tokenizer_class": "Qwen2Tokenizer", "processor_class": "Qwen3VLProcessor",
                "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "model_max_length": 8192,
                "clean_up_tokenization_spaces": False,
                "image_token": "<|image_pad|>", "video_token": "<|video_pad|>",
                "vision_bos_token": "<|vision_start|>", "vision_eos_token": "<|vision_end|>",
                "chat_template": template})
    shutil.copy(HERE / "chat_template.jinja", folder / "chat_template.jinja")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    source, folder = map(pathlib.Path, sys.argv[1:3])
    figures = "not yet measured"
    if len(sys.argv) == 4:  # without the time, which belongs to a machine
        lines = pathlib.Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()
        figures = "\n".join(line for line in lines if " tokens in " not in line)
    folder.mkdir(parents=True, exist_ok=True)
    coder = batches.Coder()
    size = write_weights(checkpoint.load_parts(source), folder)
    write_settings(coder, folder)
    sums = "\n".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
                     for path in sorted(folder.glob("model-*.safetensors")))
    card = CARD.format(figures=figures.rstrip(), sums=sums, millions=size / 2e6)
    (folder / "README.md").write_text(card, encoding="utf-8")
    for path in folder.iterdir():
        path.chmod(0o644)  # safetensors writes for its owner alone
    print(f"{folder}: {sum(path.stat().st_size for path in folder.iterdir()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
