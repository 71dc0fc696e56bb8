"""What each visual token of a still picture should know, and the loss that teaches it.

Answers alone teach the vision tower slowly: it must see before the decoder can learn where to look, and the decoder
must look before the tower can learn to see. So training adds one linear layer on the merged features which says
what a token's 32 x 32 pixels hold, and drops it afterwards. Targets are uint8, 0 is none.
"""

import typing

import numpy as np
import torch
import torch.nn.functional as F

import font
import scenes

GLYPHS, COLOURS, FORMS = (len(names) + 1 for names in (font.NAMES, scenes.COLOURS, scenes.FORMS))


class Group(typing.NamedTuple):
    name: str
    number: int  # of labels in a token
    classes: int  # of each label, none among them
    none_weight: float  # of labels that are none: they are many; 0 where none means that nothing is asked


GROUPS = [
    # Of each 8 x 8 pixels:
    Group("glyph", 16, GLYPHS, 0.05),  # the glyph whose centre is there
    Group("row", 16, 8, 0.05),  # its row in a table: the header and up to five
    Group("column", 16, 8, 0.05),  # its column: the rows' numbers and up to four
    Group("header", 16, GLYPHS, 0.05),  # the glyph that heads its column
    Group("place", 16, 3, 0.05),  # first or second digit of its cell
    # Of the token:
    Group("slot", 6, GLYPHS, 0.05),  # the first to sixth glyph of a line, where it is here
    # Of each 16 x 16 pixels, what covers them:
    Group("patch colour", 4, COLOURS, 0.2),
    Group("patch form", 4, FORMS, 0.2),
    # Of the item whose centre is in the token:
    Group("colour", 1, COLOURS, 0.1),
    Group("form", 1, FORMS, 0.1),
    Group("order", 1, 10, 0.1),  # in reading order: scenes.room_for allows nine
    Group("box", 4, 102, 0.0),  # left, top, right, bottom in hundredths of the picture, plus one
    Group("value", 1, 11, 0.0),  # of a bar, up to 9
    Group("name", 1, GLYPHS, 0.0),  # of a bar
]
STARTS = dict(zip((group.name for group in GROUPS), np.cumsum([0] + [group.number for group in GROUPS])))
WIDTH = sum(group.number for group in GROUPS)
LOGITS = sum(group.number * group.classes for group in GROUPS)


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
        mine = shared > np.maximum(best, 32)  # of 256 pixels: less is a stray edge
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
    for glyph, x, y, scale, _, _, _, slot, *cell in picture.glyphs:
        wide = 5 if glyph < len(font.LATIN) else 7
        y8, x8 = int((y + 3.5 * scale) * up) // 8, int((x + wide / 2 * scale) * along) // 8
        if y8 >= 2 * rows or x8 >= 2 * columns:
            continue
        token, at = out[y8 // 4, x8 // 4], y8 % 4 * 4 + x8 % 4
        token[STARTS["glyph"] + at] = glyph + 1
        if cell[0]:
            for group, value in zip(("row", "column", "header", "place"), (*cell, 1 + (cell == last))):
                token[STARTS[group] + at] = value
        last = cell
        if slot:
            token[STARTS["slot"] + slot - 1] = glyph + 1
    return out.reshape(-1, WIDTH)


def loss(logits, targets):
    """The sum over groups of their weighted mean cross entropies, and [groups, 2]: the labels that are there and
    right, and those that are there. logits [M, LOGITS], targets [M, WIDTH] uint8."""
    total, hits, at, start = 0, [], 0, 0
    for _, number, classes, none_weight in GROUPS:
        mine = logits[:, at:at + number * classes].reshape(-1, classes).float()
        wanted = targets[:, start:start + number].reshape(-1).long()
        at, start = at + number * classes, start + number
        there = (wanted > 0).float()
        weight = torch.where(wanted > 0, 1.0, none_weight)
        total = total + (F.cross_entropy(mine, wanted, reduction="none") * weight).sum() / (weight.sum() + 1)
        with torch.no_grad():
            hits.append(torch.stack([((mine.argmax(-1) == wanted) * there).sum(), there.sum()]))
    return total, torch.stack(hits)
