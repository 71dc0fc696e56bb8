"""Builds the demo model's tokenizer.json: a byte-level BPE shaped as Qwen's own, small.

Each English word of the questions, with and without its leading space, each Chinese piece of
words.CHINESE_UNITS and each Chinese character of the font becomes one token; digits stand alone, and capital
letters never merge with one another, so that drawn text is spelt. export.py and train.py call `build`.
"""

import collections
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import font
import scenes
import words
from make_small_tokenizer import ADDED, SPECIAL, SPLIT, byte_letters


def english_units():
    """The words of many questions and answers in English, without drawn text and numbers."""
    rng = random.Random(1)
    w = words.LANGUAGES["en"]
    found = collections.Counter()
    for _ in range(1500):
        for scene in (scenes.make_picture(rng, w, 256, 320), scenes.make_clip(rng, w, 128, 128, 4),
                      scenes.make_pair(rng, w, (192, 192), (192, 192)), scenes.make_talk(rng, w)):
            for question in scene.questions + scene.last:
                for text in (question.text, question.answer):
                    found.update(re.findall(r" ?[A-Za-z]*[a-z]+", text))
    for text in ("user", "assistant", "system", " seconds", "seconds"):
        found[text] += 1
    letters = [word for word in found if len(word.strip()) > 1 or word in (" a",)]
    return sorted(letters)


def learn_merges(units):
    """Pairs to merge, in order, until every unit is one token."""
    letters = byte_letters()
    pieces = {tuple(letters[b] for b in unit.encode()) for unit in units}
    pieces = sorted(pieces)
    merges = []
    while True:
        pairs = collections.Counter(pair for piece in pieces for pair in zip(piece, piece[1:]))
        if not pairs:
            return merges
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(list(best))
        after = []
        for piece in pieces:
            out, i = [], 0
            while i < len(piece):
                joined = piece[i:i + 2] == best
                out.append("".join(best) if joined else piece[i])
                i += 2 if joined else 1
            after.append(tuple(out))
        pieces = after


def build():
    """The object that tokenizer.json holds."""
    fixed = ['{"', '": [', '], "', '": "', '"}', "bbox", "label", ", ", ": ", " +", " -", " *", "？", "，",
             "。", "！", "：", ":"]
    merges = learn_merges(english_units() + words.CHINESE_UNITS + list(font.CHINESE) + fixed)
    tokens = sorted(byte_letters().values()) + ["".join(m) for m in merges]
    tokens = list(dict.fromkeys(tokens))
    base = len(tokens)
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
                  "use_regex": False}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": base + i, "content": content, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": i < SPECIAL}
                         for i, content in enumerate(ADDED)],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False},
            byte_level]},
        "post_processor": byte_level, "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                  "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False,
                  "vocab": {t: i for i, t in enumerate(tokens)}, "merges": merges},
    }
