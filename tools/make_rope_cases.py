#!/usr/bin/env python3
"""Makes tests/golden/rope: a tiny random model, and what transformers computes with every key of rope.

    python3 tools/make_rope_cases.py

needs what tools/export_reference.py needs (transformers 5.17 made the committed files). All cases share the
weights, the tokenizer and the processors of models/demo, and differ in config.json alone: the folder of a case
holds its config.json beside the reference values. The prompt is nearly twice as long as the context that YaRN
starts from, so that each key changes the logits by more than `saker verify` lets pass; this script refuses to
write a case that does not.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests/golden/rope"
DEMO = ROOT / "models/demo"
QUESTION = ("Which shape is left of the red circle? The chart has four bars: A is 12, B is 7, C is 31, D is 25. "
            "A green ring moves up, a blue square moves down, a yellow star does not move. What is the "
            "largest number in the table, and which colour has the smallest one?")
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
CASES = {
    "plain": {"rope_type": "default"},
    "linear": {"rope_type": "linear", "factor": 4.0},
    "yarn": YARN,
    "yarn-attention-factor": {**YARN, "attention_factor": 0.6},
    "yarn-mscale": {**YARN, "mscale": 2.0, "mscale_all_dim": 0.5},
    "yarn-beta-fast": {**YARN, "beta_fast": 4.0},
    "yarn-beta-slow": {**YARN, "beta_slow": 0.25},
    "yarn-truncate": {**YARN, "truncate": False},
    # The context that YaRN starts from is max_position_embeddings where nothing else is said.
    "yarn-inferred-length": {"rope_type": "yarn", "factor": 4.0},
}
TOLERANCE = 2e-4  # of `saker verify`, relative to the largest logit


def make_config():
    demo = json.loads((DEMO / "config.json").read_text())
    ids = {key: value for key, value in demo.items() if key.endswith("_token_id")}
    return {
        "architectures": ["Qwen3VLForConditionalGeneration"], "dtype": "bfloat16", **ids, "model_type": "qwen3_vl",
        "text_config": {
            "head_dim": 32, "hidden_act": "silu", "hidden_size": 32, "intermediate_size": 64,
            "max_position_embeddings": 512, "model_type": "qwen3_vl_text", "num_attention_heads": 2,
            "num_hidden_layers": 2, "num_key_value_heads": 1, "rms_norm_eps": 1e-6,
            "vocab_size": demo["text_config"]["vocab_size"]},
        "tie_word_embeddings": True,
        "vision_config": {
            "deepstack_visual_indexes": [], "depth": 1, "hidden_act": "gelu_pytorch_tanh", "hidden_size": 16,
            "in_channels": 3, "intermediate_size": 16, "model_type": "qwen3_vl_vision", "num_heads": 2,
            "num_position_embeddings": 16, "out_hidden_size": 32, "patch_size": 16, "spatial_merge_size": 2,
            "temporal_patch_size": 2}}


def with_rope(config, rope):
    config = json.loads(json.dumps(config))
    config["text_config"]["rope_parameters"] = {
        "mrope_interleaved": True, "mrope_section": [6, 5, 5], "rope_theta": 10000.0, **rope}
    return config


def write_config(path, config):
    path.write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")


# The same model as the case "yarn" in the other spellings that files have.
def write_spellings(config):
    axes = {"mrope_interleaved": True, "mrope_section": [6, 5, 5]}
    spellings = {
        "released": {"rope_theta": 10000.0, "rope_scaling": {**axes, **YARN}},
        "theta-beside": {"rope_theta": 10000, "rope_parameters": {**axes, **YARN}},
        "theta-inside": {"rope_scaling": {**axes, **YARN, "rope_theta": 10000.0}},
        "both-objects": {"rope_parameters": {**axes, "rope_theta": 10000.0},
                         "rope_scaling": {"type": "yarn", "factor": 4}, "original_max_position_embeddings": 64},
        "old-type": {"rope_theta": 10000.0, "rope_scaling": {**axes, "type": "yarn", "factor": 4,
                                                            "original_max_position_embeddings": 64}},
    }
    (OUT / "spellings").mkdir()
    for name, rope in spellings.items():
        spelt = json.loads(json.dumps(config))
        spelt["text_config"].update(rope)
        write_config(OUT / "spellings" / f"{name}.json", spelt)


def make_weights(config, path):
    torch.manual_seed(20261201)
    model = transformers.Qwen3VLForConditionalGeneration(
        transformers.Qwen3VLConfig(**with_rope(config, CASES["plain"])))
    tensors = {}
    for name, parameter in model.named_parameters():
        if name == "lm_head.weight":
            continue
        scale = 1.0 if "embed_tokens" in name else 0.2
        values = torch.randn(parameter.shape) * scale
        if name.endswith("norm.weight") or ".norm" in name and name.endswith("weight"):
            values = 1 + values
        tensors[name] = values.to(torch.bfloat16)
    save_file(tensors, str(path), metadata={"format": "pt"})


def main():
    shutil.rmtree(OUT / "cases", ignore_errors=True)
    shutil.rmtree(OUT / "spellings", ignore_errors=True)
    (OUT / "cases").mkdir(parents=True)
    config = make_config()
    make_weights(config, OUT / "model.safetensors")
    write_spellings(config)
    logits = {}
    for name, rope in CASES.items():
        case = OUT / "cases" / name
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for file in DEMO.iterdir():
                if file.suffix in (".json", ".jinja") and "index" not in file.name and file.name != "config.json":
                    shutil.copy(file, folder)
            shutil.copy(OUT / "model.safetensors", folder)
            write_config(folder / "config.json", with_rope(config, rope))
            subprocess.run([sys.executable, str(ROOT / "tools/export_reference.py"), str(folder), str(case),
                            "--question", QUESTION, "--no-layers", "--tail", "4", "--greedy", "4"], check=True)
            shutil.copy(folder / "config.json", case)
        logits[name] = load_file(str(case / "golden.safetensors"))["logits_tail"]
    for a in logits:
        for b in logits:
            difference = float((logits[a] - logits[b]).abs().max() / logits[b].abs().max())
            if a < b:
                print(f"{a} for {b}: {difference:.4f} of the largest logit")
            assert a == b or difference > 10 * TOLERANCE, (a, b, difference)


if __name__ == "__main__":
    main()
