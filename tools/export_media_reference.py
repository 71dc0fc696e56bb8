#!/usr/bin/env python3
"""Writes tests/media: small pictures of every kind, and what Pillow and torchvision make of them;
some of the pictures also go to tests/fuzz/corpus/image.

    python3 tools/export_media_reference.py tests/media

Needs numpy, torch, torchvision and Pillow 12 (Pillow 13 runs the passes of a resize in another
order). The tests read reference.json: a CRC-32 of the RGB bytes that must come out. Source pictures
are drawn by a formula that src/media/test_pictures.h repeats, so resizes need no files. BMP files are
tools/export_bmp_reference.py's.
"""
import io
import json
import pathlib
import struct
import sys
import zlib

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as TF

from media_pictures import crc, draw, expectation

FOLDER = pathlib.Path(sys.argv[1])
CORPUS = """rgb420.jpg gray.jpg progressive.jpg restarts.jpg cmyk.jpg exif6.jpg rgba.png palette4.png
gray16.png interlaced_palette.png exif6.png text.png animated.png lossy.webp lossless_alpha.webp
exif6.webp animated_alpha.webp plain.gif interlaced.gif transparent.gif animated.gif""".split()


# ---- resizes ------------------------------------------------------------------------------------

SIZES = [  # height, width -> height, width
    (50, 70, 32, 64), (33, 47, 64, 96), (300, 200, 96, 64), (1, 40, 32, 1024), (40, 1, 1024, 32),
    (1, 1, 32, 32), (2, 3, 64, 96), (5, 1, 64, 32), (1, 200, 32, 3648), (37, 101, 37, 64),
    (37, 101, 64, 101), (511, 513, 32, 32), (100, 150, 128, 160), (480, 640, 480, 608),
    (480, 640, 448, 640), (481, 641, 480, 640), (255, 255, 256, 256), (224, 224, 256, 256),
    (108, 192, 128, 192), (999, 31, 32, 32), (31, 999, 32, 32), (64, 64, 65, 63), (97, 89, 96, 96),
    (200, 300, 192, 288), (720, 405, 352, 192), (17, 1000, 32, 992), (3, 3, 1, 1), (90, 60, 7, 5),
    (128, 96, 1, 96), (4, 5, 480, 544), (600, 400, 599, 401), (6, 900, 6, 32), (7, 4, 3, 9),
    (64, 48, 64, 48),
]


def resizes():
    out = []
    for seed, (h0, w0, h1, w1) in enumerate(SIZES):
        picture = draw(h0, w0, seed)
        by_torch = TF.resize(torch.from_numpy(picture).permute(2, 0, 1), [h1, w1],
                             interpolation=InterpolationMode.BICUBIC, antialias=True)
        by_pillow = Image.fromarray(picture).resize((w1, h1), Image.BICUBIC)
        out.append({"seed": seed, "in": [h0, w0], "out": [h1, w1], "source": crc(picture),
                    "torch": crc(by_torch.permute(1, 2, 0).numpy()),
                    "pillow": crc(np.asarray(by_pillow))})
    return out


# ---- pictures -----------------------------------------------------------------------------------

def png_chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(
        ">I", zlib.crc32(name + body))


def png(samples, depth, color_type, before=(), after=(), interlaced=False, split=None):
    """A PNG of samples [height, width, channels], since Pillow cannot write every kind."""
    height, width, channels = samples.shape

    def rows(part):
        out = b""
        for row in part:
            if depth == 16:
                line = row.astype(">u2").tobytes()
            elif depth == 8:
                line = row.astype(np.uint8).tobytes()
            else:
                bits = "".join(format(int(v), f"0{depth}b") for v in row.ravel())
                bits += "0" * (-len(bits) % 8)
                line = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
            out += b"\0" + line
        return out

    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2),
                  (0, 1, 2, 2), (1, 0, 2, 1)]
        raw = b"".join(rows(samples[y::dy, x::dx]) for y, x, dy, dx in passes
                       if samples[y::dy, x::dx].size)
    else:
        raw = rows(samples)
    body = zlib.compress(raw, 9)
    step = split or len(body)
    out = b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(
        ">IIBBBBB", width, height, depth, color_type, 0, 0, int(interlaced)))
    for name, content in before:
        out += png_chunk(name, content)
    for at in range(0, len(body), step):
        out += png_chunk(b"IDAT", body[at:at + step])
    for name, content in after:
        out += png_chunk(name, content)
    return out + png_chunk(b"IEND", b"")


def exif_block(orientation, big_endian=False):
    e = ">" if big_endian else "<"
    head = (b"MM" if big_endian else b"II") + struct.pack(e + "HI", 42, 8)
    other = struct.pack(e + "HHIHH", 0x0100, 3, 1, 40, 0)
    entry = struct.pack(e + "HHIHH", 0x0112, 3, 1, orientation, 0)
    return head + struct.pack(e + "H", 2) + other + entry + struct.pack(e + "I", 0)


def saved(image, **options):
    out = io.BytesIO()
    image.save(out, **options)
    return out.getvalue()


def jpeg_files():
    rgb = Image.fromarray(draw(47, 61, 100))
    cmyk = Image.fromarray(np.concatenate([draw(31, 42, 101), draw(31, 42, 102)[:, :, :1]], axis=2),
                           mode="CMYK")
    yield "rgb420.jpg", saved(rgb, format="JPEG", quality=90, subsampling=2)
    yield "rgb422.jpg", saved(rgb, format="JPEG", quality=85, subsampling=1)
    yield "rgb444.jpg", saved(rgb, format="JPEG", quality=75, subsampling=0)
    yield "gray.jpg", saved(rgb.convert("L"), format="JPEG", quality=90)
    yield "progressive.jpg", saved(rgb, format="JPEG", quality=90, progressive=True)
    yield "progressive_gray.jpg", saved(rgb.convert("L"), format="JPEG", progressive=True)
    yield "restarts.jpg", saved(rgb, format="JPEG", quality=90, restart_marker_blocks=3)
    yield "direct_rgb.jpg", saved(rgb, format="JPEG", quality=90, keep_rgb=True)
    whole = saved(cmyk, format="JPEG", quality=90)
    yield "cmyk.jpg", whole
    at = whole.index(b"Adobe")
    yield "ycck.jpg", whole[:at + 11] + b"\x02" + whole[at + 12:]
    yield "cmyk_plain.jpg", whole[:at - 4] + whole[at + 12:]
    yield "one_pixel.jpg", saved(Image.fromarray(draw(1, 1, 3)), format="JPEG")
    yield "one_row.jpg", saved(Image.fromarray(draw(1, 40, 3)), format="JPEG")
    yield "trailing.jpg", saved(rgb, format="JPEG", quality=50) + b"bytes after the end"
    for orientation in range(1, 9):
        small = Image.fromarray(draw(21, 34, 110))
        block = b"Exif\0\0" + exif_block(orientation, big_endian=orientation % 2 == 0)
        yield f"exif{orientation}.jpg", saved(small, format="JPEG", quality=80, exif=block)


def png_files():
    rgb, more = draw(29, 37, 120), draw(29, 37, 121)
    rgba = np.concatenate([rgb, more[:, :, :1]], axis=2)
    la = rgba[:, :, 2:]
    gray = rgb[:, :, :1]
    deep = rgba.astype(np.uint32) * 256 + np.concatenate([more, more[:, :, :1]], axis=2)
    palette = draw(1, 16, 122).tobytes()
    alphas = bytes(range(0, 256, 23))
    yield "rgb.png", png(rgb, 8, 2)
    yield "rgba.png", png(rgba, 8, 6)
    yield "gray_alpha.png", png(la, 8, 4)
    for depth in (1, 2, 4, 8):
        yield f"gray{depth}.png", png(gray >> (8 - depth), depth, 0)
    yield "gray4_trns.png", png(gray >> 4, 4, 0, [(b"tRNS", struct.pack(">H", 15))])
    yield "gray8_trns.png", png(gray, 8, 0, [(b"tRNS", struct.pack(">H", 255))])
    yield "rgb_trns.png", png(rgb, 8, 2, [(b"tRNS", struct.pack(">HHH", *map(int, rgb[5, 6])))])
    for depth in (1, 2, 4, 8):
        index = (gray >> 4) & ((1 << min(depth, 4)) - 1)
        yield f"palette{depth}.png", png(index, depth, 3, [(b"PLTE", palette[:3 << min(depth, 4)])])
    yield "palette_trns.png", png(gray >> 4, 8, 3, [(b"PLTE", palette), (b"tRNS", alphas)])
    yield "gray16.png", png(deep[:, :, :1], 16, 0)
    yield "rgb16.png", png(deep[:, :, :3], 16, 2)
    yield "gray_alpha16.png", png(deep[:, :, 2:], 16, 4)
    yield "rgba16.png", png(deep, 16, 6)
    yield "interlaced_rgb.png", png(rgb, 8, 2, interlaced=True)
    yield "interlaced_rgba.png", png(rgba, 8, 6, interlaced=True)
    yield "interlaced_palette.png", png(gray >> 4, 4, 3, [(b"PLTE", palette)], interlaced=True)
    yield "interlaced_tiny.png", png(rgb[:2, :3], 8, 2, interlaced=True)
    yield "one_pixel.png", png(rgb[:1, :1], 8, 2)
    yield "many_idat.png", png(rgb, 8, 2, split=100)
    yield "exif6.png", png(rgb, 8, 2, [(b"eXIf", exif_block(6))])
    yield "exif8_behind.png", png(rgba, 8, 6, after=[(b"eXIf", exif_block(8, True))])
    yield "text.png", png(rgb, 8, 2, [(b"gAMA", struct.pack(">I", 100000)),
                                      (b"tEXt", b"Title\0nothing"),
                                      (b"zTXt", b"Note\0\0" + zlib.compress(b"n" * 5000))])
    one = rgb[:1, :1]
    (FOLDER / "bomb.png").write_bytes(  # 40 MB of text in 40 kB
        png(one, 8, 2, [(b"zTXt", b"Note\0\0" + zlib.compress(bytes(40_000_000), 9))]))
    frames = [Image.fromarray(draw(20, 26, s)) for s in (123, 124, 125)]
    yield "animated.png", saved(frames[0], format="PNG", save_all=True, append_images=frames[1:])


def webp_files():
    rgb = Image.fromarray(draw(45, 58, 130))
    rgba = Image.fromarray(np.concatenate([draw(45, 58, 130), draw(45, 58, 131)[:, :, :1]], axis=2))
    yield "lossy.webp", saved(rgb, format="WEBP", quality=80)
    yield "lossless.webp", saved(rgb, format="WEBP", lossless=True)
    yield "lossy_alpha.webp", saved(rgba, format="WEBP", quality=80)
    yield "lossless_alpha.webp", saved(rgba, format="WEBP", lossless=True, exact=True)
    yield "one_pixel.webp", saved(Image.fromarray(draw(1, 1, 5)), format="WEBP", quality=80)
    yield "exif6.webp", saved(rgb, format="WEBP", quality=70, exif=b"Exif\0\0" + exif_block(6))
    frames = [Image.fromarray(draw(24, 30, s)) for s in (132, 133)]
    yield "animated.webp", saved(frames[0], format="WEBP", quality=80, save_all=True,
                                 append_images=frames[1:])
    clear = [Image.fromarray(np.concatenate([draw(24, 30, s), draw(24, 30, s + 9)[:, :, :1]], 2))
             for s in (132, 133)]
    whole = saved(clear[0], format="WEBP", lossless=True, exact=True, save_all=True,
                  append_images=clear[1:])
    yield "animated_alpha.webp", whole
    at = whole.index(b"VP8X") + 12  # a canvas larger than the frames, and the first frame moved
    wide = whole[:at] + struct.pack("<I", 35)[:3] + struct.pack("<I", 27)[:3] + whole[at + 6:]
    at = wide.index(b"ANMF") + 8
    yield "animated_offset.webp", wide[:at] + b"\2\0\0\1\0\0" + wide[at + 6:]


def gif_files():
    rgb = Image.fromarray(draw(33, 41, 140))
    few = rgb.quantize(32)
    yield "plain.gif", saved(few, format="GIF", interlace=False)
    yield "interlaced.gif", saved(few, format="GIF", interlace=True)
    yield "transparent.gif", saved(few, format="GIF", transparency=int(np.asarray(few)[3, 4]))
    yield "gray.gif", saved(rgb.convert("L"), format="GIF")
    yield "two_colors.gif", saved(rgb.convert("1"), format="GIF")
    yield "one_pixel.gif", saved(rgb.crop((0, 0, 1, 1)).quantize(2), format="GIF")
    frames = [Image.fromarray(draw(22, 27, s)).quantize(16) for s in (141, 142, 143)]
    yield "animated.gif", saved(frames[0], format="GIF", save_all=True, append_images=frames[1:],
                                duration=50)
    # A frame smaller than its canvas. Pillow paints the rest in color 0; browsers leave it clear,
    # and so do we.
    plain = saved(few, format="GIF", interlace=False)
    moved = bytearray(plain[:6] + struct.pack("<HH", 50, 40) + plain[10:])
    at = 13 + (3 << ((plain[10] & 7) + 1))
    while moved[at] == 0x21:
        at += 2
        while moved[at]:
            at += 1 + moved[at]
        at += 1
    moved[at + 1:at + 5] = struct.pack("<HH", 6, 5)
    inside = np.asarray(few.convert("RGB"))
    on_white, dropped = np.full((40, 50, 3), 255, np.uint8), np.zeros((40, 50, 3), np.uint8)
    on_white[5:38, 6:47] = dropped[5:38, 6:47] = inside
    yield "offset.gif", bytes(moved), on_white, dropped


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    corpus = FOLDER.parent / "fuzz/corpus/image"
    corpus.mkdir(parents=True, exist_ok=True)
    pictures = []
    for files in (jpeg_files, png_files, webp_files, gif_files):
        for name, body, *pixels in files():
            (FOLDER / name).write_bytes(body)
            pictures.append(expectation(name, body, *pixels))
            if name in CORPUS:
                (corpus / name).write_bytes(body)
    reference = {"resizes": resizes(), "pictures": pictures}
    lines = ["{"]
    for key, rows in reference.items():
        lines.append(f' "{key}": [')
        lines += [f"  {json.dumps(row)}{',' if row is not rows[-1] else ''}" for row in rows]
        lines.append(" ]," if key == "resizes" else " ]")
    (FOLDER / "reference.json").write_text("\n".join(lines + ["}"]) + "\n")


if __name__ == "__main__":
    main()
