"""The order of file names in which a person would put them: runs of digits compare as numbers.

    sorted(folder.iterdir(), key=natural_key)

The same order as src/base/natural_order.h, name for name, so that tools and program see the frames of a clip in
one order: change both together.
"""
import os
import re

_PIECE = re.compile(rb"[0-9]+|[^0-9]")


def natural_key(path):
    """A key for sort() and sorted(), of the last part of a path."""
    name = os.fsencode(os.path.basename(os.fspath(path)))
    pieces = []
    for piece in _PIECE.findall(name):
        digits = piece.lstrip(b"0") if piece.isdigit() else b""
        pieces.append((ord("0"), len(digits), digits) if piece.isdigit() else (piece[0], 0, b""))
    return pieces, len(name), name
