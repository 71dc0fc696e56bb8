#!/usr/bin/env python3
"""Draws examples/scene.png: a red house, a green tree and a yellow sun, for `make demo`.

Python's standard library alone. Run by hand after a change here; the picture is committed.
"""

import os
import struct
import zlib

WIDTH, HEIGHT, FINE = 384, 288, 3  # FINE x FINE samples a pixel


def inside_polygon(x, y, corners):
    """Whether (x, y) lies inside a convex polygon given clockwise on the screen."""
    return all((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
               for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1]))


def box(x0, y0, x1, y1):
    return lambda x, y: x0 <= x < x1 and y0 <= y < y1


def disc(cx, cy, r):
    return lambda x, y: (x - cx) ** 2 + (y - cy) ** 2 < r * r


def triangle(*corners):
    return lambda x, y: inside_polygon(x, y, list(corners))


# Painted in order, later over earlier.
SHAPES = [
    (disc(320, 54, 30), (250, 210, 40)),                            # sun
    (disc(190, 330, 150), (120, 180, 90)),                          # hill
    (box(0, 215, 384, 288), (90, 160, 70)),                         # meadow
    (box(70, 130, 190, 235), (200, 50, 45)),                        # house
    (triangle((130, 70), (205, 132), (55, 132)), (95, 60, 45)),     # roof
    (box(112, 180, 148, 235), (70, 45, 35)),                        # door
    (disc(141, 208, 3), (235, 200, 90)),                            # its knob
    (box(80, 148, 104, 172), (170, 215, 240)),                      # windows
    (box(156, 148, 180, 172), (170, 215, 240)),
    (box(268, 170, 284, 240), (110, 75, 45)),                       # trunk
    (disc(276, 140, 38), (40, 120, 50)),                            # leaves
    (disc(250, 160, 24), (45, 130, 55)),
    (disc(302, 160, 24), (45, 130, 55)),
    (disc(226, 250, 12), (40, 70, 190)),                            # a blue ball
]


def colour_at(x, y):
    sky = y / 215
    colour = (int(110 + 90 * sky), int(170 + 50 * sky), 235)
    for covers, paint in SHAPES:
        if covers(x, y):
            colour = paint
    return colour


def main():
    rows = []
    for y in range(HEIGHT):
        row = bytearray([0])  # each row unfiltered
        for x in range(WIDTH):
            samples = [colour_at(x + (i + 0.5) / FINE, y + (j + 0.5) / FINE)
                       for i in range(FINE) for j in range(FINE)]
            row += bytes(sum(s[c] for s in samples) // len(samples) for c in range(3))
        rows.append(bytes(row))

    def chunk(name, body):
        return (struct.pack(">I", len(body)) + name + body +
                struct.pack(">I", zlib.crc32(name + body)))
    png = (b"\x89PNG\r\n\x1a\n" +
           chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)) +
           chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + chunk(b"IEND", b""))
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(root, "examples", "scene.png"), "wb") as f:
        f.write(png)


if __name__ == "__main__":
    main()
