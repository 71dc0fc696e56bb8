#!/usr/bin/env python3
"""Holds lean.py against transformers' own forward pass, and batches.py against transformers' processor.

    python3 tools/demo_model/lean_test.py

Random weights in float32; a picture, two pictures, clips of odd and even length, and text. --compiled tries the
compiled parts. Run by hand.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch

import batches
import checkpoint
import lean
import train

LAYOUTS = [
    batches.Layout("picture", [(128, 160)]), batches.Layout("picture", [(120, 150)]),
    batches.Layout("pair", [(96, 96), (128, 96)]), batches.Layout("clip", [(96, 96)], 3, 2),
    batches.Layout("clip", [(96, 128)], 4, 1, True), batches.Layout("talk", []),
]


class Plain:
    """What train.forward needs of a model."""

    def __init__(self, model, compiled):
        self.lean = lean.Lean(model.config, compiled)
        self.p = {name: tensor.detach().clone() for name, tensor in model.named_parameters()}
        self.device, self.dtype = "cpu", torch.float32


def reference(model, coder, batch, row):
    """transformers' logits at the answers of one sequence."""
    layout = batch["layout"]
    ids = torch.from_numpy(batch["ids"][row:row + 1]).long()
    kinds = (ids == coder.image).int() + 2 * (ids == coder.video).int()
    arguments = {"input_ids": ids, "mm_token_type_ids": kinds}
    pixels, grids = [], []
    for patches, grid in zip(train.draw_patches(batch, "cpu", torch.float32), layout.grids()):
        patches = patches.view(len(batch["ids"]), -1, patches.shape[-1])[row]
        if not layout.frames:  # both time slices show the same frame
            patches = patches.view(-1, 3, 1, 256).expand(-1, 3, 2, 256).reshape(-1, 1536)
        pixels.append(patches)
        grids.append(grid)
    if pixels:
        names = ("pixel_values_videos", "video_grid_thw") if layout.frames else (
            "pixel_values", "image_grid_thw")
        arguments.update(zip(names, (torch.cat(pixels), torch.tensor(grids))))
    with torch.no_grad():
        logits = model(**arguments).logits[0]
    length = batch["ids"].shape[1]
    mine = [s - row * length for s, label in zip(batch["sources"].tolist(), batch["labels"].tolist())
            if s // length == row and label >= 0]
    return logits[mine]


def main():
    torch.manual_seed(3)
    coder = batches.Coder()
    model = checkpoint.new_model(coder).eval()
    plain, tied = Plain(model, "--compiled" in sys.argv), 0
    model.load_state_dict(checkpoint.with_ground(model.state_dict()))
    for layout in LAYOUTS:
        batch = batches.make_batch("test", 1, coder, layout=layout, most=3)
        with torch.no_grad():
            logits = train.forward(plain, *train.make_inputs(batch, "cpu", torch.float32))[0]
        length = batch["ids"].shape[1]
        for row in range(len(batch["ids"])):
            mine = [i for i, s in enumerate(batch["sources"].tolist())
                    if s // length == row and batch["labels"][i] >= 0]
            expected = reference(model, coder, batch, row)
            error = (logits[mine] - expected).norm() / expected.norm()
            # Two experts may be tied to the last bit: rounding then chooses, once in a great while.
            tied += error > 1e-5
            assert error < 1e-2 and tied < 2, f"{layout}: sequence {row} is off by {error:.1e}"
        print(f"{layout.kind} {layout.sizes}: agrees, {length} tokens")


if __name__ == "__main__":
    main()
