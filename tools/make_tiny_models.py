#!/usr/bin/env python3
"""Writes the tiny models of tests/golden and their reference cases, with Hugging Face transformers.

    python3 tools/make_tiny_models.py [tests/golden]

needs torch, transformers 5, safetensors and Pillow; Saker itself never runs Python. Three checkpoints of random
weights, drawn from seeds, with the tokenizer of examples/synth:

    tiny-moe          Qwen3VLMoe as transformers 5 saves it: one file, experts [E, 2F, C] and [E, C, F]
    tiny-moe-release  the same weights as the models were released: two shards and an index, experts input-major,
                      the older configuration keys, preprocessor files of their own
    tiny-dense        Qwen3VL, embeddings tied

tools/export_reference.py makes the cases of tiny-moe, which hold for tiny-moe-release too, and of tiny-dense. To
keep them small, those of tiny-dense leave out the pixels that are tiny-moe's as well. Two experts or two tokens may
be nearly equal for random weights, and then no two programs agree: the script says how near they come, and SEEDS
are such that they stay apart.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import export_reference
import numpy
import torch
import transformers
from PIL import Image
from safetensors import safe_open
from safetensors.torch import load_file, save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENIZER = ROOT / "examples" / "synth" / "tokenizer.json"
SEEDS = {"tiny-moe": 1, "tiny-dense": 2}
PICTURES = {"min_pixels": 2048, "max_pixels": 8192}
CLIPS = {"shortest_edge": 2048, "longest_edge": 16384}
NEAR = 2e-4  # of logits: nearer ones may be swapped by rounding


def configuration(kind):
    text = {"attention_bias": False, "head_dim": 16, "hidden_act": "silu", "hidden_size": 64, "intermediate_size": 80,
            "max_position_embeddings": 1024, "num_attention_heads": 4, "num_hidden_layers": 4, "num_key_value_heads": 2,
            "rms_norm_eps": 1e-6, "vocab_size": 512,
            "rope_parameters": {"mrope_interleaved": True, "mrope_section": [4, 2, 2], "rope_theta": 5000000.0,
                                "rope_type": "default"}}
    vision = {"deepstack_visual_indexes": [0, 1, 2], "depth": 4, "hidden_size": 32, "intermediate_size": 48,
              "num_heads": 2, "num_position_embeddings": 36, "out_hidden_size": 64, "patch_size": 16,
              "spatial_merge_size": 2, "temporal_patch_size": 2}
    ids = {t["content"]: t["id"] for t in json.loads(TOKENIZER.read_text(encoding="utf-8"))["added_tokens"]}
    control = {"image_token_id": ids["<|image_pad|>"], "video_token_id": ids["<|video_pad|>"],
               "vision_start_token_id": ids["<|vision_start|>"], "vision_end_token_id": ids["<|vision_end|>"]}
    if kind == "tiny-moe":
        text.update(num_experts=8, num_experts_per_tok=2, moe_intermediate_size=16, decoder_sparse_step=1,
                    norm_topk_prob=True, mlp_only_layers=[])
        return transformers.Qwen3VLMoeConfig(text_config=text, vision_config=vision, tie_word_embeddings=False, **control)
    return transformers.Qwen3VLConfig(text_config=text, vision_config=vision, tie_word_embeddings=True, **control)


def draw_weights(model, seed):
    """Weights of a size at which every stage carries signal; rounded to bf16."""
    source = torch.Generator().manual_seed(seed)
    for name, weight in sorted(model.named_parameters()):
        noise = torch.randn(weight.shape, generator=source)
        if weight.ndim == 1:
            noise = 0.1 * noise if name.endswith("bias") else 1 + 0.2 * noise
        elif "embed" in name and "patch" not in name:
            noise = 0.7 * noise
        elif "patch_embed" in name:
            noise = 0.7 * noise / 16
        else:
            fan_in = weight.shape[-1] if weight.ndim == 2 else weight[0].shape[-1]
            noise = 1.2 * noise / fan_in**0.5
        weight.data.copy_(noise)
    return model.to(torch.bfloat16)


def save_model(kind, folder):
    config = configuration(kind)
    family = (transformers.Qwen3VLMoeForConditionalGeneration if kind == "tiny-moe"
              else transformers.Qwen3VLForConditionalGeneration)
    draw_weights(family(config), SEEDS[kind]).save_pretrained(folder)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(TOKENIZER), eos_token="<|im_end|>",
                                                     pad_token="<|endoftext|>")
    for name in ("image_token", "video_token", "vision_bos_token", "vision_eos_token"):
        setattr(tokenizer, name, {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>",
                                  "vision_bos_token": "<|vision_start|>", "vision_eos_token": "<|vision_end|>"}[name])
    half = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3, "patch_size": 16, "merge_size": 2, "temporal_patch_size": 2}
    size = {"shortest_edge": PICTURES["min_pixels"], "longest_edge": PICTURES["max_pixels"]}
    transformers.Qwen3VLProcessor(
        image_processor=transformers.Qwen2VLImageProcessorFast(size=size, **half), tokenizer=tokenizer,
        video_processor=transformers.Qwen3VLVideoProcessor(size=CLIPS, **half)).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes(TOKENIZER.read_bytes())
    write_json(folder / "generation_config.json", {"eos_token_id": [488, 486], "pad_token_id": 486, "do_sample": False})


def write_json(path, content):
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def save_released(joint, folder):
    """tiny-moe once more, as Qwen3-VL-MoE was released."""
    folder.mkdir(exist_ok=True)
    tensors = load_file(joint / "model.safetensors")
    for name in tensors:
        if ".experts." in name:
            tensors[name] = tensors[name].transpose(1, 2).contiguous()
    names = sorted(tensors)
    shards = [names[:len(names) // 2], names[len(names) // 2:]]
    weight_map = {}
    for number, shard in enumerate(shards, 1):
        file = f"model-{number:05}-of-{len(shards):05}.safetensors"
        save_file({name: tensors[name] for name in shard}, folder / file, {"format": "pt"})
        weight_map.update({name: file for name in shard})
    size = sum(t.numel() * t.element_size() for t in tensors.values())
    write_json(folder / "model.safetensors.index.json", {"metadata": {"total_size": size}, "weight_map": weight_map})

    config = json.loads((joint / "config.json").read_text(encoding="utf-8"))
    text = config["text_config"]
    rope = text.pop("rope_parameters")
    text["rope_theta"] = rope.pop("rope_theta")
    text["rope_scaling"] = rope
    text["num_experts"] = text.pop("num_local_experts", text.get("num_experts"))
    config["vision_config"]["model_type"] = "qwen3_vl_moe"
    config["vision_config"].pop("rope_parameters", None)
    config["torch_dtype"] = config.pop("dtype")
    config["transformers_version"] = "4.57.0.dev0"
    write_json(folder / "config.json", config)
    processor = json.loads((joint / "processor_config.json").read_text(encoding="utf-8"))
    write_json(folder / "preprocessor_config.json", processor["image_processor"])
    write_json(folder / "video_preprocessor_config.json", processor["video_processor"])
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        (folder / name).write_bytes((joint / name).read_bytes())


# --- pictures ----------------------------------------------------------------------------------------

def drawn(width, height, shift=0):
    """Flat ground, a bar, a disc and a thin line."""
    y, x = numpy.mgrid[0:height, 0:width]
    picture = numpy.full((height, width, 3), (236, 232, 214), numpy.uint8)
    picture[(x > width // 8) & (x < width // 3) & (y > height // 4)] = (40, 90, 200)
    picture[(x - width * 2 // 3 - shift) ** 2 + (y - height // 2) ** 2 < (min(width, height) // 4) ** 2] = (210, 40, 50)
    picture[(x + y) % 23 == shift % 23] = (10, 10, 10)
    return Image.fromarray(picture)


def photographed(width, height):
    """Slow waves of colour with grain, as a photograph has."""
    source = numpy.random.default_rng(7)
    y, x = numpy.mgrid[0:height, 0:width] / 40
    waves = numpy.stack([numpy.sin(x + 2 * y), numpy.cos(2.5 * x - y), numpy.sin(x * y / 2)], -1)
    return Image.fromarray(numpy.clip(128 + 90 * waves + source.normal(0, 6, waves.shape), 0, 255).astype(numpy.uint8))


def clip(count, width, height):
    return [drawn(width, height, 3 * i) for i in range(count)]


CASES = {
    "text": {"question": "Describe this image in one sentence.", "tail": 0},
    "image": {"question": "What is this?", "images": [drawn(90, 70)]},
    "photo": {"question": "Describe.", "images": [photographed(150, 130)]},
    "two-images": {"question": "How do they differ?", "images": [drawn(64, 64, 9), photographed(100, 33)]},
    "video": {"question": "What moves?", "frames": clip(5, 70, 40), "fps": 4},
    "image-video": {"question": "Is it the same?", "images": [drawn(60, 34, 5)], "frames": clip(4, 64, 32), "fps": 2},
}


def make_case(model, name, folder, options):
    case = CASES[name]
    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    words = [model, folder, "--question", case["question"], "--greedy", "12",
             "--tail", case.get("tail", 4), *options]
    for index, picture in enumerate(case.get("images", [])):
        picture.save(scratch / f"image{index}.png", optimize=True)
        words += ["--image", scratch / f"image{index}.png"]
    if "frames" in case:
        (scratch / "frames").mkdir()
        for index, picture in enumerate(case["frames"]):
            picture.save(scratch / "frames" / f"{index:03}.png", optimize=True)
        words += ["--video-frames", scratch / "frames", "--fps", str(case["fps"])]
    sys.argv = ["export_reference.py", *(str(word) for word in words)]
    export_reference.main()
    for path in sorted(scratch.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    scratch.rmdir()
    return nearest(folder)


def nearest(folder):
    """The least distance between the last expert chosen and the first that is not, over all tokens and layers."""
    least = float("inf")
    with safe_open(folder / "golden.safetensors", "pt") as golden:
        for name in golden.keys():
            if name.startswith("router") and name.endswith(".0"):
                chosen = golden.get_tensor(name[:-1] + "2").shape[-1]
                logits = golden.get_tensor(name).sort(-1, descending=True).values
                least = min(least, (logits[:, chosen - 1] - logits[:, chosen]).min().item())
    return least


def greedy_margin(model, folder):
    """The least distance between the best token and the second, over the greedy answer of a case without pictures."""
    with safe_open(folder / "golden.safetensors", "pt") as golden:
        ids = torch.cat([golden.get_tensor("input_ids")[0], golden.get_tensor("greedy")])
        count = len(golden.get_tensor("greedy"))
    loaded = transformers.AutoModelForImageTextToText.from_pretrained(model, dtype=torch.float32).eval()
    with torch.no_grad():
        logits = loaded(input_ids=ids[None]).logits[0, -count - 1:-1].sort(-1, descending=True).values
    return (logits[:, 0] - logits[:, 1]).min().item()


def main():
    golden = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "tests" / "golden")
    for kind in ("tiny-moe", "tiny-dense"):
        model = golden / kind
        save_model(kind, model)
        for name in CASES:
            options = ["--no-pixels"] if kind == "tiny-dense" else []
            least = make_case(model, name, model / "cases" / name, options)
            if least < NEAR:
                sys.exit(f"{kind} {name}: two experts are {least} apart; try another seed")
        least = greedy_margin(model, model / "cases" / "text")
        if least < NEAR:
            sys.exit(f"{kind}: two tokens are {least} apart; try another seed")
    save_released(golden / "tiny-moe", golden / "tiny-moe-release")
    for path in golden.glob("tiny-*/**/*.safetensors"):
        path.chmod(0o644)


if __name__ == "__main__":
    main()
