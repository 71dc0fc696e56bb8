#!/usr/bin/env python3
"""Writes examples/synth/tokenizer.json: a byte-level BPE of 512 ids, shaped as Qwen's own.

`saker synth` copies it beside the random weights that it draws. The merges are learned from the few
sentences below, so that it needs nothing from elsewhere; Python's standard library alone. Run by hand
after a change here; the file is committed.
"""

import collections
import json
import os
import re

VOCABULARY = 512
ADDED = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
         "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>",
         "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>", "<tool_call>",
         "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>",
         "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
# From <tool_call> on, Qwen marks the added tokens as not special.
SPECIAL = ADDED.index("<tool_call>")
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
         r"|\s*[\r\n]+|\s+(?!\S)|\s+")
TEXT = """system user assistant
You are a helpful assistant. What is in the picture? Describe this image. What do you see?
The picture shows a red house with a brown roof, a green tree, a yellow sun and a blue ball.
There is a house on the left and a tree on the right. The sun is in the sky above the tree.
How many windows does the house have? The house has two windows and one door.
What colour is the ball? The ball is blue. What colour is the roof? The roof is brown.
What is the time in the video? What happens in the video? A ball moves from the left to the right.
The small circle is above the large square. The black triangle is below the white circle.
Where is the dog? There is no dog in the picture. Is it day or night? It is day; the sun is shining.
Read the text in the image. The sign says "open". What number is shown? The number is forty-two.
Yes, there are three people in the photograph. No, I cannot see that from this picture.
"""


def byte_letters():
    """Byte -> the printable letter that stands for it in byte-level vocabularies."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {b: chr(b) for b in printable}
    for b in range(256):
        if b not in letters:
            letters[b] = chr(256 + len(letters) - len(printable))
    return letters


def learn_merges(text, count):
    letters = byte_letters()
    # The same pieces as SPLIT makes of this text, in the words of Python's own expressions.
    pieces = re.findall(r"[^\r\n\w]?[^\W\d_]+|\d| ?[^\s\w]+[\r\n]*|\s*[\r\n]+|\s+", text)
    words = collections.Counter(tuple(letters[b] for b in p.encode()) for p in pieces)
    merges = []
    while len(merges) < count:
        pairs = collections.Counter()
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(list(best))
        merged = collections.Counter()
        for word, times in words.items():
            out, i = [], 0
            while i < len(word):
                joined = word[i:i + 2] == best
                out.append("".join(best) if joined else word[i])
                i += 2 if joined else 1
            merged[tuple(out)] += times
        words = merged
    return merges


def main():
    base = VOCABULARY - len(ADDED)
    merges = learn_merges(TEXT, base - 256)
    tokens = sorted(byte_letters().values()) + ["".join(m) for m in merges]
    assert len(set(tokens)) == base
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
                  "use_regex": False}
    tokenizer = {
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
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(root, "examples", "synth", "tokenizer.json"), "w", encoding="utf-8") as f:
        json.dump(tokenizer, f, ensure_ascii=False, indent=0)
        f.write("\n")
    for content in ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>",
                    "<|im_end|>", "<|endoftext|>"):
        print(content, base + ADDED.index(content))  # what config.json beside it must say


if __name__ == "__main__":
    main()
