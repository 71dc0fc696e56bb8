"""Draws pictures from compact descriptions, many of one size at once, on the CPU or on a GPU.

A picture is a background colour, filled shapes in painting order, and glyphs on top. All arithmetic is on
integers, so that every device draws the same bytes. train.py draws its batches here, make_eval.py the
held-out pictures and the examples.
"""

import numpy as np
import torch

import font

RECTANGLE, CIRCLE, TRIANGLE, DIAMOND = range(4)
SHAPE_COLUMNS = 8  # kind, x0, y0, x1, y1, red, green, blue; the box is half open, in pixels
GLYPH_COLUMNS = 8  # picture, glyph, x, y, scale, red, green, blue
OUTSIDE = 1 << 28


class Drawing:
    """Arrays that describe a batch of pictures of one size."""

    def __init__(self, height, width, pictures):
        """pictures: list of scenes.Picture, all height x width."""
        self.height, self.width = height, width
        most = max(1, max(len(p.shapes) for p in pictures))
        self.shapes = np.zeros((len(pictures), most, SHAPE_COLUMNS), np.int16)
        self.backgrounds = np.array([p.background for p in pictures], np.uint8)
        glyphs = []
        for index, picture in enumerate(pictures):
            if picture.shapes:
                self.shapes[index, :len(picture.shapes)] = picture.shapes
            glyphs += [(index, *glyph[:GLYPH_COLUMNS - 1]) for glyph in picture.glyphs]
        self.glyphs = np.array(sorted(glyphs, key=lambda g: g[4]) or
                               np.zeros((0, GLYPH_COLUMNS)), np.int16)


def draw(drawing, device):
    """uint8 [pictures, height, width, 3]."""
    shapes = torch.from_numpy(drawing.shapes).to(device).int()
    count, most, _ = shapes.shape
    kind, x0, y0, x1, y1 = (shapes[:, :, i, None] for i in range(5))
    # Everything is doubled, so that pixel centres and shape centres are integers. A pixel is inside where
    # across + down <= 0.
    x = 2 * torch.arange(drawing.width, device=device, dtype=torch.int32) + 1
    y = 2 * torch.arange(drawing.height, device=device, dtype=torch.int32) + 1
    dx, dy = (x - x0 - x1).abs(), (y - y0 - y1).abs()
    reach = x1 - x0
    across = torch.where(kind == CIRCLE, dx * dx, torch.zeros_like(dx))
    across = torch.where(kind == DIAMOND, dx, across)
    across = torch.where(kind == TRIANGLE, 2 * (y1 - y0) * dx, across)
    across = torch.where((x > 2 * x0) & (x < 2 * x1), across, OUTSIDE)
    down = torch.where(kind == CIRCLE, dy * dy - reach * reach, torch.zeros_like(dy))
    down = torch.where(kind == DIAMOND, dy - reach, down)
    down = torch.where(kind == TRIANGLE, -reach * (y - 2 * y0), down)
    down = torch.where((y > 2 * y0) & (y < 2 * y1), down, OUTSIDE)
    index = torch.zeros(count, drawing.height, drawing.width, device=device, dtype=torch.uint8)
    for shape in range(most):
        inside = across[:, shape, None, :] + down[:, shape, :, None] <= 0
        index.masked_fill_(inside, shape + 1)
    colours = torch.cat([torch.from_numpy(drawing.backgrounds).to(device)[:, None],
                         shapes[:, :, 5:8].to(torch.uint8)], 1)
    picture = torch.arange(count, device=device)[:, None, None]
    out = colours[picture, index.long()]
    if len(drawing.glyphs):
        draw_glyphs(out, drawing.glyphs)
    return out


def draw_glyphs(out, glyphs):
    """Paints the glyphs, which never overlap, into out."""
    device = out.device
    count, height, width, _ = out.shape
    # One more row takes the pixels without ink.
    flat = torch.cat([out.view(-1, 3), out.new_zeros(1, 3)])
    bits = torch.from_numpy(font.bitmaps()).to(device)
    table = torch.from_numpy(glyphs.astype(np.int64)).to(device)
    ends = np.append(np.flatnonzero(np.diff(glyphs[:, 4])) + 1, len(glyphs))
    start = 0
    for end in ends.tolist():
        scale = int(glyphs[start, 4])
        part = table[start:end]
        start = end
        step = torch.arange(font.CELL * scale, device=device)
        ink = bits[part[:, 1]][:, step // scale][:, :, step // scale].bool()
        rows = part[:, 3, None, None] + step[:, None]
        columns = part[:, 2, None, None] + step
        ink &= (rows < height) & (columns < width)
        at = (part[:, 0, None, None] * height + rows) * width + columns
        at = torch.where(ink, at, len(flat) - 1)
        paint = part[:, None, None, 5:8].to(torch.uint8).expand(*at.shape, 3)
        flat[at.reshape(-1)] = paint.reshape(-1, 3)
    out.copy_(flat[:-1].view_as(out))
