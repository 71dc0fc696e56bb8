#!/usr/bin/env python3
"""Writes tests/text/variants.json: what Hugging Face makes of tokenizer files that say the same in other ways, or more.

    python3 tools/make_tokenizer_variants.py

needs the packages `tokenizers` and `transformers`; Saker itself never runs Python. Each variant is a change to
examples/synth/tokenizer.json (a JSON merge patch, and added tokens that are appended), or files beside it, which
`transformers` reads. The file holds the texts, and for each variant the ids of every text, what they decode to, and
what they decode to without special tokens.
"""
import copy
import json
import os
import pathlib
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import tokenizers
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
TEXTS = [
    "", " ", "The picture shows a red house.", "  two  blanks \n and\tmore ", "don't WE'LL it'\u017f", "1234567 12,345.67",
    "caf\xe9 cafe\u0301 \u212b \uac00 \u1100\u1161 \u0344", "\u1e9b\u0323 a\u0323\u0302 a\u0302\u0323", "\u4f60\u597d\uff0c\u4e16\u754c\uff01 \u3000x",
    "\u0661\u0662 \u2167 \xbd\xb2", "\U0001f642\U0001f469\u200d\U0001f680 \ud55c\uae00", "a\n\n\nb\r\n\r\n", "x=y+z; // (c)\r\n\tfoo_bar",
    "<|im_start|>user\nhi<|im_end|>\n", "<think>a</think> <tool_call>{}</tool_call>", "The<|im_end|>The", " <|im_end|> The",
    "a <|l|> b", "a \n\t<|l|>\n<|l|> b", "a <|r|> \u3000 b", "<|r|>  <|l|>  <|r|>", "<|b|> <|b|>  x", " \xa0<|b|>\u2028y<|l|>",
    "<|r|>  <|blank|> x", "word words a word. word_ \u200dword word\u0301", "wor wording wor-word", "<|n\xe9|> <|ne\u0301|>x",
    "\u0120red \u0120redder", "<se\u0301> <s\xe9>", "<se\u0301c> <s\xe9c>",
    "redhouse red house redder", "system assistant user ball", "aword<|im_end|>word", "\ufeff\x00\x1f", "'''s ''",
]
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
WITH_PREFIX = dict(BYTES, add_prefix_space=True)
WITH_REGEX = dict(BYTES, use_regex=True)
ALONE = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {}}


def split(pattern, kind="Regex", invert=False):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": "Isolated", "invert": invert}


def sequence(key, *steps):
    return {"type": "Sequence", key: list(steps)}


def pieces(*steps):
    return {"pre_tokenizer": sequence("pretokenizers", *steps)}


def token(content, special=True, **flags):
    return dict({"content": content, "single_word": False, "lstrip": False, "rstrip": False,
                 "normalized": not special, "special": special}, **flags)


STRIPPING = [token("<|l|>", lstrip=True), token("<|r|>", rstrip=True), token("<|b|>", lstrip=True, rstrip=True),
             token(" <|blank|>"), token("word", special=False, single_word=True),
             token("wor", special=False, single_word=True, lstrip=True), token("<|ne\u0301|>", special=False),
             token("\u0120red", special=False), token("<s\xe9>", normalized=True), token("<se\u0301c>", normalized=True)]


def variants(base):
    """(name, change, added tokens, files beside)"""
    merges = base["model"]["merges"]
    yield "as it is", {}, [], {}
    yield "tokens that strip, and whole words", {}, STRIPPING, {}
    yield "the same before the normal form", {}, [dict(t, normalized=False) for t in STRIPPING], {}
    yield "the same after it", {}, [dict(t, normalized=True) for t in STRIPPING], {}
    yield "the same without a normal form", {"normalizer": None}, STRIPPING, {}
    yield "the same in NFD", {"normalizer": {"type": "NFD"}}, STRIPPING, {}
    yield "no normalizer", {"normalizer": None}, [], {}
    yield "a sequence of NFC", {"normalizer": sequence("normalizers", {"type": "NFC"})}, [], {}
    yield "an empty sequence", {"normalizer": sequence("normalizers")}, [], {}
    yield "NFD", {"normalizer": {"type": "NFD"}}, [], {}
    yield "NFC, then NFD", {"normalizer": sequence("normalizers", {"type": "NFC"}, {"type": "NFD"})}, [], {}
    yield "NFD, then NFC, nested", {"normalizer": sequence(
        "normalizers", {"type": "NFD"}, sequence("normalizers", {"type": "NFC"}))}, [], {}
    yield "ByteLevel alone", {"pre_tokenizer": BYTES}, [], {}
    yield "ByteLevel with its pattern", {"pre_tokenizer": WITH_REGEX}, STRIPPING, {}
    yield "ByteLevel with its pattern and a blank", {"pre_tokenizer": dict(WITH_REGEX, add_prefix_space=True)}, STRIPPING, {}
    yield "a blank before each piece", pieces(split(QWEN), WITH_PREFIX), [], {}
    yield "a split, then the pattern of ByteLevel", pieces(split(QWEN), WITH_REGEX), [], {}
    yield "a split, a blank and the pattern", pieces(split("[a-m]+"), dict(WITH_REGEX, add_prefix_space=True)), [], {}
    yield "each digit", pieces({"type": "Digits", "individual_digits": True}, BYTES), [], {}
    yield "digits, then a split", pieces({"type": "Digits", "individual_digits": False}, split(QWEN), BYTES), [], {}
    yield "three splits", pieces(split(r"\p{N}{1,3}"), split("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"), split(
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"), BYTES), [], {}
    yield "a split by a string", pieces(split("e.", "String"), split(" ", "String"), BYTES), [], {}
    yield "an inverted split", pieces(split(QWEN, invert=True), BYTES), [], {}
    yield "nested sequences", pieces(sequence("pretokenizers", split(QWEN)), sequence("pretokenizers", BYTES)), [], {}
    yield "merges as strings", {"model": {"merges": [" ".join(m) for m in merges]}}, [], {}
    yield "merges as strings, with a version", {"model": {"merges": ["#version: 0.2"] + [" ".join(m) for m in merges]}}, [], {}
    yield "merges ignored", {"model": {"ignore_merges": True}, "pre_tokenizer": WITH_REGEX}, STRIPPING, {}
    yield "half of the merges, ignored", {"model": {"ignore_merges": True, "merges": merges[:60]}}, [], {}
    yield "half of the merges", {"model": {"merges": merges[:60]}}, [], {}
    yield "switches that change nothing", {"model": {
        "byte_fallback": True, "unk_token": "a", "fuse_unk": True, "dropout": 0.0, "continuing_subword_prefix": None,
        "end_of_word_suffix": None}}, [], {}
    yield "truncation and padding", {
        "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 486,
                    "pad_type_id": 0, "pad_token": "<|endoftext|>"}}, [], {}
    yield "no post-processor", {"post_processor": None}, [], {}
    yield "a sequence of post-processors", {"post_processor": sequence("processors", BYTES, ALONE)}, [], {}
    yield "a layout of the prompt alone", {"post_processor": ALONE}, [], {}
    yield "a sequence of decoders", {"decoder": sequence("decoders", BYTES)}, [], {}
    yield "decoders that join", {"decoder": sequence("decoders", sequence("decoders", BYTES), {"type": "Fuse"})}, STRIPPING, {}
    decoder = {str(t["id"]): {k: v for k, v in t.items() if k != "id"} for t in base["added_tokens"]}
    more = {str(t.pop("id")): t for t in with_ids(STRIPPING, base["model"]["vocab"])}
    yield "tokenizer_config.json adds tokens", {}, [], {"tokenizer_config.json": {
        "added_tokens_decoder": dict(decoder, **more), "eos_token": "<|im_end|>"}}
    yield "tokenizer_config.json changes flags", {}, [], {"tokenizer_config.json": {"added_tokens_decoder": dict(
        decoder, **{"510": token("<think>", rstrip=True), "488": token("<|im_end|>", lstrip=True, special=False)})}}
    yield "tokenizer_config.json names special tokens", {}, [], {"tokenizer_config.json": {
        "eos_token": "<|r|>", "pad_token": dict(token("<|l|>", lstrip=True), __type="AddedToken"), "extra_special_tokens": ["red", "<think>"]}}
    yield "added_tokens.json", {}, [], {"added_tokens.json": {"<|r|>": 512, "word": 513, "<think>": 510},
                                        "tokenizer_config.json": {"eos_token": "<|r|>"}}


def with_ids(added, vocabulary):
    """A token that the vocabulary has keeps its id; the others count on from 512."""
    numbered, following = [], 512
    for each in added:
        numbered.append(dict(each, id=vocabulary.get(each["content"], following)))
        following += numbered[-1]["id"] == following
    return numbered


def merge(value, change):
    """RFC 7386, but null stays null."""
    if not isinstance(change, dict) or not isinstance(value, dict) or "type" in change:
        return change
    return dict(value, **{k: merge(value.get(k), v) for k, v in change.items()})


def load(file, beside):
    if not beside:
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps(file))
        tokenizer.no_truncation()  # as transformers does before every call
        tokenizer.no_padding()
        return (lambda text: tokenizer.encode(text).ids,
                lambda ids, skip: tokenizer.decode(ids, skip_special_tokens=skip))
    with tempfile.TemporaryDirectory() as folder:
        for name, content in dict({"tokenizer.json": file, "config.json": {"model_type": "qwen3_vl"}}, **beside).items():
            if name == "tokenizer_config.json":
                content = dict(content, tokenizer_class="PreTrainedTokenizerFast")
            pathlib.Path(folder, name).write_text(json.dumps(content), encoding="utf-8")
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return (lambda text: tokenizer(text)["input_ids"],
            lambda ids, skip: tokenizer.decode(ids, skip_special_tokens=skip))


def main():
    base = json.loads((ROOT / "examples" / "synth" / "tokenizer.json").read_text(encoding="utf-8"))
    lines = []
    for name, change, added, beside in variants(base):
        file = merge(copy.deepcopy(base), change)
        added = with_ids(added, base["model"]["vocab"])
        file["added_tokens"] += added
        encode, decode = load(file, beside)
        ids = [encode(text) for text in TEXTS]
        lines.append(json.dumps({
            "name": name, "change": change, "added": added, "beside": beside, "ids": ids,
            "decoded": [decode(i, False) for i in ids], "skipped": [decode(i, True) for i in ids]},
            separators=(",", ":")))
    (ROOT / "tests" / "text" / "variants.json").write_text(
        '{"texts":' + json.dumps(TEXTS) + ',\n"variants":[\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
    print(f"tokenizers {tokenizers.__version__}, transformers {transformers.__version__}: {len(lines)} variants")


if __name__ == "__main__":
    main()
