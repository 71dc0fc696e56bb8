#!/usr/bin/env python3
"""Writes the BMP files of tests/media and bmp_reference.json, what Pillow makes of them; some of the files also go to
tests/fuzz/corpus/image.

    python3 tools/export_bmp_reference.py tests/media

Needs numpy and Pillow 13. The files are written here byte by byte, since Pillow writes few of the kinds that it reads.
"""
import json
import pathlib
import struct
import sys

import numpy as np

from media_pictures import draw, expectation

FOLDER = pathlib.Path(sys.argv[1])
CORPUS = """bmp8_rle.bmp bmp4_rle.bmp bmp1.bmp bmp16_565.bmp bmp24_down.bmp bmp32_bgra.bmp bmp8_os2.bmp
bmp4_short.bmp""".split()


def bmp(width, height, bits, pixels, *, palette=b"", colors=0, compression=0, header=40, masks=(), offset=None):
    """A BMP; `masks` stand behind a header of 40 bytes, within a longer one. A negative height: from the top down."""
    if header == 12:
        head = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        head = struct.pack("<IIiHHIIiiII", header, width, height, 1, bits, compression, len(pixels), 2835, 2835,
                           colors, 0)
    head += struct.pack(f"<{len(masks)}I", *masks)
    head = head.ljust(header, b"\0")
    start = 14 + len(head) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0,
                               start if offset is None else offset) + head + palette + pixels


def rows(lines):
    """Rows of bytes, the last of the picture first, each filled up to four bytes."""
    return b"".join(bytes(line) + b"\0" * (-len(line) % 4) for line in lines[::-1])


def packed(indices, bits):
    text = ["".join(format(int(v), f"0{bits}b") for v in row) for row in indices]
    return rows([bytes(int((line + "0" * 8)[i:i + 8], 2) for i in range(0, len(line), 8)) for line in text])


def colors_of(seed, number, size=4):
    rgb = draw(number, 1, seed)[:, 0, ::-1]
    return b"".join(bytes(color) + b"\x7f" * (size - 3) for color in rgb)


def greys(number):
    return b"".join(bytes([i, i, i, 0]) for i in range(number))


def runs_8(indices, out=b""):
    """Every kind of code of RLE8: runs, single pixels (padded to two bytes), ends of rows, steps."""
    for y, row in enumerate(indices[::-1]):
        x, width = 0, len(row)
        while x < width:
            same = x
            while same < width and row[same] == row[x] and same - x < 255:
                same += 1
            if row[x] == 0 and same - x > 1 and same < width:
                out += bytes([0, 2, same - x, 0])
            elif same - x > 1 or width - x < 3:
                out += bytes([same - x, row[x]])
            else:
                same = min(width, x + 3 + y % 4)
                out += bytes([0, same - x]) + bytes(row[x:same])
                out += b"\0" * (len(out) % 2)
            x = same
        out += b"\0\0"
    return out + b"\0\1"


def runs_4(indices):
    out = b""
    for y, row in enumerate(indices[::-1]):
        x, width = 0, len(row)
        while x < width:
            number = min(width - x, 2 + (x + y) % 6)
            part = [int(v) for v in row[x:x + number]]
            pattern = [part[i % 2] for i in range(number)]
            if part == pattern or number < 3:
                second = part[1] if number > 1 else 0
                out += bytes([number, part[0] << 4 | second])
            else:
                part += [0] * (number % 2)
                body = bytes(part[i] << 4 | part[i + 1] for i in range(0, len(part), 2))
                out += bytes([0, number]) + body + b"\0" * (len(body) % 2)
            x += number
        out += b"\0\0"
    return out + b"\0\1"


def files():
    rgb = draw(29, 37, 150)
    grey = rgb[:, :, 0]
    bgr = rgb[:, :, ::-1]
    for bits in (1, 4, 8):
        indices = grey >> (8 - bits)
        yield f"bmp{bits}.bmp", bmp(37, 29, bits, packed(indices, bits), palette=colors_of(151, 1 << bits))
        yield f"bmp{bits}_os2.bmp", bmp(37, 29, bits, packed(indices, bits), header=12,
                                        palette=colors_of(152, 1 << bits, 3))
    yield "bmp1_plain.bmp", bmp(37, 29, 1, packed(grey >> 7, 1), palette=greys(1) + b"\xff\xff\xff\0", colors=2)
    yield "bmp1_reversed.bmp", bmp(37, 29, 1, packed(grey >> 7, 1), palette=b"\xff\xff\xff\0" + greys(1))
    yield "bmp1_black.bmp", bmp(37, 29, 1, packed(grey >> 7, 1), palette=greys(1), colors=1)
    yield "bmp1_red.bmp", bmp(37, 29, 1, packed(grey >> 7, 1), palette=b"\0\0\xff\0", colors=1)
    yield "bmp4_short.bmp", bmp(37, 29, 4, packed(grey >> 4, 4), palette=colors_of(153, 5), colors=5)
    yield "bmp8_grey.bmp", bmp(37, 29, 8, packed(grey, 8), palette=greys(256))
    yield "bmp8_short_grey.bmp", bmp(37, 29, 8, packed(grey, 8), palette=greys(99), colors=99)
    yield "bmp8_short.bmp", bmp(37, 29, 8, packed(grey, 8), palette=colors_of(154, 99), colors=99)
    yield "bmp8_at_header.bmp", bmp(37, 29, 8, packed(grey, 8), palette=colors_of(155, 256), offset=54)
    yield "bmp8_nowhere.bmp", bmp(37, 29, 8, packed(grey, 8), palette=colors_of(155, 256), offset=0)
    yield "bmp8_gap.bmp", bmp(37, 29, 8, b"gap" + packed(grey, 8), palette=colors_of(155, 256), offset=1081)
    few = np.where(grey > 170, 0, grey >> 6)  # with runs of zeros
    flat = np.repeat(few[:, ::5], 5, axis=1)[:, :37]
    yield "bmp8_rle.bmp", bmp(37, 29, 8, runs_8(flat), palette=colors_of(156, 256), compression=1)
    yield "bmp8_rle_noise.bmp", bmp(37, 29, 8, runs_8(grey), palette=colors_of(156, 256), compression=1)
    yield "bmp8_rle_down.bmp", bmp(37, -29, 8, runs_8(flat), palette=colors_of(156, 256), compression=1)
    # Single pixels are padded to an even place in the file, not in the pixels.
    yield "bmp8_rle_odd.bmp", bmp(37, 29, 8, runs_8(grey, b"\0"), palette=colors_of(156, 256), compression=1,
                                  offset=1079)
    yield "bmp8_rle_plain.bmp", bmp(37, 29, 8, runs_8(flat & 1), palette=greys(1) + b"\xff\xff\xff\0", colors=2,
                                    compression=1)
    yield "bmp4_rle.bmp", bmp(37, 29, 4, runs_4(grey >> 4), palette=colors_of(157, 16), compression=2)
    yield "bmp4_rle_short.bmp", bmp(37, 29, 4, runs_4(flat), palette=colors_of(157, 3), colors=3, compression=2)

    red, green, blue = (rgb[:, :, c].astype(np.uint32) for c in range(3))
    low = (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3
    high = (red >> 3) << 11 | (green >> 2) << 5 | blue >> 3
    words = lambda values: rows([line.astype("<u2").tobytes() for line in values])
    yield "bmp16.bmp", bmp(37, 29, 16, words(low))
    yield "bmp16_555.bmp", bmp(37, 29, 16, words(low), compression=3, masks=(0x7C00, 0x3E0, 0x1F))
    yield "bmp16_565.bmp", bmp(37, 29, 16, words(high), compression=3, masks=(0xF800, 0x7E0, 0x1F))
    yield "bmp16_565_v5.bmp", bmp(37, 29, 16, words(high), compression=3, masks=(0xF800, 0x7E0, 0x1F), header=124)
    lines = [line.tobytes() for line in bgr]
    yield "bmp24.bmp", bmp(37, 29, 24, rows(lines))
    yield "bmp24_down.bmp", bmp(37, -29, 24, rows(lines[::-1]))
    yield "bmp24_os2.bmp", bmp(37, 29, 24, rows(lines), header=12)
    yield "bmp24_os22.bmp", bmp(37, 29, 24, rows(lines), header=64)
    yield "bmp24_v4.bmp", bmp(37, 29, 24, rows(lines), header=108)
    yield "bmp24_masks.bmp", bmp(37, 29, 24, rows(lines), compression=3, masks=(0xFF0000, 0xFF00, 0xFF))
    yield "bmp24_unpadded.bmp", bmp(37, 29, 24, rows(lines)[:-1])
    yield "bmp24_one.bmp", bmp(1, 1, 24, b"\1\2\3\0")
    yield "bmp24_hints.bmp", bmp(37, 29, 24, rows(lines), palette=colors_of(158, 7), colors=7)
    alpha = draw(29, 37, 159)[:, :, :1]
    four = lambda *parts: rows([line.tobytes() for line in np.concatenate(parts, axis=2)])
    b, g, r = (bgr[:, :, c:c + 1] for c in range(3))
    yield "bmp32.bmp", bmp(37, 29, 32, four(b, g, r, alpha))
    yield "bmp32_v5.bmp", bmp(37, 29, 32, four(b, g, r, alpha), header=124)
    masks = {"bgrx": (b, g, r, alpha, (0xFF0000, 0xFF00, 0xFF, 0)),
             "xbgr": (alpha, b, g, r, (0xFF000000, 0xFF0000, 0xFF00, 0)),
             "bgxr": (b, g, alpha, r, (0xFF000000, 0xFF00, 0xFF, 0)),
             "abgr": (alpha, b, g, r, (0xFF000000, 0xFF0000, 0xFF00, 0xFF)),
             "rgba": (r, g, b, alpha, (0xFF, 0xFF00, 0xFF0000, 0xFF000000)),
             "bgra": (b, g, r, alpha, (0xFF0000, 0xFF00, 0xFF, 0xFF000000)),
             "bgar": (b, g, alpha, r, (0xFF000000, 0xFF00, 0xFF, 0xFF0000)),
             "zero": (b, g, r, alpha, (0, 0, 0, 0))}
    for name, (*parts, mask) in masks.items():
        yield f"bmp32_{name}.bmp", bmp(37, 29, 32, four(*parts), compression=3, masks=mask, header=108)
    yield "bmp32_v3.bmp", bmp(37, 29, 32, four(b, g, r, alpha), compression=3, masks=masks["bgra"][-1], header=56)
    yield "bmp32_v2.bmp", bmp(37, 29, 32, four(b, g, r, alpha), compression=3, masks=masks["bgrx"][-1][:3],
                              header=52)
    yield "bmp32_behind.bmp", bmp(37, 29, 32, four(b, g, r, alpha), compression=3, masks=masks["bgra"][-1][:3])


def main():
    corpus = FOLDER.parent / "fuzz/corpus/image"
    pictures = []
    for name, body in files():
        (FOLDER / name).write_bytes(body)
        pictures.append(expectation(name, body))
        if name in CORPUS:
            (corpus / name).write_bytes(body)
    text = ",\n".join("  " + json.dumps(row) for row in pictures)
    (FOLDER / "bmp_reference.json").write_text(f'{{\n "pictures": [\n{text}\n ]\n}}\n')


if __name__ == "__main__":
    main()
