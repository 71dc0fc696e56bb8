#!/usr/bin/env python3
"""Trains the demo model: draws pictures on the device, asks several questions of each, for a time given.

    python3 tools/demo_model/train.py OUT --seconds 540

needs torch and transformers. The learning rate follows the clock, so the schedule ends where the time does.
OUT gets part-N.safetensors every two minutes and at the end, and log.txt. --smoke stops after a few steps. Steps
run as captured CUDA graphs, one for each shape of batch. Training in several calls:

    train.py A --seconds 570 --schedule 0 0.4
    train.py B --seconds 570 --schedule 0.4 0.8 --resume A --first 12000    (the steps that A's log counts)
"""

import argparse
import collections
import math
import os
import pathlib
import re
import sys
import time

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch
import torch.nn.functional as F

import batches
import checkpoint
import lean
import raster
import targets

BALANCE = 0.01  # weight of the router's balance loss
EVAL_SEED = "grade"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--resume", type=pathlib.Path,
                        help="a folder of parts to go on from; they hold bfloat16 weights, the optimiser starts anew")
    parser.add_argument("--schedule", type=float, nargs=2, default=(0, 1), metavar=("FROM", "TO"),
                        help="the part of the whole training that this call is")
    parser.add_argument("--first", type=int, default=0, help="number of the first batch")
    parser.add_argument("--smoke", type=int, default=0, help="stop after so many steps")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 3))
    parser.add_argument("--rate", type=float, default=8e-4)
    parser.add_argument("--ramp", type=int, default=4000, help="batches until scenes are full")
    parser.add_argument("--most", type=int, default=batches.MOST, help="sequences of a batch, at most")
    parser.add_argument("--grade-batches", type=int, default=40)
    parser.add_argument("--no-graphs", action="store_true", help="run every step eagerly")
    parser.add_argument("--no-compile", action="store_true", help="leave the kernels unfused")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


class Model:
    """float32 masters, bfloat16 leaves that the passes run on, and the optimiser."""

    def __init__(self, model, device, rate, resume=None, compiled=False):
        self.lean = lean.Lean(model.config, compiled)
        self.device = device
        self.dtype = torch.float32 if device == "cpu" else torch.bfloat16
        tensors = dict(model.named_parameters())
        tensors["targets.weight"] = torch.randn(targets.LOGITS, model.config.text_config.hidden_size) * 0.02
        tensors["targets.bias"] = torch.zeros(targets.LOGITS)
        if resume:
            saved = checkpoint.load_parts(resume)
            assert saved.keys() == tensors.keys(), "the parts belong to another shape of model"
            # The layer for the targets starts anew where the targets have changed.
            tensors = {name: t if saved[name].shape != t.shape and name.startswith("targets.") else saved[name]
                       for name, t in tensors.items()}
        self.names = list(tensors)
        self.masters = [t.detach().to(device, torch.float32).clone() for t in tensors.values()]
        self.leaves = [m.to(self.dtype, copy=True).requires_grad_() for m in self.masters]
        self.p = dict(zip(self.names, self.leaves))
        for master in self.masters:
            master.grad = torch.zeros_like(master)
        sees = [name.startswith((lean.VISUAL, "targets.")) for name in self.names]
        self.clipped = [[m for m, s in zip(self.masters, sees) if s == side] for side in (True, False)]
        groups = {}
        for name, master in zip(self.names, self.masters):
            # The inputs of the patch embedding all move together: it needs small steps.
            scale = 0.25 if "patch_embed" in name else 1.0
            decay = 0.02 if master.dim() > 1 and "embed" not in name else 0.0
            groups.setdefault((scale, decay), []).append(master)
        self.scales = [scale for scale, _ in groups]
        self.optimiser = torch.optim.AdamW(
            [{"params": masters, "weight_decay": decay} for (_, decay), masters in groups.items()],
            lr=rate, betas=(0.9, 0.98), eps=1e-8, fused=device != "cpu")

    def update(self, rate):
        # Each on its own: the targets pull at the tower alone, in some batches and harder than answers do.
        norms = [torch.nn.utils.clip_grad_norm_(part, 1.0, foreach=True) for part in self.clipped]
        for group, scale in zip(self.optimiser.param_groups, self.scales):
            group["lr"] = rate * scale
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_copy_(self.leaves, self.masters)
        return torch.stack(norms)

    def tensors(self):
        return dict(zip(self.names, self.masters))


def to_device(array, device, dtype=torch.int64):
    tensor = torch.from_numpy(array)
    if device != "cpu":
        tensor = tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(dtype)


def draw_patches(batch, device, dtype):
    """For each picture of the layout: patches [S, N, K]."""
    layout, out = batch["layout"], []
    for drawing, (_, rows, columns) in zip(batch["drawings"], layout.grids()):
        pixels = raster.draw(drawing, device)
        size = (rows * 16, columns * 16)
        if tuple(pixels.shape[1:3]) != size:
            x = F.interpolate(pixels.permute(0, 3, 1, 2).float(), size, mode="bicubic", antialias=True)
            pixels = x.clamp(0, 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()
        pixels = pixels.view(-1, 2 if layout.frames else 1, *size, 3)
        out.append(lean.to_patches(pixels, rows, columns).to(dtype))
    return out


def make_inputs(batch, device, dtype):
    """The tensors of a batch that a pass reads, by name, and the grids that shape it."""
    inputs = {name: to_device(batch[name], device)
              for name in ("ids", "lengths", "positions", "visual", "sources", "labels")}
    for index, patches in enumerate(draw_patches(batch, device, dtype)):
        inputs[f"patches{index}"] = patches
    if "targets" in batch:
        inputs["targets"] = to_device(batch["targets"], device, torch.uint8)
    return inputs, tuple(batch["layout"].grids())


def forward(model, inputs, grids):
    """Logits at the answers, the mean balance loss, the rows per expert, and the merged features."""
    ids = inputs["ids"]
    valid = (torch.arange(ids.shape[1], device=ids.device) < inputs["lengths"][:, None]).float()
    features, levels, parts = None, [], []
    for index, (_, rows, columns) in enumerate(grids):
        main, deep = model.lean.see(model.p, inputs[f"patches{index}"], rows, columns)
        parts.append([x.reshape(len(ids), -1, x.shape[-1]) for x in (main, *deep)])
    if parts:
        features, *levels = [torch.cat(x, 1) for x in zip(*parts)]
    hidden, balance, counts = model.lean.read(model.p, ids, inputs["positions"], inputs["visual"],
                                              features, levels, valid)
    return model.lean.answers(model.p, hidden, inputs["sources"]), balance.mean(), counts, features


def target_loss(model, features, inputs):
    """targets.loss of what the layer for the targets says of the merged features."""
    seen = F.linear(features, model.p["targets.weight"], model.p["targets.bias"])
    return targets.loss(seen.flatten(0, 1), inputs["targets"].flatten(0, 1))


def learn(model, inputs, grids):
    """Leaves the gradients in the masters; the loss of the answers, of the router's balance and of the targets."""
    logits, balance, _, features = forward(model, inputs, grids)
    loss = F.cross_entropy(logits.float(), inputs["labels"])
    total, aside = loss + BALANCE * balance, torch.zeros_like(loss)
    if "targets" in inputs:
        aside, _ = target_loss(model, features, inputs)
        total = total + inputs["share"] * aside
    grads = torch.autograd.grad(total, model.leaves, allow_unused=True)
    used = [(m.grad, g) for m, g in zip(model.masters, grads) if g is not None]
    unused = [m.grad for m, g in zip(model.masters, grads) if g is None]
    with torch.no_grad():
        torch._foreach_copy_([m for m, _ in used], [g for _, g in used])
        if unused:
            torch._foreach_zero_(unused)
    return loss.detach(), balance.detach(), aside.detach()


class Passes:
    """Runs `learn`, as one captured CUDA graph for each shape of inputs where the device allows it."""

    def __init__(self, model, capture, log):
        self.model, self.capture, self.log = model, capture, log
        self.graphs, self.pool = {}, None

    def __call__(self, inputs, grids):
        if not self.capture:
            return learn(self.model, inputs, grids)
        key = (grids, tuple((name, tuple(x.shape)) for name, x in inputs.items()))
        if key not in self.graphs:
            self.pool = self.pool or torch.cuda.graph_pool_handle()
            static = {name: x.clone() for name, x in inputs.items()}
            learn(self.model, static, grids)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            try:
                with torch.cuda.graph(graph, pool=self.pool, stream=torch.cuda.current_stream(),
                                      capture_error_mode="thread_local"):
                    out = learn(self.model, static, grids)
            except torch.cuda.OutOfMemoryError:
                raise
            except RuntimeError as error:
                self.log(f"no graphs: {str(error)[:300]}")
                self.capture = False
                return learn(self.model, inputs, grids)
            self.graphs[key] = (graph, static, out)
        graph, static, out = self.graphs[key]
        for name, tensor in static.items():
            tensor.copy_(inputs[name])
        graph.replay()
        return [x.clone() for x in out]


def overlap(answer, given):
    """Intersection over union of the boxes of two answers; 0 where there is none."""
    boxes = []
    for text in (answer, given):
        found = re.search(r"\[(\d+), (\d+), (\d+), (\d+)\]", text)
        if not found:
            return 0.0
        boxes.append([int(x) for x in found.groups()])
    a, b = boxes
    wide = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    tall = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - wide * tall
    return wide * tall / union if union > 0 else 0.0


def grade(model, coder, number, most, log):
    """Share of questions answered exactly, by kind and language, and the experts' shares of the rows.

    Greedy decoding gives an answer exactly when each of its tokens is the likeliest after the ones before, so
    one pass over the answers grades them all. Boxes count by their overlap, each digit after right ones.
    """
    right, asked = collections.Counter(), collections.Counter()
    counts, hits = 0, torch.zeros(len(targets.GROUPS), 2, device=model.device)
    for index in range(number):
        batch = batches.make_batch(EVAL_SEED, index, coder, graded=True, most=most)
        inputs, grids = make_inputs(batch, model.device, model.dtype)
        # Gradients stay on, though nobody asks for them: without them every part would be compiled once more.
        logits, _, used, features = forward(model, inputs, grids)
        if "targets" in inputs:
            hits = hits + target_loss(model, features, inputs)[1]
        counts = counts + used
        tokens, labels = logits.argmax(-1).tolist(), batch["labels"].tolist()
        for question, language, start, end in batch["grades"]:
            if end > len(labels):
                continue
            hit = tokens[start:end] == labels[start:end]
            if question.judge == "box":
                hit = overlap(question.answer, coder.tokenizer.decode(tokens[start:end]))
            for key in (question.kind, f"all-{language}"):
                asked[key] += 1
                right[key] += hit
    log("  targets: " + ", ".join(f"{group.name} {100 * hit / max(1, there):.1f}"
                                  for group, (hit, there) in zip(targets.GROUPS, hits.tolist())))
    shares = counts / counts.mean(1, keepdim=True)
    log("  " + "  ".join(f"{k} {100 * right[k] / asked[k]:.1f}" for k in sorted(asked)))
    log(f"  experts: {shares.min().item():.2f} to {shares.max().item():.2f} of a fair share; by layer "
        + ", ".join(f"{low:.2f}-{high:.2f}" for low, high in
                    zip(shares.amin(1).tolist(), shares.amax(1).tolist())))


def train(arguments, feed, begun, log):
    device = arguments.device
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    coder = batches.Coder()
    model = Model(checkpoint.new_model(coder), device, arguments.rate, arguments.resume,
                  device != "cpu" and not arguments.no_compile)
    log(f"{sum(m.numel() for m in model.masters) / 1e6:.2f} M parameters with those of the targets, "
        f"vocabulary {coder.vocabulary}")
    passes = Passes(model, device != "cpu" and not arguments.no_graphs, log)
    warm = 100 if arguments.resume else 300
    step, saved, graded, sequences = 0, time.time(), time.time(), 0
    waited, losses, noted = 0.0, [], (time.time(), 0)
    while True:
        before = time.time()
        batch = feed.next()
        waited += time.time() - before
        done = (time.time() - begun) / arguments.seconds
        if done >= 1 or arguments.smoke and step >= arguments.smoke:
            break
        start, end = arguments.schedule
        done = start + (end - start) * done
        fall = (1 + math.cos(math.pi * done)) / 2
        rate = arguments.rate * min(1, (step + 1) / warm) * max(0.01, fall)
        inputs, grids = make_inputs(batch, device, model.dtype)
        # The targets lead at first; later the answers say what is worth seeing.
        inputs["share"] = torch.full((), max(0.2, 1 - done), device=device)
        losses.append(torch.stack(passes(inputs, grids)))
        norms = model.update(rate)
        step += 1
        sequences += len(batch["ids"])
        if step % 200 == 0 or step in (20, 40) or arguments.smoke and step % 2 == 0:
            mean, balance, aside = torch.stack(losses).mean(0).tolist()
            pace = (time.time() - noted[0]) / (step - noted[1])
            noted, losses, norms = (time.time(), step), [], norms.tolist()
            log(f"step {step} loss {mean:.4f} targets {aside:.3f} norms {norms[0]:.2f} {norms[1]:.2f} rate {rate:.2e} "
                f"{pace * 1e3:.1f} ms a step, {sequences / step:.0f} sequences, "
                f"waited {waited / step * 1e3:.1f} ms, balance {balance:.3f}, {len(passes.graphs)} graphs")
            assert math.isfinite(mean), "the loss is not finite"
        if time.time() - graded > 120 and not arguments.smoke:
            grade(model, coder, 6, arguments.most, log)
            graded = time.time()
        if time.time() - saved > 120:
            checkpoint.save_parts(model.tensors(), arguments.out)
            saved = time.time()
    if device != "cpu":
        log(f"peak {torch.cuda.max_memory_reserved() / 2**30:.1f} GiB")
    checkpoint.save_parts(model.tensors(), arguments.out)
    log(f"saved after {step} steps and {sequences} sequences; fresh questions:")
    grade(model, coder, arguments.grade_batches, arguments.most, log)


def main():
    begun = time.time()
    arguments = parse_arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines = open(arguments.out / "log.txt", "a", encoding="utf-8")

    def log(text):
        for file in (sys.stdout, lines):
            print(f"{time.time() - begun:6.1f} {text}", file=file, flush=True)
    feed = batches.Feed(arguments.seed, arguments.workers, arguments.most, arguments.ramp,
                        arguments.first)
    if arguments.device == "cpu":
        train(arguments, feed, begun, log)
    else:
        # Graphs are captured from a stream of their own, which every step then runs on.
        with torch.cuda.stream(torch.cuda.Stream()):
            train(arguments, feed, begun, log)
    feed.close()


if __name__ == "__main__":
    main()
