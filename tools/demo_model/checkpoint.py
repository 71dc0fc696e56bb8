"""The shape of the demo model, and its weights on disk between training and export.

train.py makes the model from `configuration` and saves parts of at most PART bytes; export.py turns them into
the released layout.
"""

import pathlib

import safetensors.torch
import torch
import transformers

import lean

PART = 15_500_000  # bytes: what a file of weights holds at most
EMBED = lean.VISUAL + "patch_embed.proj."


def configuration(coder):
    """config.json, in the spelling of transformers 4.57."""
    return {
        "architectures": ["Qwen3VLMoeForConditionalGeneration"],
        "image_token_id": coder.image,
        "model_type": "qwen3_vl_moe",
        "text_config": {
            "attention_bias": False, "attention_dropout": 0.0,
            "bos_token_id": coder.id("<|endoftext|>"), "decoder_sparse_step": 1,
            "eos_token_id": coder.end, "head_dim": 32, "hidden_act": "silu", "hidden_size": 256,
            "initializer_range": 0.03, "intermediate_size": 768, "max_position_embeddings": 8192,
            "mlp_only_layers": [], "model_type": "qwen3_vl_moe_text", "moe_intermediate_size": 88,
            "norm_topk_prob": True, "num_attention_heads": 8, "num_experts": 16,
            "num_experts_per_tok": 4, "num_hidden_layers": 6, "num_key_value_heads": 2,
            "rms_norm_eps": 1e-6,
            "rope_scaling": {"mrope_interleaved": True, "mrope_section": [6, 5, 5],
                             "rope_type": "default"},
            "rope_theta": 10000.0, "use_cache": True, "vocab_size": -(-coder.vocabulary // 32) * 32,
        },
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        "transformers_version": "4.57.0",
        "video_token_id": coder.video,
        "vision_config": {
            "deepstack_visual_indexes": [1, 3, 5], "depth": 8, "hidden_act": "gelu_pytorch_tanh",
            "hidden_size": 192, "in_channels": 3, "initializer_range": 0.03, "intermediate_size": 768,
            "model_type": "qwen3_vl_moe", "num_heads": 6, "num_position_embeddings": 576,
            "out_hidden_size": 256, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2,
        },
        "vision_end_token_id": coder.vision_end,
        "vision_start_token_id": coder.vision_start,
    }


def new_model(coder):
    """transformers' own class with random weights, in float32.

    Positions must not drown: the position table starts as waves along both axes as large as the patches.
    """
    config = transformers.Qwen3VLMoeConfig.from_dict(configuration(coder))
    model = transformers.Qwen3VLMoeForConditionalGeneration(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() < 2:
                continue
            leaves_block = name.endswith(("attn.proj.weight", "mlp.linear_fc2.weight", "o_proj.weight",
                                          "down_proj"))
            weight.normal_(0, 0.02 if leaves_block or "patch_embed" in name else 0.05)
        model.model.language_model.embed_tokens.weight.normal_(0, 0.3)
        model.model.visual.patch_embed.proj.bias.zero_()
        table = model.model.visual.pos_embed.weight
        table.copy_(waves(int(table.shape[0]**0.5), table.shape[1]))
    return model


def with_ground(tensors):
    """Training's tensors as transformers reads them: the bias of the patch embedding takes out lean.GROUND."""
    weight, bias = (tensors[EMBED + name].detach().float().cpu() for name in ("weight", "bias"))
    return {**tensors, EMBED + "bias": bias - lean.GROUND * weight.sum((1, 2, 3, 4))}


def waves(side, width):
    """[side * side, width]: sines and cosines of y, then of x, from half a period to eight."""
    number = width // 4
    periods = 0.5 * 16 ** (torch.arange(number) / (number - 1))
    angle = 2 * torch.pi * torch.arange(side)[:, None] / (side - 1) * periods
    axis = 0.7 * torch.cat([angle.sin(), angle.cos()], 1)
    return torch.cat([axis[:, None].expand(side, side, -1), axis[None].expand(side, side, -1)],
                     2).reshape(side * side, width)


def split(tensors):
    """The tensors, in their order, as dicts of at most PART bytes."""
    parts, size = [{}], 0
    for name, tensor in tensors.items():
        if size + tensor.nbytes > PART:
            parts.append({})
            size = 0
        parts[-1][name] = tensor
        size += tensor.nbytes
    return parts


def save_parts(tensors, folder):
    """Writes bfloat16 parts part-N.safetensors, each whole before it takes its name."""
    parts = split({name: tensor.detach().to("cpu", torch.bfloat16).contiguous() for name, tensor in tensors.items()})
    for index, part in enumerate(parts):
        path = pathlib.Path(folder) / f"part-{index}.safetensors"
        safetensors.torch.save_file(part, str(path) + ".new")
        pathlib.Path(str(path) + ".new").rename(path)
    for path in pathlib.Path(folder).glob("part-*.safetensors"):
        if int(path.stem.removeprefix("part-")) >= len(parts):  # of an earlier, longer save
            path.unlink()


def load_parts(folder):
    tensors = {}
    for path in sorted(pathlib.Path(folder).glob("part-*.safetensors")):
        tensors.update(safetensors.torch.load_file(path))
    return tensors
