#!/usr/bin/env python3
"""Writes tests/text/bpe: a byte-level BPE of the repository's own, and what Hugging Face makes of hard texts.

    python3 tools/make_test_tokenizer.py            # tokenizer.json is kept, cases.json is made again
    python3 tools/make_test_tokenizer.py --train    # both

needs the package `tokenizers` (0.23 made the committed files); Saker itself never runs Python. The merges
are learned from the repository's pages and sources as they were at COMMIT, the questions of its examples and
the sentences in tests/text/bpe/sentences.txt, so that every kind of merge is there: words with and without
their blank, runs of blanks and line ends, code, and characters of two, three and four bytes, whole and in part.
Pattern, normalizer and the first 26 added tokens are laid out as in Qwen's own file; the added tokens behind
them try what that file has none of. cases.json is a list of {text, ids, decoded}.
"""
import argparse
import json
import pathlib
import random
import subprocess

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers import processors, trainers

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "text" / "bpe"
COMMIT = "bffc8d0a07ba9868a5aea04b48c6a1d9de287034"
SOURCES = ["*.md", "src/text/*.cpp", "src/text/*.h", "src/engine/*.cpp", "src/serve/*.cpp", "src/json/*.cpp",
           "tools/export_reference.py", "tools/check_house", "examples/pictures/questions.json"]
VOCABULARY = 6144  # tokens beside the added ones
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
         r"|\s*[\r\n]+|\s+(?!\S)|\s+")
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
           "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>",
           "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"]
PLAIN = ["<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>",
         "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
MORE = [
    AddedToken("<|left|>", lstrip=True, special=True, normalized=False),
    AddedToken("<|right|>", rstrip=True, special=True, normalized=False),
    AddedToken("<|both|>", lstrip=True, rstrip=True, special=True, normalized=False),
    AddedToken(" <|blank|>", special=True, normalized=False),
    AddedToken("<|im_", special=True, normalized=False),  # the first letters of another
    AddedToken("<|im_end|><|im_start|>", special=True, normalized=False),  # two others side by side
    AddedToken("zebra", single_word=True, special=False, normalized=True),
    AddedToken("zeb", single_word=True, special=False, normalized=True),
    AddedToken("caf\u00e9 bar", special=False, normalized=True),  # found behind NFC, in letters of bytes
    AddedToken("<cafe\u0301>", special=False, normalized=True),  # written otherwise than NFC leaves it
    AddedToken("[word]", single_word=True, lstrip=True, rstrip=True, special=True, normalized=True),
    AddedToken("\u4f60\u597d\u5417", special=False, normalized=False),
]


def training_texts():
    names = subprocess.run(["git", "ls-tree", "-r", "--name-only", COMMIT], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for name in sorted(n for n in names if any(pathlib.PurePath(n).match(p) for p in SOURCES)):
        yield subprocess.run(["git", "show", f"{COMMIT}:{name}"], cwd=ROOT, check=True, capture_output=True,
                             text=True).stdout
    sentences = (FOLDER / "sentences.txt").read_text(encoding="utf-8")
    for _ in range(6):  # or the sources would drown them
        yield sentences


def without_second_ways(vocabulary, merges):
    """The trainer may find two merges of one token; the first is kept, as released vocabularies have it."""
    made, kept = set(), []
    for left, right in merges:
        if left + right not in made:
            made.add(left + right)
            kept.append([left, right])
    assert len(kept) + 256 == len(vocabulary), "each token that is no byte has a merge"
    return kept


def train():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, show_progress=False, min_frequency=2,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator(list(training_texts()), trainer)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in CONTROL])
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in PLAIN])
    for token in MORE:
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    file = json.loads(tokenizer.to_str())
    file["model"]["merges"] = without_second_ways(file["model"]["vocab"], file["model"]["merges"])
    write_lines(FOLDER / "tokenizer.json", file)


def write_lines(path, file):
    """One line for each added token, and for the vocabulary and the merges: git can show what changed."""
    def line(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    model = ",\n".join(f"  {line(k)}:{line(v)}" for k, v in file["model"].items())
    parts = []
    for key, value in file.items():
        if key == "added_tokens":
            parts.append(f"{line(key)}:[\n" + ",\n".join("  " + line(t) for t in value) + "\n]")
        elif key == "model":
            parts.append(f"{line(key)}:{{\n{model}\n}}")
        else:
            parts.append(f"{line(key)}:{line(value)}")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


# --- hard texts --------------------------------------------------------------------------------------

PLAIN_TEXTS = [
    "", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\t", "\t\t x", " \n", "\n ", " \n ", "a\n", "a \n b",
    "Hello world", " Hello world", "Hello  world", "Hello\tworld", "Hello\nworld", "Hello world ", "Hello world  ",
    "system", "user", "assistant", "Who are you?", "Picture 1: ", "<0.3 seconds>", "<10.0 seconds>",
    "Describe:<0.3 seconds>", "don't I'LL we'Ve it'S they'RE I'M he'D can'T", "'s's'S 'LL", "'", "''", "' s", "'x",
    "it'\u017f IT'\u017f '\u017f", "l'l l'Ll 'lL 'l", "rock'n'roll o'clock", "\u2019s don\u2019t",
    "1234567890", "3.14159, 1,000,000", "0x1F 1e-9 12:30 2026-12-01", "1st 2nd 3rd", "\u00b2\u00b3\u00b9 x\u00b2",
    "\u2167 \u00bd \u2460 \u3007", "\u0967\u0968\u0969 \u0661\u0662\u0663 \u4e00\u4e8c\u4e09", "\uff11\uff12\uff13",
    "\u4f60\u597d\uff0c\u4e16\u754c\uff01\u8fd9\u662f\u4e00\u4e2a\u6d4b\u8bd5\u3002", "\u4f60 \u597d",
    "\u56fe\u7247\u4e2d\u6709\u4ec0\u4e48\uff1f", "\u7ea2\u8272\u5706\u5f62\uff0c\u84dd\u8272\u65b9\u5f62",
    "\u3053\u3093\u306b\u3061\u306f\u4e16\u754c", "\u30ab\u30bf\u30ab\u30ca \uff76\uff80\uff76\uff85", "\u30ab\u3099",
    "\uc548\ub155\ud558\uc138\uc694", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\uac00\u11a8", "\uac00\u11a7",
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645", "\u0643\u0650\u062a\u064e\u0627\u0628",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
    "\u202babc\u202c \u200fx\u200e", "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "\u0915\u093c \u0958", "\u0e44\u0e17\u0e22\u0e20\u0e32\u0e29\u0e32 \u0e01\u0e33", "\u1790\u17d2\u1798",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!", "\u0438\u0306 \u0439", "\u0395\u03bb\u03bb\u03ac\u03c2",
    "Za\u017c\xf3\u0142\u0107 g\u0119\u015bl\u0105 ja\u017a\u0144", "Gr\xfc\xdfe aus K\xf6ln, na\xefve caf\xe9s",
    "Ti\u1ebfng Vi\u1ec7t", "Tie\u0302\u0301ng Vie\u0323\u0302t", "\u0130\u0131 I i", "\u1e9e \xdf",
    "e\u0301 vs \xe9 (NFC)", "\u1e9b\u0323", "\u0344", "\u2126 \u212b K\u212a", "a\u0323\u0302 a\u0302\u0323",
    "\ufb01 ligature \xc5 A\u030a", "\u0958 \u095c \ufb2a", "\u0f73 \u0f75", "q\u0307\u0323", "\u0301", "\u0301a",
    "\u0308\u0301\u0323", "x\u0338 =\u0338 <\u0338", "\u09c7\u09be \u0b47\u0b3e", "\U0001d157\U0001d165", "\U0002f800",
    "\U0001f642", "\U0001f642\U0001f642\U0001f642", "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f44d\U0001f3fd", "\U0001f1e8\U0001f1f3\U0001f1fa\U0001f1f8", "#\ufe0f\u20e3",
    "\u2764\ufe0f \u2764", "\U0001d573\U0001d58a\U0001d591\U0001d591\U0001d594 \U00020bb7\u91ce\u5bb6",
    "\U00013000\U00012000", "a\u200bb\ufeffc\xa0d\u3000e", "\ufeffBOM", "\u2028\u2029\x85 nl", "\x0b\x0c\x1c\x1d",
    "\x00", "\x00\x01\x7f", "a\x00b", "\x1b[31mred\x1b[0m", "\x08\x07", "\ufffd", "\ufffe\uffff", "\U0010ffff\ue000",
    "\u2003\xa0\u3000 x", "x \u2003\xa0\u3000", "\u3000\u3000\u4e2d", "\xa0\xa0", "\u1680\u180e\u205f",
    "def f(x):\n    return x**2  # square\n\n\n", "if (a[i] != NULL && *p++) { x->y(); }\r\n", "\tfor\t;;\t\n",
    "SELECT * FROM t WHERE a='b';", "https://example.com/a?b=c&d=e#f", "a@b.co C:\\x\\y /usr/lib", "foo_bar-baz.qux",
    "CamelCaseAndSNAKE_CASE", "{\"name\": \"f\", \"arguments\": {\"a\": [1, 2.5, null]}}", "!?.,;:--==++//\\\\",
    "a...b ... ....", "(((()))) [[]] {{ x }} {% if %}", "== != <= >= -> => ::", "$\\frac{a}{b}$", "\u2200x\u2208\u211d: x\xb2\u22650",
    "\u20ac5 \xa35 \xa55 $5", "\u2018q\u2019 \u201cq\u201d \xabq\xbb \u300cq\u300d", "\u2014\u2013\u2010-\xad",
    "word\xad\u2060word", "\u01c5 \u01c6 \xaa \xba \u02b0 \u2c7c", "AAAAAAAA", "aaaaaaaaaa bbbbbbbbbb", "abababababababab",
]

LONG_TEXTS = [
    "x" * 300, "a" * 1000, " " * 100 + "x", " " * 257, "\n" * 50, "\r\n" * 40, " \n" * 40, "\t" * 33, "=" * 200,
    "=-" * 100, "7" * 100, "\u4f60" * 120, "\U0001f642" * 60, "\u0301" * 60, "e" + "\u0301\u0323" * 40, "e\u0301" * 80,
    "\u1100\u1161" * 60, "'" * 50, "'s" * 50, "the" * 100, "the " * 100, "<|im_start|" * 20, "<" * 80, "\xa0" * 60,
    "\xff" * 90, "\u200d" * 40,
]

ADDED_TEXTS = [
    "<|im_start|>user\nhi<|im_end|>", "<|im_start|>user\nDescribe:<0.3 seconds>", "<|image_pad|><|image_pad|>",
    "<|vision_start|><|image_pad|><|vision_end|>", "<|vision_start|><|video_pad|><|vision_end|>what moves?",
    "<tool_call>{\"name\": \"f\"}</tool_call>", "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>",
    "<|im_start|>assistant\n<think>\n", "<think>\n\n</think>\n\n", "<|im_start", "<|im_start|", "<|im_<|im_start|>start|>",
    "<|im_", "<|im_x", "a<|im_end|", "<|im_end|><|im_start|>", "<|im_end|>\n<|im_start|>", "<|im_end|><|im_end|><|im_start|>",
    "<|im_start|><|im_end|><|im_start|><|im_end|>", "<|endoftext|><|endoftext|>", "<<|im_end|>>", "|><|im_end|><|",
    "a <|left|> b", "a   <|left|> b", "a\n\t <|left|>", "<|left|>", "  <|left|>", "a\u3000\xa0<|left|>b", "a\u200b<|left|>",
    "x <|left|> <|left|> y", "a<|left|><|left|>", "a <|right|> b", "a <|right|>   b", "a<|right|>\n\n b", "<|right|>",
    "<|right|>  ", "<|right|>\u2028\u3000x", "a <|both|> b", "a \n <|both|> \t b", "<|both|>", " <|both|> ",
    "<|right|>  <|left|>", "<|right|> <|right|> <|left|> <|left|>", "<|both|> <|both|> <|both|>", "a <|left|>\u0301 b",
    "<|right|>  <|blank|>", "<|right|> <|blank|> x", "a <|blank|>b", "a  <|blank|>", "<|both|> <|blank|> <|both|>",
    "<|left|> <|blank|>", " <|blank|> <|left|>", "<|im_end|>  <|left|>", "<|im_end|> <|both|> <|im_start|>",
    "zebra", "a zebra.", "zebras", "zebra zebra", "azebra", "zebra_", "zebra-zebra", "zeb", "zeb zebra zebzebra", "zeb\xb2",
    "zeb1", "zeb\u0301", "\u200dzeb", "zeb\u4e2d", "(zeb)", "zeb'zeb", "\u20dezebra", "zeb\U0001f642zebra", "Zebra ZEB", "zeb\nzebra",
    "caf\xe9 bar", "cafe\u0301 bar", "a caf\xe9 bar b", "cafe\u0301 baroque", "caf\xe9  bar", "Cafe\u0301 bar", "cafe\u0301 caf\xe9 bar",
    "<caf\xe9>", "<cafe\u0301>", "x<cafe\u0301>y<caf\xe9>", "<cafe\u0301\u0323>", "a [word] b", "a[word]b", "[word]", " [word] [word] ",
    "a  [word]  b", "x [word]y", "([word])", "\u4f60\u597d\u5417", "\u4f60\u597d\u5417\u4f60\u597d", "\u4f60\u597d\u4f60\u597d\u5417\uff1f",
    "zebra<|im_end|>zebra", "<|left|>zebra <|both|> zeb", "caf\xe9 bar<|right|> caf\xe9 bar", "e<|im_end|>\u0301", "'<|im_end|>s",
    " <|im_end|> ", "\n<|im_end|>\n", "<|fim_prefix|>def <|fim_suffix|>\n<|fim_middle|>", "<|repo_name|>a<|file_sep|>b",
    "<tool_response>\n1\n</tool_response>", "<|object_ref_start|>dog<|object_ref_end|><|box_start|>(1,2),(3,4)<|box_end|>",
    "<|quad_start|>(1,2)<|quad_end|>", "<|VISION_START|> <|vision_start |>",
]


def chat_texts():
    """What the released templates render, for the tests of templates."""
    yield ("<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>What kind of dog is this?<|im_end|>\n"
           "<|im_start|>assistant\n")
    yield "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n<think>\n"
    yield ("<|im_start|>user\nDescribe:<0.3 seconds><|vision_start|><|video_pad|><|image_pad|><|vision_end|>")
    yield "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"


def random_texts(count):
    """Pieces of every kind, joined at random."""
    kinds = [" ", "  ", "\n", "\r\n", "\t ", "\xa0\u3000\u2003", "'s", "'VE", "'re", "'\u017f", "hello", "World", " the", "ing",
             "_x", "0123", "2026", "...", "!?", "->", "===", "e\u0301", "\u0301\u0308", "\xe9\xe1\xfa", "\u4f60\u597d", "\u7684\u662f",
             "\uff0c\u3002", "\ud55c\uad6d", "\u1112\u1161\u11ab", "\u3042\u30a4\u30a6", "\U0001f642", "\u200d", "\ufe0f", "\U0001f44d\U0001f3fd",
             "\u043a\u0436\u043c", "\u0628\u062b ", "\u05e9\u05c1", "\u0915\u093c", "\u2167\xbd\u2461", "\u01c5", "\U00013000",
             "<|im_end|>", "<|im_", "<think>", " <|left|>", "<|right|> ", " <|both|> ", " <|blank|>", "zebra", " zeb",
             "caf\xe9 bar", "[word]", "<caf\xe9>", "\u4f60\u597d\u5417", "\x00", "\u2028", "(", "}", "\\", "\ue000"]
    source = random.Random(20261201)
    for _ in range(count):
        yield "".join(source.choice(kinds) * source.choice((1, 1, 1, 2, 3))
                      for _ in range(source.randint(1, 12)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true", help="learn the vocabulary again")
    if parser.parse_args().train:
        train()
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    texts = [*PLAIN_TEXTS, *LONG_TEXTS, *ADDED_TEXTS, *chat_texts()]
    texts += random_texts(460 - len(texts))
    lines = []
    for text in dict.fromkeys(texts):
        ids = tokenizer.encode(text).ids
        lines.append(json.dumps({"text": text, "ids": ids,
                                 "decoded": tokenizer.decode(ids, skip_special_tokens=False)},
                                separators=(",", ":")))
    (FOLDER / "cases.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"tokenizers {tokenizers.__version__}: {tokenizer.get_vocab_size()} tokens, {len(lines)} texts")


if __name__ == "__main__":
    main()
