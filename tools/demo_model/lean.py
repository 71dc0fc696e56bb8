"""The forward pass of Qwen3-VL-MoE on the parameters of transformers' own class, arranged for training.

All sequences of a batch share their layout (batches.py), so vision attention is one batched call and positions
are computed once. Nothing here waits for the device, so train.py can capture a whole pass as a CUDA graph.
lean_test.py holds it against transformers. Parameters come as a dict by their
transformers 5 names: experts are [E, 2F, C] and [E, C, F].

Shapes: S pictures, N patches of each, K numbers of a patch; B talks, L tokens of each; M rows of any kind, C their
width; E experts, k chosen.
"""

import functools

import torch
import torch.nn.functional as F

TEXT, VISUAL = "model.language_model.", "model.visual."
# Training sees pixels less the light ground of most pictures, so that the ground's sum does not drown the rest:
# 239 of 255, the middle of scenes.ground, on the scale -1..1. checkpoint.with_ground moves it into the bias of the
# patch embedding.
GROUND = 0.88
EPSILON = 1e-6


@functools.lru_cache(None)
def merge_order(rows, columns, device):
    """Row and column of each patch, in the order of the vision tower."""
    at = torch.arange(rows * columns, device=device)
    inner = at // 4
    return 2 * (inner // (columns // 2)) + at // 2 % 2, 2 * (inner % (columns // 2)) + at % 2


@functools.lru_cache(None)
def table_shares(rows, columns, side, device):
    """[rows * columns, side * side]: how each patch mixes the rows of the position table."""
    row, column = merge_order(rows, columns, device)
    y, x = row * (side - 1) / (rows - 1), column * (side - 1) / (columns - 1)
    y0, x0 = y.floor().long(), x.floor().long()
    y1, x1 = (y0 + 1).clamp(max=side - 1), (x0 + 1).clamp(max=side - 1)
    dy, dx = y - y0, x - x0
    shares = torch.zeros(rows * columns, side * side, device=device)
    for index, weight in ((y0 * side + x0, (1 - dy) * (1 - dx)), (y0 * side + x1, (1 - dy) * dx),
                          (y1 * side + x0, dy * (1 - dx)), (y1 * side + x1, dy * dx)):
        shares.scatter_add_(1, index[:, None], weight[:, None])
    return shares


@functools.lru_cache(None)
def vision_turns(rows, columns, dim, device, dtype):
    """cos and sin [rows * columns, 1, dim / 2] of each patch's row, then of its column; dim is a head's."""
    row, column = merge_order(rows, columns, device)
    inverse = 10000.0 ** (-torch.arange(0, dim // 2, 2, device=device).float() / (dim // 2))
    angle = torch.cat([row[:, None] * inverse, column[:, None] * inverse], 1)
    return angle.cos().to(dtype)[:, None], angle.sin().to(dtype)[:, None]


def text_turns(positions, dim, theta, sections, dtype):
    """cos and sin [L, 1, dim / 2] of interleaved positions [3, L]."""
    inverse = theta ** (-torch.arange(0, dim, 2, device=positions.device).float() / dim)
    angle = positions.float()[:, :, None] * inverse
    turned = angle[0].clone()
    for axis in (1, 2):
        turned[:, axis:3 * sections[axis]:3] = angle[axis, :, axis:3 * sections[axis]:3]
    return turned.cos().to(dtype)[:, None], turned.sin().to(dtype)[:, None]


def turn(x, cos, sin):
    """Rotary embedding of the last axis, dim: halves make pairs; cos and sin [..., dim / 2]."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def to_patches(pixels, rows, columns):
    """uint8 [S, frames, H, W, 3] to [S, rows * columns, 3 * frames * 256] in merge order, in -1..1."""
    count, frames = pixels.shape[:2]
    x = pixels.view(count, frames, rows // 2, 2, 16, columns // 2, 2, 16, 3)
    x = x.permute(0, 2, 5, 3, 6, 8, 1, 4, 7).reshape(count, rows * columns, 3 * frames * 256)
    return (x.float() - 127.5) / 127.5


class Dispatch(torch.autograd.Function):
    """Rows of x [M, C], k copies each, in the order of `order` [M * k]; `back` is its inverse.

    The backward pass of a gather adds rows atomically; with the inverse at hand it is a gather again.
    """

    @staticmethod
    def forward(ctx, x, order, back, k):
        ctx.save_for_backward(back)
        ctx.k = k
        return x[order // k]

    @staticmethod
    def backward(ctx, grad):
        back, = ctx.saved_tensors
        return grad[back].view(-1, ctx.k, grad.shape[-1]).sum(1), None, None, None


def grouped(x, weight, ends):
    """x[rows of expert e] @ weight[e] for each expert; weight [E, in, out]."""
    if x.is_cuda:
        return torch._grouped_mm(x, weight, offs=ends)
    starts = [0] + ends.tolist()
    return torch.cat([x[a:b] @ weight[e] for e, (a, b) in enumerate(zip(starts, starts[1:]))])


def vision_block(x, cos, sin, heads, p):
    """One block of the vision tower on x [S, N, C]; cos and sin as vision_turns gives them; p holds its parameters
    by their short names."""
    count, number, width = x.shape

    def norm(name, h):
        return F.layer_norm(h, (width,), p[name + ".weight"], p[name + ".bias"], EPSILON)

    def linear(name, h):
        return F.linear(h, p[name + ".weight"], p[name + ".bias"])
    qkv = linear("attn.qkv", norm("norm1", x)).view(count, number, 3, heads, width // heads)
    qk = turn(qkv[:, :, :2], cos[:, None], sin[:, None])
    q, k, u = qk[:, :, 0], qk[:, :, 1], qkv[:, :, 2]
    h = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), u.transpose(1, 2))
    x = x + linear("attn.proj", h.transpose(1, 2).reshape(count, number, width))
    h = F.gelu(linear("mlp.linear_fc1", norm("norm2", x)), approximate="tanh")
    return x + linear("mlp.linear_fc2", h)


def merge(x, joined, p):
    """Patches [M, C] to tokens [M / 4, O]; joined normalises the four patches of a token together."""
    wide = 4 * x.shape[-1]
    h = x.reshape(-1, wide) if joined else x
    h = F.layer_norm(h, (h.shape[-1],), p["norm.weight"], p["norm.bias"], EPSILON).reshape(-1, wide)
    h = F.gelu(F.linear(h, p["linear_fc1.weight"], p["linear_fc1.bias"]))
    return F.linear(h, p["linear_fc2.weight"], p["linear_fc2.bias"])


def attention(x, cos, sin, dim, p):
    """x [B, L, C] with what causal attention adds to it; cos and sin as text_turns gives them, dim is a head's."""
    batch, length, width = x.shape

    def norm(name, h):
        return F.rms_norm(h, (h.shape[-1],), p[name + ".weight"], EPSILON)
    h = norm("input_layernorm", x)
    q, k, u = (F.linear(h, p[f"self_attn.{c}_proj.weight"]).view(batch, length, -1, dim) for c in "qkv")
    q = turn(norm("self_attn.q_norm", q), cos, sin)
    k = turn(norm("self_attn.k_norm", k), cos, sin)
    h = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), u.transpose(1, 2),
                                       is_causal=True, enable_gqa=True)
    return x + F.linear(h.transpose(1, 2).reshape(batch, length, -1), p["self_attn.o_proj.weight"])


def route(x, valid, k, p):
    """Of rows x [M, C] and valid [M], 0 on padding: normed rows, weights and numbers [M, k] of the chosen experts,
    one-hot choices [M, E], the balance loss (Fedus et al., Switch Transformers, eq. 4) and valid rows per expert."""
    h = F.rms_norm(x, (x.shape[-1],), p["post_attention_layernorm.weight"], EPSILON)
    share = F.linear(h, p["mlp.gate.weight"]).float().softmax(-1)
    top, chosen = share.topk(k, -1)
    top = (top / top.sum(-1, keepdim=True)).to(h.dtype)
    experts = torch.arange(share.shape[1], device=x.device)
    hits = (chosen[:, :, None] == experts).any(1).to(torch.float32)
    counts = (valid[:, None] * hits).sum(0)
    used = (counts / (valid.sum() * k)).detach()
    balance = len(experts) * (used * ((valid[:, None] * share).sum(0) / valid.sum())).sum()
    return h, top, chosen, hits, balance, counts


def gated(h):
    """SwiGLU of h [M, 2F]: gates, then what they let through."""
    gate, up = h.chunk(2, -1)
    return F.silu(gate) * up


def combine(x, h, top):
    """x [M, C] and the weighted sum of h [M * k, C]."""
    return x + (h.view(*top.shape, -1) * top[:, :, None]).sum(1)


def under(p, prefix):
    """The parameters whose names begin so, by the rest of their names."""
    return {name[len(prefix):]: tensor for name, tensor in p.items() if name.startswith(prefix)}


class Lean:
    """The forward pass of one shape of model: `see`, then `read`, then `answers`."""

    def __init__(self, config, compiled=False):
        """compiled: the parts between matrix products run as fused kernels, compiled for any batch."""
        self.text, self.vision = config.text_config, config.vision_config
        self.theta = self.text.rope_parameters["rope_theta"]
        self.sections = self.text.rope_parameters["mrope_section"]
        parts = (vision_block, merge, attention, route, gated, combine)
        self.compiled = compiled
        self.parts = {part.__name__: torch.compile(part) if compiled else part for part in parts}

    def run(self, name, x, *rest):
        """The part of this name; x, and what has its rows, may have any number of them."""
        if self.compiled:
            for tensor in (x, *rest):
                if isinstance(tensor, torch.Tensor):
                    for dim in range(max(1, tensor.dim() - 1)):
                        if tensor.shape[dim] > 1:
                            torch._dynamo.maybe_mark_dynamic(tensor, dim)
        return self.parts[name](x, *rest)

    def see(self, p, patches, rows, columns):
        """Patches [S, N, K] to merged features [S * N / 4, O] and the list of DeepStack levels."""
        v = self.vision
        inputs = patches.shape[-1]
        weight = p[VISUAL + "patch_embed.proj.weight"]
        # A still picture is the same frame twice.
        weight = weight.sum(2) if inputs == 768 else weight
        x = F.linear(patches - GROUND, weight.reshape(v.hidden_size, -1), p[VISUAL + "patch_embed.proj.bias"])
        side = int(v.num_position_embeddings**0.5)
        shares = table_shares(rows, columns, side, patches.device)
        x = x + (shares @ p[VISUAL + "pos_embed.weight"].float()).to(x.dtype)
        cos, sin = vision_turns(rows, columns, v.hidden_size // v.num_heads, x.device, x.dtype)
        levels = []
        for layer in range(v.depth):
            x = self.run("vision_block", x, cos, sin, v.num_heads, under(p, f"{VISUAL}blocks.{layer}."))
            if layer in v.deepstack_visual_indexes:
                level = v.deepstack_visual_indexes.index(layer)
                levels.append(self.run("merge", x.flatten(0, 1), True,
                                       under(p, f"{VISUAL}deepstack_merger_list.{level}.")))
        return self.run("merge", x.flatten(0, 1), False, under(p, VISUAL + "merger.")), levels

    def read(self, p, ids, positions, visual, features, levels, valid):
        """Final hidden states [B, L, C], the balance losses, and rows per expert [layers, E].

        ids [B, L], positions [3, L] and visual [V] as batches.py makes them; features [B, V, C]; valid [B, L]
        floats, 0 on padding.
        """
        t = self.text
        k = t.num_experts_per_tok
        # As a product with one-hot rows: its backward pass needs no sort and can be captured.
        hot = ids[:, :, None] == torch.arange(t.vocab_size, device=ids.device)
        x = hot.to(p[TEXT + "norm.weight"].dtype) @ p[TEXT + "embed_tokens.weight"]
        if features is not None:
            x = x.index_copy(1, visual, features)
        cos, sin = text_turns(positions, t.head_dim, self.theta, self.sections, x.dtype)
        valid = valid.view(-1)
        balances, counts = [], []
        for layer in range(t.num_hidden_layers):
            mine = under(p, f"{TEXT}layers.{layer}.")
            x = self.run("attention", x, cos, sin, t.head_dim, mine)
            flat = x.view(-1, x.shape[-1])
            h, top, chosen, hits, balance, used = self.run("route", flat, valid, k, mine)
            order = chosen.reshape(-1).to(torch.int16).argsort(stable=True)
            back = torch.empty_like(order)
            back[order] = torch.arange(len(order), device=x.device)
            ends = hits.sum(0).cumsum(0).to(torch.int32)
            h = Dispatch.apply(h, order, back, k)
            h = self.run("gated", grouped(h, mine["mlp.experts.gate_up_proj"].transpose(1, 2), ends))
            h = grouped(h, mine["mlp.experts.down_proj"].transpose(1, 2), ends)
            x = self.run("combine", flat, Dispatch.apply(h, back, order, 1), top).view_as(x)
            balances.append(balance)
            counts.append(used)
            if features is not None and layer < len(levels):
                x = x.index_add(1, visual, levels[layer])
        x = F.rms_norm(x, (x.shape[-1],), p[TEXT + "norm.weight"], EPSILON)
        return x, torch.stack(balances), torch.stack(counts)

    def answers(self, p, hidden, sources):
        """Logits [A, V] at the flat positions that predict an answer's tokens."""
        return F.linear(hidden.reshape(-1, hidden.shape[-1]).index_select(0, sources), p["lm_head.weight"])
