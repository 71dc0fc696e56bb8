#!/usr/bin/env python3
"""Writes preprocessor_grids.json beside this file: preprocessor files, and the grids that transformers makes by them.

src/media/preprocessor_test.cpp expects the same grids. Needs torch, torchvision and transformers (5.17 made the
committed file); run by hand after adding a case.
"""
import json
import pathlib
import tempfile

import torch
import transformers
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
IMAGE_SIZES = [(64, 64), (300, 500), (900, 1200), (33, 1000)]  # height, width
CLIPS = [(2, 64, 64), (4, 300, 500), (5, 200, 120), (16, 96, 128)]  # frames, height, width
SHARED = {"patch_size": 16, "merge_size": 2, "temporal_patch_size": 2, "image_mean": [0.5, 0.5, 0.5],
          "image_std": [0.5, 0.5, 0.5]}
IMAGE = {**SHARED, "image_processor_type": "Qwen2VLImageProcessorFast"}
VIDEO = {**SHARED, "video_processor_type": "Qwen3VLVideoProcessor"}
SMALL = {"shortest_edge": 4096, "longest_edge": 16384}
LARGE = {"shortest_edge": 16384, "longest_edge": 65536}


def separate(image, video):
    return {"preprocessor_config.json": {**IMAGE, **image}, "video_preprocessor_config.json": {**VIDEO, **video}}


CASES = [
    separate({"size": SMALL}, {"size": LARGE}),
    # Both spellings in a file, as transformers 4.50 wrote them.
    separate({"size": {"min_pixels": 4096, "max_pixels": 16384}, "min_pixels": 4096, "max_pixels": 16384},
             {"size": LARGE}),
    # The keys beside size: before it for images, not looked at for clips.
    separate({"size": LARGE, "min_pixels": 4096, "max_pixels": 16384},
             {"size": LARGE, "min_pixels": 4096, "max_pixels": 16384}),
    separate({"size": LARGE, "max_pixels": 32768}, {"size": SMALL, "max_pixels": 65536}),
    separate({"size": LARGE, "min_pixels": None, "max_pixels": None}, {"size": SMALL, "min_pixels": None}),
    # Keys that change nothing.
    separate({"size": SMALL, "do_center_crop": True, "crop_size": {"height": 64, "width": 64}, "do_pad": True,
              "pad_size": {"height": 64, "width": 64}, "do_convert_rgb": False, "default_to_square": True},
             {"size": LARGE, "do_center_crop": True, "crop_size": {"height": 64, "width": 64}, "do_convert_rgb": False,
              "size_divisor": 64, "return_metadata": False}),
    separate({"size": SMALL, "image_mean": 0.5}, {"size": LARGE, "cap_pixels_per_frame": True,
                                                 "max_video_tokens": 8}),
    # No file for clips: that for images is read.
    {"preprocessor_config.json": {**IMAGE, "size": LARGE}},
    # The joint file comes first; what it lacks is read from the others.
    {"processor_config.json": {"image_processor": {**IMAGE, "size": SMALL}, "processor_class": "Qwen3VLProcessor"},
     **separate({"size": LARGE}, {"size": LARGE})},
    {"processor_config.json": {"processor_class": "Qwen3VLProcessor"}, **separate({"size": SMALL}, {"size": LARGE})},
    {"processor_config.json": {"image_processor": {**IMAGE, "size": SMALL},
                               "video_processor": {**VIDEO, "size": SMALL}},
     **separate({"size": LARGE}, {"size": LARGE})},
]


def grids_of(files):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "config.json").write_text('{"model_type": "qwen3_vl"}')
        for name, members in files.items():
            (folder / name).write_text(json.dumps(members))
        image = transformers.AutoImageProcessor.from_pretrained(folder)
        video = transformers.AutoVideoProcessor.from_pretrained(folder)
    images = [[h, w, image(images=[Image.new("RGB", (w, h))], return_tensors="pt")["image_grid_thw"][0].tolist()]
              for h, w in IMAGE_SIZES]
    clips = []
    for t, h, w in CLIPS:
        frames = torch.zeros(t, 3, h, w, dtype=torch.uint8)
        out = video(videos=[frames], do_sample_frames=False, return_tensors="pt")
        clips.append([t, h, w, out["video_grid_thw"][0].tolist()])
    return images, clips


def main():
    lines = []
    for files in CASES:
        images, clips = grids_of(files)
        lines.append(json.dumps({"files": files, "images": images, "clips": clips}))
    (HERE / "preprocessor_grids.json").write_text('{"cases": [\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
