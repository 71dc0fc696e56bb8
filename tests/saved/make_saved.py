#!/usr/bin/env python3
"""Writes the folders beside this file: configurations and processors as transformers saves them.

src/models/qwen3_vl_config_test.cpp and src/media/preprocessor_test.cpp load them and expect no warning. The folders
`5-…` are saved by transformers itself (5.17 made the committed files; needs torch and torchvision); `4-…` follow
the released checkpoints and what transformers 4.57 adds when it saves one, by hand.
"""
import copy
import json
import pathlib

import transformers

HERE = pathlib.Path(__file__).resolve().parent
IDS = {"image_token_id": 151655, "video_token_id": 151656, "vision_start_token_id": 151652,
       "vision_end_token_id": 151653}
AXES = {"mrope_interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default"}
TEXT = {"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 151643, "dtype": "bfloat16",
        "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02,
        "intermediate_size": 6144, "max_position_embeddings": 262144, "num_attention_heads": 16,
        "num_hidden_layers": 28, "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "use_cache": True,
        "vocab_size": 151936}
EXPERTS = {"decoder_sparse_step": 1, "mlp_only_layers": [], "moe_intermediate_size": 768, "norm_topk_prob": True,
           "num_experts": 128, "num_experts_per_tok": 8}
VISION = {"deepstack_visual_indexes": [5, 11, 17], "depth": 24, "hidden_act": "gelu_pytorch_tanh",
          "hidden_size": 1024, "in_channels": 3, "initializer_range": 0.02, "intermediate_size": 4096, "num_heads": 16,
          "num_position_embeddings": 2304, "out_hidden_size": 2048, "patch_size": 16, "spatial_merge_size": 2,
          "temporal_patch_size": 2}
IMAGE = {"size": {"longest_edge": 16777216, "shortest_edge": 65536}, "patch_size": 16, "temporal_patch_size": 2,
         "merge_size": 2, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
VIDEO = {**IMAGE, "size": {"longest_edge": 25165824, "shortest_edge": 4096}}


def write(folder, name, members):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(members, indent=1) + "\n")


def save_new():
    for family, text in (("qwen3_vl", TEXT), ("qwen3_vl_moe", {**TEXT, **EXPERTS})):
        moe = family.endswith("moe")
        folder = HERE / ("5-moe" if moe else "5-dense")
        config_type = transformers.Qwen3VLMoeConfig if moe else transformers.Qwen3VLConfig
        text = {**text, "rope_theta": 5000000, "rope_scaling": dict(AXES)}
        config = config_type(text_config=copy.deepcopy(text), vision_config=dict(VISION), tie_word_embeddings=not moe,
                             architectures=["Qwen3VLForConditionalGeneration"], **IDS)
        config.save_pretrained(folder)
        if moe:
            transformers.Qwen2VLImageProcessor(**copy.deepcopy(IMAGE)).save_pretrained(folder)
            transformers.Qwen3VLVideoProcessor(**copy.deepcopy(VIDEO)).save_pretrained(folder)
            continue
        write(folder, "processor_config.json", {
            "image_processor": json.loads(
                transformers.Qwen2VLImageProcessor(**copy.deepcopy(IMAGE)).to_json_string()),
            "processor_class": "Qwen3VLProcessor",
            "video_processor": json.loads(
                transformers.Qwen3VLVideoProcessor(**copy.deepcopy(VIDEO)).to_json_string())})


def write_old():
    rope = {"rope_scaling": AXES, "rope_theta": 5000000}
    released = {"architectures": ["Qwen3VLMoeForConditionalGeneration"], **IDS, "model_type": "qwen3_vl_moe",
                "text_config": {**TEXT, **EXPERTS, **rope, "model_type": "qwen3_vl_moe_text"},
                "tie_word_embeddings": False, "transformers_version": "4.57.0.dev0",
                "vision_config": {**VISION, "model_type": "qwen3_vl_moe"}}
    fp8 = {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": [128, 128],
           "ignored_layers": ["lm_head", "model.visual.merger.norm"],
           "modules_to_not_convert": ["lm_head", "model.visual.merger.norm"]}
    image = {**IMAGE, "processor_class": "Qwen3VLProcessor", "image_processor_type": "Qwen2VLImageProcessorFast"}
    video = {**VIDEO, "processor_class": "Qwen3VLProcessor", "video_processor_type": "Qwen3VLVideoProcessor"}
    write(HERE / "4-released", "config.json", {**released, "quantization_config": fp8})
    write(HERE / "4-released", "preprocessor_config.json", image)
    write(HERE / "4-released", "video_preprocessor_config.json", video)

    steps = {"do_convert_rgb": True, "do_normalize": True, "do_rescale": True, "do_resize": True, "resample": 3,
             "rescale_factor": 0.00392156862745098, "default_to_square": True, "crop_size": None, "data_format":
             "channels_first", "device": None, "input_data_format": None, "return_tensors": None}
    saved = {**released, "_name_or_path": "Qwen/Qwen3-VL", "torch_dtype": "bfloat16", "use_cache": True,
             "transformers_version": "4.57.1", "architectures": ["Qwen3VLForConditionalGeneration"],
             "model_type": "qwen3_vl", "tie_word_embeddings": True, "eos_token_id": 151645, "pad_token_id": 151643,
             "text_config": {**TEXT, **rope, "model_type": "qwen3_vl_text", "tie_word_embeddings": True,
                             "pad_token_id": None, "sliding_window": None, "use_sliding_window": False},
             "vision_config": {**VISION, "model_type": "qwen3_vl", "dtype": "bfloat16"}}
    write(HERE / "4-saved", "config.json", saved)
    write(HERE / "4-saved", "processor_config.json", {"processor_class": "Qwen3VLProcessor"})
    write(HERE / "4-saved", "preprocessor_config.json",
          {**image, **steps, "disable_grouping": None, "max_pixels": 16777216, "min_pixels": 65536,
           "do_center_crop": None, "do_pad": None, "pad_size": None})
    write(HERE / "4-saved", "video_preprocessor_config.json",
          {**video, **steps, "do_sample_frames": True, "fps": 2, "num_frames": None, "min_frames": 4,
           "max_frames": 768, "return_metadata": False, "video_metadata": None, "do_center_crop": None,
           "do_pad": None, "size_divisor": None, "pad_size": None})


if __name__ == "__main__":
    save_new()
    write_old()
