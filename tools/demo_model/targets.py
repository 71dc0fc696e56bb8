"""What each visual token of a still picture should know, and the loss that teaches it.

Answers alone teach the vision tower slowly: it must see before the decoder can learn where to look, and the decoder
must look before the tower can learn to see. So training adds one linear layer on the merged features which says
what a token's 32 x 32 pixels hold, and drops it afterwards. Targets are uint8, 0 is none.
"""

import numpy as np
import torch
import torch.nn.functional as F

import font
import scenes

GLYPHS, STEPS = len(font.NAMES) + 1, 102
GROUPS = [  # name, how many of it, classes, weight of none
    ("glyph", 16, GLYPHS, 0.05),  # for each 8 x 8 pixels, the glyph whose centre is there
    ("row", 16, 8, 0.05),  # and its row and column in a table, the glyph that heads the column, and its place
    ("column", 16, 8, 0.05),
    ("header", 16, GLYPHS, 0.05),
    ("place", 16, 3, 0.05),  # first or second digit of its cell
    ("slot", 6, GLYPHS, 0.05),  # the first to sixth glyph of a line, where it is here
    ("patch colour", 4, len(scenes.COLOURS) + 1, 0.2),  # of what covers each 16 x 16 pixels
    ("patch form", 4, len(scenes.FORMS) + 1, 0.2),
    ("colour", 1, len(scenes.COLOURS) + 1, 0.1),  # of the item whose centre is here
    ("form", 1, len(scenes.FORMS) + 1, 0.1),
    ("order", 1, 10, 0.1),
    ("box", 4, STEPS, 0.0),  # in hundredths of the picture, plus one
    ("value", 1, 11, 0.0),  # of a bar, and its name
    ("name", 1, GLYPHS, 0.0),
]
STARTS = dict(zip((group[0] for group in GROUPS), np.cumsum([0] + [group[1] for group in GROUPS])))
WIDTH = sum(group[1] for group in GROUPS)
LOGITS = sum(number * classes for _, number, classes, _ in GROUPS)


def make(picture, rows, columns):
    """uint8 [rows / 2 * columns / 2, WIDTH] of a picture resized to rows x columns patches."""
    out = np.zeros((rows // 2, columns // 2, WIDTH), np.uint8)
    up, along = rows * 16 / picture.height, columns * 16 / picture.width
    best = np.zeros((rows, columns))
    colours, forms = (np.zeros((rows, columns), np.uint8) for _ in range(2))
    top, left = 16 * np.arange(rows), 16 * np.arange(columns)
    for x0, y0, x1, y1, colour, form, order, value, name in picture.items:
        shared = (np.clip(np.minimum(y1 * up, top + 16) - np.maximum(y0 * up, top), 0, 16)[:, None] *
                  np.clip(np.minimum(x1 * along, left + 16) - np.maximum(x0 * along, left), 0, 16))
        mine = shared > np.maximum(best, 32)
        best[mine], colours[mine], forms[mine] = shared[mine], colour, form
        if scenes.FORMS[form - 1] == "line":
            continue
        token = out[min(rows // 2 - 1, int((y0 + y1) * up) // 64),
                    min(columns // 2 - 1, int((x0 + x1) * along) // 64)]
        for group, at in (("colour", colour), ("form", form), ("order", order), ("value", value), ("name", name)):
            token[STARTS[group]] = at
        token[STARTS["box"]:STARTS["box"] + 4] = [
            round(v * 100 / full) + 1 for v, full in
            ((x0, picture.width), (y0, picture.height), (x1, picture.width), (y1, picture.height))]
    for group, values in (("patch colour", colours), ("patch form", forms)):
        out[:, :, STARTS[group]:STARTS[group] + 4] = values.reshape(
            rows // 2, 2, columns // 2, 2).transpose(0, 2, 1, 3).reshape(rows // 2, columns // 2, 4)
    last = None
    for glyph, x, y, scale, slot, *cell in picture.signs:
        wide = 7 if glyph > len(font.LATIN) else 5
        y8, x8 = int((y + 3.5 * scale) * up) // 8, int((x + wide / 2 * scale) * along) // 8
        if y8 >= 2 * rows or x8 >= 2 * columns:
            continue
        token, at = out[y8 // 4, x8 // 4], y8 % 4 * 4 + x8 % 4
        token[STARTS["glyph"] + at] = glyph
        if cell[0]:
            for group, value in zip(("row", "column", "header", "place"), (*cell, 1 + (cell == last))):
                token[STARTS[group] + at] = value
        last = cell
        if slot:
            token[STARTS["slot"] + slot - 1] = glyph
    return out.reshape(-1, WIDTH)


def loss(logits, targets):
    """The sum over groups of their mean losses, and the groups' shares of hits among what is there; logits
    [M, LOGITS], targets [M, WIDTH]."""
    total, hits, at, start = 0, [], 0, 0
    for _, number, classes, none in GROUPS:
        mine = logits[:, at:at + number * classes].reshape(-1, classes).float()
        wanted = targets[:, start:start + number].reshape(-1).long()
        at, start = at + number * classes, start + number
        there = (wanted > 0).float()
        weight = torch.where(wanted > 0, 1.0, none)
        total = total + (F.cross_entropy(mine, wanted, reduction="none") * weight).sum() / (weight.sum() + 1)
        with torch.no_grad():
            hits.append(torch.stack([((mine.argmax(-1) == wanted) * there).sum(), there.sum()]))
    return total, torch.stack(hits)
