"""The bitmap font of the demo model's pictures: capital letters, digits and simple Chinese characters.

Latin glyphs are 5 wide and 7 high, Chinese ones 7 by 7; all stand in cells of 8 by 8 bits. scenes.py
places glyphs by name, raster.py draws them from the array that `bitmaps` returns.
"""

import numpy as np

CELL = 8

LATIN = {
    "A": "0E 11 11 1F 11 11 11", "B": "1E 11 11 1E 11 11 1E", "C": "0E 11 10 10 10 11 0E",
    "D": "1E 11 11 11 11 11 1E", "E": "1F 10 10 1E 10 10 1F", "F": "1F 10 10 1E 10 10 10",
    "G": "0E 11 10 17 11 11 0F", "H": "11 11 11 1F 11 11 11", "I": "0E 04 04 04 04 04 0E",
    "J": "07 02 02 02 02 12 0C", "K": "11 12 14 18 14 12 11", "L": "10 10 10 10 10 10 1F",
    "M": "11 1B 15 15 11 11 11", "N": "11 19 15 13 11 11 11", "O": "0E 11 11 11 11 11 0E",
    "P": "1E 11 11 1E 10 10 10", "Q": "0E 11 11 11 15 12 0D", "R": "1E 11 11 1E 14 12 11",
    "S": "0F 10 10 0E 01 01 1E", "T": "1F 04 04 04 04 04 04", "U": "11 11 11 11 11 11 0E",
    "V": "11 11 11 11 11 0A 04", "W": "11 11 11 15 15 1B 11", "X": "11 11 0A 04 0A 11 11",
    "Y": "11 11 0A 04 04 04 04", "Z": "1F 01 02 04 08 10 1F",
    "0": "0E 11 13 15 19 11 0E", "1": "04 0C 04 04 04 04 0E", "2": "0E 11 01 06 08 10 1F",
    "3": "1E 01 01 0E 01 01 1E", "4": "02 06 0A 12 1F 02 02", "5": "1F 10 1E 01 01 11 0E",
    "6": "06 08 10 1E 11 11 0E", "7": "1F 01 02 04 08 08 08", "8": "0E 11 11 0E 11 11 0E",
    "9": "0E 11 11 0F 01 02 0C",
}

# One row of seven bits each, the highest bit leftmost.
CHINESE = {
    "一": "00 00 00 7F 00 00 00", "二": "00 3E 00 00 00 7F 00", "三": "7F 00 00 3E 00 00 7F",
    "十": "08 08 08 7F 08 08 08", "口": "7F 41 41 41 41 41 7F", "日": "3E 22 22 3E 22 22 3E",
    "田": "7F 49 49 7F 49 49 7F", "大": "08 08 7F 08 14 22 41", "人": "08 08 08 14 14 22 41",
    "山": "08 08 49 49 49 49 7F", "上": "08 08 0F 08 08 08 7F", "下": "7F 08 0C 0A 08 08 08",
    "中": "08 7F 49 49 7F 08 08", "王": "7F 08 08 3E 08 08 7F", "土": "08 08 3E 08 08 08 7F",
    "工": "7F 08 08 08 08 08 7F", "木": "08 7F 08 1C 2A 49 08", "小": "08 08 2A 2A 49 08 18",
    "八": "14 14 14 22 22 41 41", "月": "3E 22 3E 22 3E 22 46",
}

NAMES = list(LATIN) + list(CHINESE)
INDEX = {name: index for index, name in enumerate(NAMES)}


def width_of(name):
    """Bits from the left edge of this glyph to the left edge of the next."""
    return 8 if name in CHINESE else 6


def bitmaps():
    """uint8 [glyphs, CELL, CELL], 1 where ink is; glyphs stand at the top left of their cells."""
    out = np.zeros((len(NAMES), CELL, CELL), np.uint8)
    for index, name in enumerate(NAMES):
        wide = 7 if name in CHINESE else 5
        rows = (CHINESE if name in CHINESE else LATIN)[name].split()
        for y, row in enumerate(rows):
            for x in range(wide):
                out[index, y, x] = int(row, 16) >> (wide - 1 - x) & 1
    return out
