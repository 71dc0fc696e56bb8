"""Assembles batches: scenes of one layout, asked and answered as talks of several turns, as token ids.

All sequences of a batch share a layout (the sizes of their pictures, the frames of their clip), hence the same
tokens and positions up to the first question; train.py relies on that. Batch number i of a seed is always the
same. `Feed` makes batches ahead of time in several processes.
"""

import dataclasses
import json
import math
import multiprocessing
import queue
import random
import threading

import numpy as np
import tokenizers

import make_tokenizer
import raster
import scenes
import targets
import words

FACTOR = 32  # pixels a side of one visual token
SMALLEST, LARGEST = 96, 640  # sides of pictures
TURN_TOKENS, LONGEST = 146, 152  # of a talk: aimed at, and at most
ANSWER_TOKENS = 48  # of a talk, on average over a batch, at most
TOKENS, PATCHES, MOST = 36000, 45000, 256  # of a batch, at most


@dataclasses.dataclass
class Layout:
    kind: str  # picture, pair, clip or talk
    sizes: list  # height, width of each picture as drawn; of each frame for a clip
    frames: int = 0
    fps: float = 0
    outer: bool = False  # the clip stands in one more pair of vision marks, as newer transformers do it

    def grids(self):
        """(groups, rows, columns) in patches, one for each picture or clip."""
        out = []
        for height, width in self.sizes:
            rows, columns = (round(side / FACTOR) * 2 for side in (height, width))
            out.append(((self.frames + 1) // 2 if self.frames else 1, rows, columns))
        return out

    def patches(self):
        return sum(math.prod(grid) for grid in self.grids())


def choose_sizes():
    """Sizes in visual tokens (rows, columns) of pictures, by area, then of pairs, and of clips with their groups of
    frames. The same ones always, so that train.py captures few graphs."""
    rng = random.Random("sizes")

    def pick(least, most):
        while True:
            size = rng.randint(3, most), rng.randint(3, most)
            if max(size) > least:
                return size
    # The smallest twice: as make_eval.py draws them, a good part of the held-out pictures is as small.
    small = [(a, b) for a in range(3, 9) for b in range(3, 9)]
    pictures = small + [size for size in small if max(size) < 6]
    pictures += [pick(8, 12) for _ in range(24)] + [pick(12, 20) for _ in range(22)]
    pairs = [[pick(0, 6), pick(0, 6)] for _ in range(14)]
    clips = [(pick(0, 5), groups) for groups in (1, 2, 3, 4) for _ in range(6)]
    return sorted(pictures, key=lambda size: (size[0] * size[1], size)), pairs, clips


PICTURES, PAIRS, CLIPS = choose_sizes()


def draw_size(rng, size):
    """Pixels of a picture that is resized to `size` tokens; mostly just these."""
    size = [side * FACTOR for side in size]
    if rng.random() < 0.25:
        size = [side + rng.randint(-12, 12) for side in size]
    return tuple(min(LARGEST, max(SMALLEST, side)) for side in size)


def choose_layout(rng, level=1):
    """level 0 to 1: small pictures come first."""
    kind = rng.random()
    if kind < 0.77:
        known = PICTURES[:max(9, math.ceil(level * len(PICTURES)))]
        return Layout("picture", [draw_size(rng, rng.choice(known))])
    if kind < 0.84:
        return Layout("pair", [draw_size(rng, size) for size in rng.choice(PAIRS)])
    if kind < 0.94:
        size, groups = rng.choice(CLIPS)
        frames = max(2, 2 * groups - rng.randint(0, 1))
        return Layout("clip", [draw_size(rng, size)], frames, rng.choice([1, 2, 4]), rng.random() < 0.3)
    return Layout("talk", [])


def make_scene(rng, layout, w, level):
    if layout.kind == "picture":
        # Easier scenes stay in the mix.
        if rng.random() < 0.3:
            level *= rng.random()
        return scenes.make_picture(rng, w, *layout.sizes[0], level)
    if layout.kind == "pair":
        return scenes.make_pair(rng, w, *layout.sizes)
    if layout.kind == "clip":
        return scenes.make_clip(rng, w, *layout.sizes[0], layout.frames)
    return scenes.make_talk(rng, w)


class Coder:
    """Text to ids, with a memory of phrases seen."""

    def __init__(self):
        self.tokenizer = tokenizers.Tokenizer.from_str(json.dumps(make_tokenizer.build()))
        self.memory = {}
        self.vocabulary = self.tokenizer.get_vocab_size()
        self.end, self.start = self.id("<|im_end|>"), self.id("<|im_start|>")
        self.vision_start, self.vision_end = self.id("<|vision_start|>"), self.id("<|vision_end|>")
        self.image, self.video = self.id("<|image_pad|>"), self.id("<|video_pad|>")
        self.open_user = [self.start] + self("user") + self("\n")
        self.to_answer = [self.end] + self("\n") + [self.start] + self("assistant") + self("\n")
        self.to_question = self("\n") + self.open_user

    def id(self, added):
        return self.tokenizer.token_to_id(added)

    def __call__(self, text):
        ids = self.memory.get(text)
        if ids is None:
            if len(self.memory) > 300000:
                self.memory.clear()
            ids = self.memory[text] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def cost(self, question):
        return len(self(question.text)) + len(self(question.answer)) + 10

    def prefix(self, layout):
        """Ids up to the first question, their positions [n][3], and which of them are visual."""
        ids, positions, visual, now = [], [], [], 0

        def add_text(tokens):
            nonlocal now
            for token in tokens:
                ids.append(token)
                positions.append((now, now, now))
                now += 1

        def add_block(pad, rows, columns):
            nonlocal now
            for row in range(rows // 2):
                for column in range(columns // 2):
                    visual.append(len(ids))
                    ids.append(pad)
                    positions.append((now, now + row, now + column))
            now += max(rows, columns) // 2

        add_text(self.open_user)
        for groups, rows, columns in layout.grids():
            if not layout.frames:
                add_text([self.vision_start])
                add_block(self.image, rows, columns)
                add_text([self.vision_end])
                continue
            if layout.outer:
                add_text([self.vision_start])
            for group in range(groups):
                last = min(2 * group + 1, layout.frames - 1)
                add_text(self(f"<{(2 * group + last) / 2 / layout.fps:.1f} seconds>") + [self.vision_start])
                add_block(self.video, rows, columns)
                add_text([self.vision_end])
            if layout.outer:
                add_text([self.vision_end])
        return ids, positions, visual


def make_batch(seed, number, coder, graded=False, layout=None, most=MOST, level=1):
    """Batch `number` of a seed, as a dict; S talks of T tokens, A = ANSWER_TOKENS * S answer tokens at most.

    layout; ids [S, T] and lengths [S], int16; positions [3, T] int16; visual: columns of ids that are visual;
    sources [A] int32: flat positions that predict the labels [A] int16, -100 on padding; drawings: one
    raster.Drawing a picture of the layout; targets (still pictures only) [S, visual tokens, targets.WIDTH] uint8;
    grades (where graded): each question with its language and its first and last but one label.
    """
    rng = random.Random(f"{seed}/{number}")
    layout = layout or choose_layout(rng, level)
    prefix, positions, visual = coder.prefix(layout)
    patches = layout.patches()
    # The outer marks of a clip change neither the count nor the length.
    length = -(-(len(prefix) + 2 * (layout.frames > 0 and not layout.outer) + LONGEST) // 8) * 8
    count = min(most, TOKENS // length, PATCHES // max(1, patches))
    pictures, wanted = [[] for _ in layout.sizes], []
    still = layout.kind in ("picture", "pair")
    rows, sources, labels, grades = [], [], [], []
    for index in range(max(1, count)):
        w = words.LANGUAGES["en" if rng.random() < 0.55 else "zh"]
        scene = make_scene(rng, layout, w, level)
        if layout.frames:
            pictures[0] += scene.pictures + scene.pictures[-1:] * (layout.frames % 2)
        else:
            for slot, picture in zip(pictures, scene.pictures):
                slot.append(picture)
        if still:
            wanted.append(np.concatenate([targets.make(picture, *grid[1:]) for picture, grid in
                                          zip(scene.pictures, layout.grids())]))
        ids = []
        for question in scenes.choose_turns(rng, scene, TURN_TOKENS, coder.cost):
            opening = (coder.to_question if ids else []) + coder(question.text) + coder.to_answer
            answer = coder(question.answer) + [coder.end]
            if len(ids) + len(opening) + len(answer) > LONGEST:
                continue
            ids += opening
            if graded:
                grades.append((question, w.language, len(labels), len(labels) + len(answer)))
            start = len(prefix) + len(ids) - 1
            sources += [(index, start + i) for i in range(len(answer))]
            labels += answer
            ids += answer
        rows.append(ids)
    ids = np.full((len(rows), length), coder.end, np.int16)
    ids[:, :len(prefix)] = prefix
    lengths = np.zeros(len(rows), np.int16)
    for index, row in enumerate(rows):
        ids[index, len(prefix):len(prefix) + len(row)] = row
        lengths[index] = len(prefix) + len(row)
    now = max(max(p) for p in positions) + 1
    positions = positions + [(now + i,) * 3 for i in range(length - len(prefix))]
    # Padded to a fixed number: no label, and sources that are spread out.
    asked = len(rows) * ANSWER_TOKENS
    padding = max(0, asked - len(labels))
    labels = (labels + [-100] * padding)[:asked]
    flat = ([row * length + at for row, at in sources] + list(range(padding)))[:asked]
    out = {
        "layout": layout, "ids": ids, "lengths": lengths, "labels": np.array(labels, np.int16),
        "sources": np.array(flat, np.int32),
        "positions": np.array(positions, np.int16).T.copy(), "visual": np.array(visual, np.int32),
        "drawings": [raster.Drawing(*size, slot) for size, slot in zip(layout.sizes, pictures)],
        "grades": grades,
    }
    if still:
        out["targets"] = np.stack(wanted)
    return out


def work(seed, numbers, most, ramp, out):
    coder = Coder()
    for number in numbers:
        level = min(1, number / ramp) if ramp else 1
        out.put(make_batch(seed, number, coder, most=most, level=level))


class Feed:
    """Batches of a seed, made by `workers` processes, in the order they are done.

    Their level grows from 0 to 1 over the first `ramp` batches.
    """

    def __init__(self, seed, workers, most=MOST, ramp=0, first=0, ahead=64):
        start = multiprocessing.get_context("fork")
        self.made = start.Queue(ahead)
        self.ready = queue.Queue(8)
        self.processes = [start.Process(target=work, daemon=True,
                                        args=(seed, range(first + w, 1 << 30, workers), most, ramp,
                                              self.made)) for w in range(workers)]
        for process in self.processes:
            process.start()
        threading.Thread(target=self.pass_on, daemon=True).start()

    def pass_on(self):
        while True:
            self.ready.put(self.made.get())

    def next(self):
        return self.ready.get(timeout=60)

    def close(self):
        for process in self.processes:
            process.terminate()
