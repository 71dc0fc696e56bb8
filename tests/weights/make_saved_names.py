#!/usr/bin/env python3
"""Makes saved_names.json, with PyTorch and transformers: the tensor names that transformers saves for
a tiny Qwen3-VL, dense and mixture of experts, as a whole and through its base class, and prefixes
under which it loads a whole one without a missing tensor. Run it from the repository's root; the
names do not depend on the random weights.

{"qwen3_vl": {"whole": [names], "base": [names], "loads": {prefix: what it takes the place of}}}
"""
import json
import tempfile

import transformers
from safetensors import safe_open
from safetensors.torch import load_file, save_file

TEXT = dict(vocab_size=64, hidden_size=16, intermediate_size=24, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=1, head_dim=8, max_position_embeddings=128,
            rope_parameters=dict(rope_theta=10000.0, rope_type="default", mrope_section=[2, 1, 1]))
EXPERTS = dict(num_experts=2, num_experts_per_tok=1, moe_intermediate_size=12, mlp_only_layers=[],
               decoder_sparse_step=1)
VISION = dict(depth=1, hidden_size=16, num_heads=2, intermediate_size=24, out_hidden_size=16, patch_size=4,
              temporal_patch_size=2, spatial_merge_size=2, num_position_embeddings=16,
              deepstack_visual_indexes=[0])
TOKENS = dict(image_token_id=60, video_token_id=61, vision_start_token_id=62, vision_end_token_id=63,
              tie_word_embeddings=False)
# Prefix -> what it takes the place of, where a name begins with that.
SPELLINGS = {"": "", "model.": "", "language_model.": "model.language_model.", "visual.": "model.visual.",
             "language_model.model.": "model.language_model.", "module.": "", "base_model.model.": ""}


def save_names(model):
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        with safe_open(folder + "/model.safetensors", "pt") as file:
            return sorted(file.keys())


def loads(model, prefix, cut):
    """Whether every tensor is found when those names that begin with `cut` begin with `prefix`."""
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        path = folder + "/model.safetensors"
        tensors = load_file(path)
        renamed = {prefix + name[len(cut):] if name.startswith(cut) else name: tensor.clone()
                   for name, tensor in tensors.items()}
        save_file(renamed, path, metadata={"format": "pt"})
        found = type(model).from_pretrained(folder, output_loading_info=True)[1]
        return not found["missing_keys"] and not found["unexpected_keys"]


def describe(config, cls):
    model = cls(config)
    return {"whole": save_names(model), "base": save_names(model.model),
            "loads": {prefix: cut for prefix, cut in SPELLINGS.items() if loads(model, prefix, cut)}}


def main():
    dense = transformers.Qwen3VLConfig(text_config=TEXT, vision_config=VISION, **TOKENS)
    moe = transformers.Qwen3VLMoeConfig(text_config=dict(TEXT, **EXPERTS), vision_config=VISION, **TOKENS)
    out = {"qwen3_vl": describe(dense, transformers.Qwen3VLForConditionalGeneration),
           "qwen3_vl_moe": describe(moe, transformers.Qwen3VLMoeForConditionalGeneration)}
    with open("tests/weights/saved_names.json", "w", encoding="utf-8") as file:
        json.dump(out, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
