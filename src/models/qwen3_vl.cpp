// Reads top to bottom: weights, then the forward from embedding to logits, one op a line.
#include "models/qwen3_vl.h"

#include <algorithm>
#include <cmath>

#include "models/mrope.h"
#include "ops/add/add.h"
#include "ops/attention/attention.h"
#include "ops/convert/convert.h"
#include "ops/embed/embed.h"
#include "ops/gather_rows/gather_rows.h"
#include "ops/kv_write/kv_write.h"
#include "ops/linear/linear.h"
#include "ops/moe_experts/moe_experts.h"
#include "ops/moe_route/moe_route.h"
#include "ops/rms_norm/rms_norm.h"
#include "ops/rope/rope.h"
#include "ops/rope_table/rope_table.h"
#include "ops/scatter_rows/scatter_rows.h"
#include "ops/swiglu/swiglu.h"

namespace saker {

// --- Weights ---

Qwen3Vl::Qwen3Vl(const Qwen3VlConfig& config, WeightSource& source, DType compute)
    : config_(config),
      vision_(config.vision, source),
      frequencies_(text_frequencies(config.text.rope, config.text.head_dim)) {
    const Qwen3VlTextConfig& text = config.text;
    const int64_t V = text.vocab_size, C = text.hidden_size;
    embed_tokens_ = source.tensor("model.language_model.embed_tokens.weight", {V, C});
    for (int64_t i = 0; i < text.num_layers; ++i) layers_.push_back(load_layer(i, source));
    norm_ = source.tensor("model.language_model.norm.weight", {C});
    // The flag lies in some re-saved files; the presence of the tensor does not
    // (specification 1.2, 1.4).
    if (source.has("lm_head.weight"))
        lm_head_ = source.tensor("lm_head.weight", {V, C});
    else if (config.tie.tied())
        lm_head_ = embed_tokens_;
    else
        throw StartupError(
            "The checkpoint has no lm_head.weight, and its config.json " + config.tie.said() +
            ": where the model is tied, set tie_word_embeddings to true there, else fetch the "
            "weights again.");

    shape_.family = config.model_type;
    shape_.vocab_size = V;
    shape_.hidden_size = C;
    shape_.num_layers = text.num_layers;
    shape_.num_kv_heads = text.num_kv_heads;
    shape_.head_dim = text.head_dim;
    shape_.max_context = text.max_context;
    shape_.num_feature_levels = 1 + static_cast<int64_t>(config.vision.deepstack_indexes.size());
    shape_.patch_bytes = config.vision.patch_elements();
    shape_.patch_size = config.vision.patch_size;
    shape_.temporal_patch_size = config.vision.temporal_patch_size;
    shape_.merge_size = config.vision.merge_size;
    shape_.image_token = config.image_token;
    shape_.video_token = config.video_token;
    shape_.vision_start_token = config.vision_start_token;
    shape_.vision_end_token = config.vision_end_token;
    shape_.compute = compute;
}

Qwen3Vl::Layer Qwen3Vl::load_layer(int64_t index, WeightSource& source) const {
    const Qwen3VlTextConfig& text = config_.text;
    const int64_t C = text.hidden_size, D = text.head_dim;
    const int64_t q = text.num_heads * D, kv = text.num_kv_heads * D, F = text.intermediate_size;
    const std::string root = "model.language_model.layers." + std::to_string(index) + ".";
    const auto weight = [&](const char* name, std::initializer_list<int64_t> shape) {
        return source.tensor(root + name + ".weight", shape);
    };
    Layer layer;
    layer.input_norm = weight("input_layernorm", {C});
    layer.post_attention_norm = weight("post_attention_layernorm", {C});
    layer.q_proj = weight("self_attn.q_proj", {q, C});
    layer.k_proj = weight("self_attn.k_proj", {kv, C});
    layer.v_proj = weight("self_attn.v_proj", {kv, C});
    layer.o_proj = weight("self_attn.o_proj", {C, q});
    layer.q_norm = weight("self_attn.q_norm", {D});
    layer.k_norm = weight("self_attn.k_norm", {D});
    if (text.is_moe_layer(index)) {
        layer.router = weight("mlp.gate", {text.num_experts, C});
        layer.experts =
            source.experts(root + "mlp.experts", text.num_experts, text.moe_intermediate_size, C);
    } else {
        layer.gate_proj = weight("mlp.gate_proj", {F, C});
        layer.up_proj = weight("mlp.up_proj", {F, C});
        layer.down_proj = weight("mlp.down_proj", {C, F});
    }
    return layer;
}

// --- Forward ---

int64_t Qwen3Vl::scratch_bytes(const StepLimits& limits) const {
    const Qwen3VlTextConfig& text = config_.text;
    const int64_t T = limits.max_tokens, element = size_of(shape_.compute);
    const int64_t q = text.num_heads * text.head_dim, kv = text.num_kv_heads * text.head_dim;
    const int64_t expert_rows = text.num_experts > 0 ? text.num_experts_per_token : 0;
    // A layer's widest moments: attention (q, k, v, out) and the MLP (dense, or A expert rows a
    // token); the ops' own tiles and copies are covered by doubling.
    const int64_t width = text.hidden_size * (4 + expert_rows) + 2 * q + 2 * kv +
                          3 * text.intermediate_size +
                          3 * expert_rows * text.moe_intermediate_size + text.num_experts +
                          shape_.num_feature_levels * text.hidden_size + text.head_dim;
    const int64_t logits = limits.max_logit_rows * text.vocab_size * (element + 8);
    return 2 * T * width * std::max<int64_t>(element, 4) + logits + (int64_t{64} << 20) +
           vision_.scratch_bytes(limits.max_patches, shape_.compute);
}

Positions Qwen3Vl::positions(int64_t num_tokens, std::span<const PositionBlock> blocks) const {
    return mrope_positions(num_tokens, blocks);
}

void Qwen3Vl::encode(const Exec& ex, const VisionBatch& batch,
                     std::span<const Tensor> features) const {
    vision_.encode(ex, batch, shape_.compute, features);
}

void Qwen3Vl::attend(const Exec& ex, const Layer& layer, const Batch& batch,
                     const LayerPages& pages, const Tensor& out, const Tensor& h, const Tensor& cos,
                     const Tensor& sin) const {
    ScratchScope scratch(ex);
    const Qwen3VlTextConfig& text = config_.text;
    const auto eps = static_cast<float>(text.rms_norm_eps);
    const int64_t T = h.dim(0), H = text.num_heads, K = text.num_kv_heads, D = text.head_dim;
    const Tensor q = scratch.take(h.dtype(), {T, H * D});
    const Tensor k = scratch.take(h.dtype(), {T, K * D});
    const Tensor v = scratch.take(h.dtype(), {T, K * D});
    const Tensor attended = scratch.take(h.dtype(), {T, H * D});
    linear(ex, q, h, layer.q_proj);
    linear(ex, k, h, layer.k_proj);
    linear(ex, v, h, layer.v_proj);
    const Tensor q_heads = q.reshape({T, H, D}), k_heads = k.reshape({T, K, D});
    rms_norm(ex, q_heads, q_heads, layer.q_norm, eps);
    rms_norm(ex, k_heads, k_heads, layer.k_norm, eps);
    rope(ex, q_heads, cos, sin);
    rope(ex, k_heads, cos, sin);
    kv_write(ex, pages.keys, pages.values, k_heads, v.reshape({T, K, D}), batch.slots);
    attention(ex, attended.reshape({T, H, D}), q_heads, pages.keys, pages.values, batch.starts,
              batch.context, batch.page_table, 1.0f / std::sqrt(static_cast<float>(D)));
    linear(ex, out, attended, layer.o_proj);
}

void Qwen3Vl::run_mlp(const Exec& ex, const Layer& layer, const Tensor& out,
                      const Tensor& h) const {
    ScratchScope scratch(ex);
    const int64_t T = h.dim(0), F = config_.text.intermediate_size;
    const Tensor gate_up = scratch.take(h.dtype(), {T, 2 * F});
    const Tensor middle = scratch.take(h.dtype(), {T, F});
    linear(ex, gate_up.columns(0, F), h, layer.gate_proj);
    linear(ex, gate_up.columns(F, 2 * F), h, layer.up_proj);
    swiglu(ex, middle, gate_up);
    linear(ex, out, middle, layer.down_proj);
}

void Qwen3Vl::run_experts(const Exec& ex, const Layer& layer, int64_t index, const Tensor& out,
                          const Tensor& h) const {
    ScratchScope scratch(ex);
    const int64_t T = h.dim(0), E = config_.text.num_experts,
                  A = config_.text.num_experts_per_token;
    const Tensor logits = scratch.take(h.dtype(), {T, E});
    const Tensor experts = scratch.take(DType::i32, {T, A});
    const Tensor weights = scratch.take(h.dtype(), {T, A});
    linear(ex, logits, h, layer.router);
    moe_route(ex, experts, weights, logits);
    ex.show("router_logits", index, logits);
    ex.show("router_weights", index, weights);
    ex.show("router_experts", index, experts);
    moe_experts(ex, out, h, experts, weights, layer.experts.gate_up, layer.experts.down);
}

void Qwen3Vl::forward(const Exec& ex, const Batch& batch, const Tensor& logits) const {
    ScratchScope scratch(ex);
    const Qwen3VlTextConfig& text = config_.text;
    const auto eps = static_cast<float>(text.rms_norm_eps);
    const DType compute = shape_.compute;
    const int64_t T = batch.num_tokens(), C = text.hidden_size, J = text.head_dim / 2;

    const Tensor x = scratch.take(compute, {T, C});    // the residual stream
    const Tensor h = scratch.take(compute, {T, C});    // its norm
    const Tensor sum = scratch.take(compute, {T, C});  // what a sublayer adds
    embed(ex, x, batch.ids, embed_tokens_);
    if (batch.visual_rows)
        scatter_rows(ex, x, batch.visual_rows, batch.visual_features[0], Scatter::set);

    const Tensor cos = scratch.take(compute, {T, J}), sin = scratch.take(compute, {T, J});
    {
        ScratchScope inner(ex);
        rope_table(ex, cos, sin, batch.positions, inner.take_copy(frequencies_.inv_freq, {J}),
                   inner.take_copy(frequencies_.axis, {J}), frequencies_.scale);
    }

    for (size_t i = 0; i < layers_.size(); ++i) {
        const Layer& layer = layers_[i];
        const auto index = static_cast<int64_t>(i);
        rms_norm(ex, h, x, layer.input_norm, eps);
        attend(ex, layer, batch, batch.pages[i], sum, h, cos, sin);
        add(ex, x, x, sum);
        rms_norm(ex, h, x, layer.post_attention_norm, eps);
        if (layer.router)
            run_experts(ex, layer, index, sum, h);
        else
            run_mlp(ex, layer, sum, h);
        add(ex, x, x, sum);
        ex.show("layer", index, x);
        // DeepStack level i + 1 belongs behind layer i (specification 3.8).
        if (batch.visual_rows && i + 1 < batch.visual_features.size())
            scatter_rows(ex, x, batch.visual_rows, batch.visual_features[i + 1], Scatter::add);
    }

    const int64_t N = batch.logit_rows.dim(0);
    if (N == 0) return;
    const Tensor last = scratch.take(compute, {N, C}),
                 raw = scratch.take(compute, {N, text.vocab_size});
    gather_rows(ex, last, x, batch.logit_rows);
    rms_norm(ex, last, last, norm_, eps);
    linear(ex, raw, last, lm_head_);
    convert(ex, logits, raw);
}

}  // namespace saker
