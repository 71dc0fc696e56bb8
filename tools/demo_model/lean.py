"""The forward pass of Qwen3-VL-MoE on the parameters of transformers' own class, arranged for training.

All sequences of a batch share their layout (batches.py), so vision attention is one batched call and positions
are computed once. Nothing here waits for the device, so train.py can capture a whole pass as a CUDA graph.
lean_test.py holds it against transformers. Parameters come as a dict by their
transformers 5 names: experts are [E, 2F, C] and [E, C, F].
"""

import functools

import torch
import torch.nn.functional as F

TEXT, VISUAL = "model.language_model.", "model.visual."


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
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def to_patches(pixels, rows, columns):
    """uint8 [S, frames, H, W, 3] to [S, rows * columns, 3 * frames * 256] in merge order, in -1..1."""
    count, frames = pixels.shape[:2]
    x = pixels.view(count, frames, rows // 2, 2, 16, columns // 2, 2, 16, 3)
    x = x.permute(0, 2, 5, 3, 6, 8, 1, 4, 7).reshape(count, rows * columns, 3 * frames * 256)
    return (x.float() - 127.5) / 127.5


class Dispatch(torch.autograd.Function):
    """Rows of x, k copies each, in the order of `order`; `back` is its inverse."""

    @staticmethod
    def forward(ctx, x, order, back, k):
        ctx.save_for_backward(back)
        ctx.k = k
        return x[order // k]

    @staticmethod
    def backward(ctx, grad):
        back, = ctx.saved_tensors
        return grad[back].view(-1, ctx.k, grad.shape[-1]).sum(1), None, None, None


class Permute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, order, back):
        ctx.save_for_backward(back)
        return x[order]

    @staticmethod
    def backward(ctx, grad):
        back, = ctx.saved_tensors
        return grad[back], None, None


def grouped(x, weight, ends):
    """x[rows of expert e] @ weight[e] for each expert; weight [E, in, out]."""
    if x.is_cuda:
        return torch._grouped_mm(x, weight, offs=ends)
    starts = [0] + ends.tolist()
    return torch.cat([x[a:b] @ weight[e] for e, (a, b) in enumerate(zip(starts, starts[1:]))])


class Lean:
    def __init__(self, config):
        self.text, self.vision = config.text_config, config.vision_config
        self.theta = self.text.rope_parameters["rope_theta"]
        self.sections = self.text.rope_parameters["mrope_section"]

    def see(self, p, patches, rows, columns):
        """Patches [S, N, K] to merged features [S, N / 4, O] and the list of DeepStack levels."""
        v = self.vision
        count, number, inputs = patches.shape
        dim = v.hidden_size // v.num_heads
        weight = p[VISUAL + "patch_embed.proj.weight"]
        # A still picture is the same frame twice.
        weight = weight.sum(2) if inputs == 768 else weight
        x = F.linear(patches, weight.reshape(v.hidden_size, -1), p[VISUAL + "patch_embed.proj.bias"])
        side = int(v.num_position_embeddings**0.5)
        shares = table_shares(rows, columns, side, patches.device)
        x = x + (shares @ p[VISUAL + "pos_embed.weight"].float()).to(x.dtype)
        cos, sin = vision_turns(rows, columns, dim, x.device, x.dtype)
        levels = []
        for layer in range(v.depth):
            n = f"{VISUAL}blocks.{layer}."

            def linear(name, h):
                return F.linear(h, p[n + name + ".weight"], p[n + name + ".bias"])

            def norm(name, h):
                return F.layer_norm(h, (v.hidden_size,), p[n + name + ".weight"], p[n + name + ".bias"], 1e-6)
            qkv = linear("attn.qkv", norm("norm1", x)).view(count, number, 3, v.num_heads, dim)
            qk = turn(qkv[:, :, :2], cos[:, None], sin[:, None])
            q, k, u = qk[:, :, 0], qk[:, :, 1], qkv[:, :, 2]
            h = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), u.transpose(1, 2))
            x = x + linear("attn.proj", h.transpose(1, 2).reshape(count, number, -1))
            h = F.gelu(linear("mlp.linear_fc1", norm("norm2", x)), approximate="tanh")
            x = x + linear("mlp.linear_fc2", h)
            if layer in v.deepstack_visual_indexes:
                level = v.deepstack_visual_indexes.index(layer)
                levels.append(self.merge(p, f"{VISUAL}deepstack_merger_list.{level}.", x, True))
        return self.merge(p, VISUAL + "merger.", x, False), levels

    def merge(self, p, n, x, joined):
        wide = 4 * x.shape[-1]
        h = x.reshape(len(x), -1, wide) if joined else x
        h = F.layer_norm(h, (h.shape[-1],), p[n + "norm.weight"], p[n + "norm.bias"], 1e-6)
        h = h.reshape(len(x), -1, wide)
        h = F.gelu(F.linear(h, p[n + "linear_fc1.weight"], p[n + "linear_fc1.bias"]))
        return F.linear(h, p[n + "linear_fc2.weight"], p[n + "linear_fc2.bias"])

    def experts(self, p, n, x, valid):
        """The sparse block on rows x; also its balance loss and rows per expert among the valid ones."""
        t = self.text
        k, number = t.num_experts_per_tok, t.num_experts
        share = F.linear(x, p[n + "gate.weight"]).float().softmax(-1)
        top, chosen = share.topk(k, -1)
        top = (top / top.sum(-1, keepdim=True)).to(x.dtype)
        flat = chosen.reshape(-1)
        order = flat.to(torch.int16).argsort(stable=True)
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order), device=x.device)
        hits = torch.zeros_like(share).scatter_(1, chosen, 1.0)
        ends = hits.sum(0).cumsum(0).to(torch.int32)
        h = Dispatch.apply(x, order, back, k)
        h = grouped(h, p[n + "experts.gate_up_proj"].transpose(1, 2), ends)
        gate, up = h.chunk(2, -1)
        h = grouped(F.silu(gate) * up, p[n + "experts.down_proj"].transpose(1, 2), ends)
        h = Permute.apply(h, back, order).view(len(x), k, -1)
        y = (h * top[:, :, None]).sum(1)
        with torch.no_grad():
            counts = valid @ hits
        used = counts / (valid.sum() * k)
        balance = number * (used * (valid @ share / valid.sum())).sum()
        return y, balance, counts

    def read(self, p, ids, positions, visual, features, levels, valid):
        """Final hidden states [B, L, C], the balance losses, and rows per expert [layers, E].

        ids [B, L], positions [3, L] and visual [V] as batches.py makes them; features [B, V, C]; valid [B, L]
        floats, 0 on padding.
        """
        t = self.text
        # As a product with one-hot rows: its backward pass needs no sort and can be captured.
        hot = ids[:, :, None] == torch.arange(t.vocab_size, device=ids.device)
        x = hot.to(p[TEXT + "norm.weight"].dtype) @ p[TEXT + "embed_tokens.weight"]
        if features is not None:
            x = x.index_copy(1, visual, features)
        cos, sin = text_turns(positions, t.head_dim, self.theta, self.sections, x.dtype)
        batch, length, width = x.shape
        q_width, k_width = t.num_attention_heads * t.head_dim, t.num_key_value_heads * t.head_dim
        balances, counts = [], []
        for layer in range(t.num_hidden_layers):
            n = f"{TEXT}layers.{layer}."

            def norm(name, h):
                return F.rms_norm(h, (h.shape[-1],), p[n + name + ".weight"], t.rms_norm_eps)
            h = norm("input_layernorm", x)
            weight = torch.cat([p[f"{n}self_attn.{c}_proj.weight"] for c in "qkv"])
            q, k, u = F.linear(h, weight).split([q_width, k_width, k_width], -1)
            q = turn(norm("self_attn.q_norm", q.reshape(batch, length, -1, t.head_dim)), cos, sin)
            k = turn(norm("self_attn.k_norm", k.reshape(batch, length, -1, t.head_dim)), cos, sin)
            u = u.reshape(batch, length, -1, t.head_dim)
            h = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), u.transpose(1, 2),
                                               is_causal=True, enable_gqa=True)
            h = h.transpose(1, 2).reshape(batch, length, q_width)
            x = x + F.linear(h, p[n + "self_attn.o_proj.weight"])
            h = norm("post_attention_layernorm", x).view(-1, width)
            h, balance, used = self.experts(p, n + "mlp.", h, valid.view(-1))
            balances.append(balance)
            counts.append(used)
            x = x + h.view_as(x)
            if features is not None and layer < len(levels):
                x = x.index_add(1, visual, levels[layer])
        x = F.rms_norm(x, (width,), p[TEXT + "norm.weight"], t.rms_norm_eps)
        return x, torch.stack(balances), torch.stack(counts)

    def answers(self, p, hidden, sources):
        """Logits [A, V] at the flat positions that predict an answer's tokens."""
        return F.linear(hidden.reshape(-1, hidden.shape[-1]).index_select(0, sources), p["lm_head.weight"])
