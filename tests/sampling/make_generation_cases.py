#!/usr/bin/env python3
"""Writes generation_cases.json beside this file: what transformers answers under each generation setting.

"greedy": the demo's model in float32, a generation_config.json each, a prompt of text, and the tokens that
generate() chooses; no two candidates of a step are nearer than MARGIN, so that another order of sums chooses the
same. "bans": random sequences of a small vocabulary, and which tokens transformers' logits processors forbid next.
tests/sampling/generation_test.cpp expects the same of Saker. Run by hand after adding a case, from the repository's
root; the file is committed, so that the test needs no Python.

    python3 tests/sampling/make_generation_cases.py
"""

import json
import pathlib
import random

import torch
import transformers
from transformers.generation import logits_process

MARGIN = 1e-3
EOS = [951, 949]
MODEL = "models/demo"

PROMPTS = {
    "picture": "What is in the picture?",
    "bar": "Which bar is the tallest?",
    "text": "Read the text.",
    # Its answers cross a boundary of KV pages, so that a full cache preempts them.
    "long": "Read the text. How many rows? What is the number of red circles, and which bar is the tallest? What is in the picture?",
}

# Of the plain answers to "picture": a table with 2 rows and 2 columns.
SETTINGS = [
    ("plain", "picture", {}),
    ("what only sampling reads is passed over",
     "picture", {"do_sample": False, "temperature": 0.1, "top_k": 3, "top_p": 0.1, "min_p": 0.9, "typical_p": 0.2}),
    ("sampling from one", "picture", {"do_sample": True, "temperature": 0.7, "top_k": 1}),
    ("repetition_penalty", "text", {"repetition_penalty": 1.3, "min_new_tokens": 24}),
    ("repetition_penalty below one", "text", {"repetition_penalty": 0.8, "min_new_tokens": 24}),
    ("repetition_penalty, strong", "picture", {"repetition_penalty": 4.0}),
    ("no_repeat_ngram_size 1", "picture", {"no_repeat_ngram_size": 1}),
    ("no_repeat_ngram_size 2", "picture", {"no_repeat_ngram_size": 2, "min_new_tokens": 24}),
    ("no_repeat_ngram_size 3", "text", {"no_repeat_ngram_size": 3, "min_new_tokens": 24}),
    ("bad_words_ids, single", "picture", {"bad_words_ids": [[948], [920]]}),
    ("bad_words_ids, sequences", "picture", {"bad_words_ids": [[64, 933], [220, 17, 898], [5, 6, 7]]}),
    ("bad_words_ids begin in the prompt", "picture", {"bad_words_ids": [[565, 198, 64]]}),
    ("bad_words_ids, a lone end token stays", "picture", {"bad_words_ids": [[951], [17, 898]]}),
    ("bad_words_ids, an end token after others", "picture", {"bad_words_ids": [[898, 951]]}),
    ("suppress_tokens", "picture", {"suppress_tokens": [933, 17]}),
    ("suppress_tokens, the end", "bar", {"suppress_tokens": [951]}),
    ("begin_suppress_tokens", "picture", {"begin_suppress_tokens": [64, 220]}),
    ("begin_suppress_tokens, the end", "bar", {"begin_suppress_tokens": [38, 951]}),
    ("min_new_tokens", "picture", {"min_new_tokens": 15}),
    ("min_length", "picture", {"min_length": 14 + 13}),
    ("min_length below the prompt", "picture", {"min_length": 5}),
    ("min_new_tokens before min_length", "bar", {"min_new_tokens": 3, "min_length": 100}),
    ("max_new_tokens", "picture", {"max_new_tokens": 5}),
    ("max_length", "picture", {"max_new_tokens": None, "max_length": 20}),
    ("max_new_tokens before max_length", "picture", {"max_new_tokens": 4, "max_length": 16}),
    ("min_new_tokens above max_new_tokens", "bar", {"min_new_tokens": 9, "max_new_tokens": 6}),
    ("stop_strings", "picture", {"stop_strings": [" and", "never"]}),
    ("stop_strings, one string", "picture", {"stop_strings": "2 ro"}),
    ("long", "long", {"min_new_tokens": 24}),
    ("long, no_repeat_ngram_size", "long", {"no_repeat_ngram_size": 1, "min_new_tokens": 24}),
    ("long, bad_words_ids", "long", {"bad_words_ids": [[909], [883, 874]], "min_new_tokens": 24}),
    ("long, begin_suppress_tokens", "long", {"begin_suppress_tokens": [18, 19, 64], "min_new_tokens": 24}),
    ("long, repetition_penalty", "long", {"repetition_penalty": 1.4, "min_new_tokens": 20}),
    ("all at once", "text",
     {"repetition_penalty": 1.2, "no_repeat_ngram_size": 2, "bad_words_ids": [[16], [19, 18]], "min_new_tokens": 20,
      "suppress_tokens": [892], "begin_suppress_tokens": [19]}),
]


def margin_of(scores):
    best = torch.stack(scores)[:, 0].topk(2).values
    return (best[:, 0] - best[:, 1]).min().item()


def greedy_cases(model, tokenizer, prompts):
    cases = []
    for name, prompt, settings in SETTINGS:
        settings = {"eos_token_id": EOS, "pad_token_id": 949, "max_new_tokens": 24} | settings
        settings = {key: value for key, value in settings.items() if value is not None}
        model.generation_config = transformers.GenerationConfig(**settings)
        ids = torch.tensor([prompts[prompt]])
        with torch.no_grad():
            out = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), tokenizer=tokenizer,
                                 return_dict_in_generate=True, output_scores=True)
        answer = out.sequences[0, ids.shape[1]:].tolist()
        assert settings.get("do_sample") or margin_of(out.scores) > MARGIN, name
        ended = answer[-1] in EOS
        case = {"name": name, "prompt": prompt, "settings": settings, "ids": answer[:-1] if ended else answer}
        stops = settings.get("stop_strings", [])
        text = tokenizer.decode(case["ids"])
        for stop in [stops] if isinstance(stops, str) else stops:
            if stop in text:  # transformers keeps the string, and what its last token holds beside it
                case["text"] = text[:text.index(stop)]
                ended = True
        case["finish"] = "stop" if ended else "length"
        cases.append(case)
    return cases


def ban_cases(count):
    draw = random.Random(7)
    vocab, end = 9, [7, 8]
    cases = []
    for _ in range(count):
        tokens = [draw.randrange(vocab) for _ in range(draw.randrange(1, 18))]
        num_prompt = draw.randrange(1, len(tokens) + 1)
        settings = {}
        if draw.random() < 0.7:
            settings["no_repeat_ngram_size"] = draw.randrange(1, 5)
        if draw.random() < 0.7:
            settings["bad_words_ids"] = [[draw.randrange(vocab) for _ in range(draw.randrange(1, 4))]
                                         for _ in range(draw.randrange(1, 5))]
        if draw.random() < 0.3:
            settings["min_new_tokens"] = draw.randrange(1, 9)
        if draw.random() < 0.2:
            settings["suppress_tokens"] = [draw.randrange(vocab)]
        if draw.random() < 0.5:
            settings["begin_suppress_tokens"] = [draw.randrange(vocab)]
        processors = logits_process.LogitsProcessorList()
        if "no_repeat_ngram_size" in settings:
            processors.append(logits_process.NoRepeatNGramLogitsProcessor(settings["no_repeat_ngram_size"]))
        if "bad_words_ids" in settings:
            processors.append(logits_process.NoBadWordsLogitsProcessor(settings["bad_words_ids"], end))
        if "min_new_tokens" in settings:
            processors.append(logits_process.MinNewTokensLengthLogitsProcessor(
                num_prompt, settings["min_new_tokens"], end))
        if "suppress_tokens" in settings:
            processors.append(logits_process.SuppressTokensLogitsProcessor(settings["suppress_tokens"]))
        if "begin_suppress_tokens" in settings:
            processors.append(logits_process.SuppressTokensAtBeginLogitsProcessor(
                settings["begin_suppress_tokens"], num_prompt))
        scores = processors(torch.tensor([tokens]), torch.zeros(1, vocab))
        banned = [id for id, score in enumerate(scores[0].tolist()) if score == float("-inf")]
        cases.append({"settings": settings, "tokens": tokens, "num_prompt": num_prompt, "banned": banned})
    return {"vocab": vocab, "end": end, "cases": cases}


def main():
    model = transformers.AutoModelForImageTextToText.from_pretrained(
        MODEL, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=f"{MODEL}/tokenizer.json")
    prompts = {name: tokenizer.encode(f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n",
                                      add_special_tokens=False) for name, text in PROMPTS.items()}
    bans = ban_cases(60)
    lines = [f'{{"transformers": "{transformers.__version__}",', f' "prompts": {json.dumps(prompts)},', ' "greedy": [']
    lines.append(",\n".join("  " + json.dumps(case) for case in greedy_cases(model, tokenizer, prompts)))
    lines += [f' ], "bans": {{"vocab": {bans["vocab"]}, "end": {bans["end"]}, "cases": [']
    lines.append(",\n".join("  " + json.dumps(case) for case in bans["cases"]))
    lines.append(" ]}}")
    path = pathlib.Path(__file__).parent / "generation_cases.json"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
