// Qwen3-VL, dense and mixture of experts: the text decoder with the vision tower before it.
//
// Three parts in order, as every family: configuration (qwen3_vl_config.h), weights with shapes,
// forward. Model specification sections 2 and 3.
#pragma once

#include <filesystem>
#include <memory>

#include "models/model.h"
#include "models/qwen3_vision.h"
#include "models/qwen3_vl_config.h"
#include "models/weight_source.h"

namespace saker {

class Qwen3Vl : public Model {
  public:
    /// Asks `source` for every weight. `compute` is f32 or bf16.
    Qwen3Vl(const Qwen3VlConfig& config, WeightSource& source, DType compute);

    int64_t scratch_bytes(const StepLimits& limits) const override;
    Positions positions(int64_t num_tokens, std::span<const PositionBlock> blocks) const override;
    void encode(const Exec& ex, const VisionBatch& batch,
                std::span<const Tensor> features) const override;
    void forward(const Exec& ex, const Batch& batch, const Tensor& logits) const override;

    /// How bytes of pixels become numbers; see normalize.h.
    void set_normalization(std::span<const float> mean, std::span<const float> deviation) {
        vision_.set_normalization(mean, deviation);
    }

    /// See LoadOptions::bf16_rope_frequencies.
    void round_rope_frequencies() {
        for (float& f : frequencies_.inv_freq) f = round_bf16(f);
    }

  private:
    struct Layer {
        Tensor input_norm, post_attention_norm;  // [C]
        Tensor q_proj;                           // [H*D, C]
        Tensor k_proj, v_proj;                   // [K*D, C]
        Tensor o_proj;                           // [C, H*D]
        Tensor q_norm, k_norm;                   // [D]
        // Dense layers.
        Tensor gate_proj, up_proj;  // [F, C]
        Tensor down_proj;           // [C, F]
        // Layers of experts.
        Tensor router;            // [E, C]
        Loader::Experts experts;  // [E, 2F, C], [E, C, F]
    };

    Layer load_layer(int64_t index, WeightSource& source) const;
    void attend(const Exec& ex, const Layer& layer, const Batch& batch, const LayerPages& pages,
                const Tensor& out, const Tensor& h, const Tensor& cos, const Tensor& sin) const;
    void run_mlp(const Exec& ex, const Layer& layer, const Tensor& out, const Tensor& h) const;
    void run_experts(const Exec& ex, const Layer& layer, int64_t index, const Tensor& out,
                     const Tensor& h) const;

    Qwen3VlConfig config_;
    Qwen3Vision vision_;
    Tensor embed_tokens_;  // [V, C]
    Tensor norm_;          // [C]
    Tensor lm_head_;       // [V, C]; embed_tokens_ where tied
    std::vector<Layer> layers_;
    RopeFrequencies frequencies_;
};

}  // namespace saker
