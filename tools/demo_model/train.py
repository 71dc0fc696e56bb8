#!/usr/bin/env python3
"""Trains the demo model: draws pictures on the device, asks several questions of each, for a time given.

    python3 tools/demo_model/train.py OUT --seconds 540

needs torch and transformers. The learning rate follows the clock, so the schedule ends where the time does.
OUT gets part-N.safetensors every two minutes and at the end, and log.txt. --resume FOLDER starts from such
parts. --smoke trains a few steps, prints the time of each phase and stops.
"""

import argparse
import collections
import math
import os
import pathlib
import sys
import time

os.environ.setdefault("PYTORCH_ALLOC_CONF", "expandable_segments:True")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch
import torch.nn.functional as F

import batches
import checkpoint
import lean
import raster

BALANCE = 0.01  # weight of the router's balance loss
EVAL_SEED = "grade"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--resume", type=pathlib.Path)
    parser.add_argument("--smoke", type=int, default=0, help="stop after so many steps")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--rate", type=float, default=1.2e-3)
    parser.add_argument("--most", type=int, default=batches.MOST, help="sequences of a batch, at most")
    parser.add_argument("--grade-batches", type=int, default=60)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


class Model:
    """float32 masters, bfloat16 leaves that the passes run on, and the optimiser."""

    def __init__(self, model, device, rate, resume=None):
        self.lean = lean.Lean(model.config)
        self.device = device
        self.dtype = torch.float32 if device == "cpu" else torch.bfloat16
        tensors = dict(model.named_parameters())
        if resume:
            saved = checkpoint.load_parts(resume)
            assert saved.keys() == tensors.keys(), "the parts belong to another shape of model"
            tensors = saved
        self.names = list(tensors)
        self.masters = [t.detach().to(device, torch.float32).clone() for t in tensors.values()]
        self.leaves = [m.to(self.dtype).requires_grad_() for m in self.masters]
        self.p = dict(zip(self.names, self.leaves))
        for master in self.masters:
            master.grad = torch.zeros_like(master)
        decayed = [m for m in self.masters if m.dim() > 1]
        plain = [m for m in self.masters if m.dim() == 1]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 0.02}, {"params": plain, "weight_decay": 0.0}],
            lr=rate, betas=(0.9, 0.98), eps=1e-8, fused=device != "cpu")

    def update(self, rate):
        grads = [leaf.grad if leaf.grad is not None else torch.zeros_like(leaf) for leaf in self.leaves]
        torch._foreach_copy_([m.grad for m in self.masters], grads)
        norm = torch.nn.utils.clip_grad_norm_(self.masters, 1.0, foreach=True)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_copy_(self.leaves, self.masters)
        for leaf in self.leaves:
            leaf.grad = None
        return norm

    def tensors(self):
        return dict(zip(self.names, self.masters))


def to_device(array, device, dtype=torch.int64):
    tensor = torch.from_numpy(array)
    if device != "cpu":
        tensor = tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(dtype)


def draw_patches(batch, device, dtype):
    """For each picture of the layout: patches [S, N, K] and their rows and columns."""
    layout, out = batch["layout"], []
    for drawing, (groups, rows, columns) in zip(batch["drawings"], layout.grids()):
        pixels = raster.draw(drawing, device)
        size = (rows * 16, columns * 16)
        if tuple(pixels.shape[1:3]) != size:
            x = F.interpolate(pixels.permute(0, 3, 1, 2).float(), size, mode="bicubic", antialias=True)
            pixels = x.clamp(0, 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()
        pixels = pixels.view(-1, 2 if layout.frames else 1, *size, 3)
        out.append((lean.to_patches(pixels, rows, columns).to(dtype), rows, columns))
    return out


class Phases:
    """Seconds spent in each phase of a step, where a smoke run asks for them."""

    def __init__(self, active, device):
        self.active, self.device = active, device
        self.spent, self.last = collections.Counter(), 0.0

    def mark(self, name):
        if not self.active:
            return
        if self.device != "cpu":
            torch.cuda.synchronize()
        now = time.time()
        if name:
            self.spent[name] += now - self.last
        self.last = now

    def __str__(self):
        return ", ".join(f"{name} {1e3 * spent:.0f} ms" for name, spent in self.spent.items())


def run(model, batch, phases=None):
    """Logits, labels, the mean balance loss and the rows per expert."""
    device = model.device
    phases = phases or Phases(False, device)
    phases.mark(None)
    ids = to_device(batch["ids"], device)
    lengths = to_device(batch["lengths"], device)
    valid = (torch.arange(ids.shape[1], device=device) < lengths[:, None]).float()
    features, levels = None, []
    parts = []
    drawn = draw_patches(batch, device, model.dtype)
    phases.mark("draw")
    for patches, rows, columns in drawn:
        main, deep = model.lean.see(model.p, patches, rows, columns)
        parts.append([x.reshape(len(ids), -1, x.shape[-1]) for x in (main, *deep)])
    if parts:
        features, *levels = [torch.cat(x, 1) for x in zip(*parts)]
    phases.mark("see")
    hidden, balance, counts = model.lean.read(
        model.p, ids, to_device(batch["positions"], device), to_device(batch["visual"], device),
        features, levels, valid)
    logits = model.lean.answers(model.p, hidden, to_device(batch["sources"], device))
    phases.mark("read")
    return logits, to_device(batch["labels"], device), balance.mean(), counts


def grade(model, coder, number, most, log):
    """Share of questions answered exactly, by kind and language, and the experts' shares of the rows.

    Greedy decoding gives an answer exactly when each of its tokens is the likeliest after the ones before, so
    one pass over the answers grades them all.
    """
    right, asked = collections.Counter(), collections.Counter()
    counts = 0
    for index in range(number):
        batch = batches.make_batch(EVAL_SEED, index, coder, graded=True, most=most)
        with torch.no_grad():
            logits, labels, _, used = run(model, batch)
        counts = counts + used
        hit = (logits.argmax(-1) == labels).tolist()
        for kind, language, start, end in batch["grades"]:
            for key in (kind, f"all-{language}"):
                asked[key] += 1
                right[key] += all(hit[start:end])
    shares = counts / counts.mean(1, keepdim=True)
    log("  " + "  ".join(f"{k} {100 * right[k] / asked[k]:.1f}" for k in sorted(asked)))
    log(f"  experts: {shares.min().item():.2f} to {shares.max().item():.2f} of a fair share; by layer "
        + ", ".join(f"{low:.2f}-{high:.2f}" for low, high in
                    zip(shares.amin(1).tolist(), shares.amax(1).tolist())))


def main():
    begun = time.time()
    arguments = parse_arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines = open(arguments.out / "log.txt", "a", encoding="utf-8")

    def log(text):
        print(f"{time.time() - begun:6.1f} {text}", flush=True)
        print(f"{time.time() - begun:6.1f} {text}", file=lines, flush=True)
    feed = batches.Feed(arguments.seed, arguments.workers, arguments.most)
    device = arguments.device
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    coder = batches.Coder()
    model = Model(checkpoint.new_model(coder), device, arguments.rate, arguments.resume)
    log(f"{sum(m.numel() for m in model.masters) / 1e6:.2f} M parameters, "
        f"{2 * sum(m.numel() for m in model.masters) / 1e6:.1f} MB, vocabulary {coder.vocabulary}")
    phases = Phases(bool(arguments.smoke), device)
    warm = 100 if arguments.resume else 300
    step, saved, graded, sequences = 0, time.time(), time.time(), 0
    waited, losses, started = 0.0, [], None
    while True:
        before = time.time()
        batch = feed.next()
        waited += time.time() - before
        now = time.time()
        started = started or now
        done = (now - begun) / arguments.seconds
        if done >= 1 or arguments.smoke and step >= arguments.smoke:
            break
        rate = arguments.rate * min(1, (step + 1) / warm) * max(0.01, (1 + math.cos(math.pi * done)) / 2)
        if step == arguments.smoke // 2:
            phases.spent.clear()
        logits, labels, balance, _ = run(model, batch, phases)
        loss = F.cross_entropy(logits.float(), labels)
        (loss + BALANCE * balance).backward()
        phases.mark("backward")
        norm = model.update(rate)
        phases.mark("update")
        losses.append(loss.detach())
        step += 1
        sequences += len(batch["ids"])
        if step % 100 == 0 or arguments.smoke and step % 20 == 0:
            mean = torch.stack(losses).mean().item()
            log(f"step {step} loss {mean:.4f} norm {norm.item():.2f} rate {rate:.2e} "
                f"{(time.time() - started) / step * 1e3:.1f} ms a step, {sequences / step:.0f} sequences, "
                f"waited {waited / step * 1e3:.1f} ms, balance {balance.item():.3f}")
            assert math.isfinite(mean), "the loss is not finite"
            losses = []
        if time.time() - graded > 60 and not arguments.smoke:
            grade(model, coder, 6, arguments.most, log)
            graded = time.time()
        if time.time() - saved > 120:
            checkpoint.save_parts(model.tensors(), arguments.out)
            saved = time.time()
    feed.close()
    if phases.active:
        log(f"second half of the steps: {phases}")
    if device != "cpu":
        log(f"peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
    checkpoint.save_parts(model.tensors(), arguments.out)
    log(f"saved after {step} steps and {sequences} sequences; fresh questions:")
    grade(model, coder, arguments.grade_batches, arguments.most, log)


if __name__ == "__main__":
    main()
