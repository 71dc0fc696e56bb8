// Model: the interface of one model family, loaded. The engine knows nothing more of it.
//
// A family is one pair of files and one line in registry.cpp. A Model holds its weights, read-only
// after loading; forward and encode may be called from one thread at a time, with scratch in the
// Exec.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/batch.h"
#include "tensor/exec.h"

namespace saker {

/// What the engine needs to know to serve a model.
struct ModelShape {
    std::string family;                        // "qwen3_vl_moe"
    int64_t vocab_size = 0;                    // V: columns of the logits
    int64_t hidden_size = 0;                   // C
    int64_t num_layers = 0;                    // L
    int64_t num_kv_heads = 0;                  // K
    int64_t head_dim = 0;                      // D
    int64_t max_context = 0;                   // tokens
    int64_t num_feature_levels = 0;            // visual embeddings and DeepStack levels
    int64_t patch_bytes = 0;                   // N of VisionBatch::pixels
    int64_t patch_size = 0;                    // pixels a side of a patch
    int64_t temporal_patch_size = 0;           // frames of a patch
    int64_t merge_size = 0;                    // patches a side that one visual token joins
    int32_t image_token = 0, video_token = 0;  // ids of the placeholders
    int32_t vision_start_token = 0, vision_end_token = 0;
    DType compute = DType::bf16;  // of activations and KV
};

/// The largest step that scratch is planned for.
struct StepLimits {
    int64_t max_tokens = 0;      // T
    int64_t max_sequences = 0;   // S
    int64_t max_logit_rows = 0;  // N
    int64_t max_patches = 0;     // M, of one encode
};

/// Visual tokens as the position rule sees them: one frame's block of merged tokens.
struct PositionBlock {
    int64_t first_token = 0;
    int64_t rows = 0, columns = 0;  // in merged tokens
};

/// Three-axis positions of a prompt, and what decode adds to a token's index.
struct Positions {
    std::vector<int32_t> axes[3];  // temporal, height, width; one a token
    int32_t delta = 0;
};

class Model {
  public:
    virtual ~Model() = default;

    const ModelShape& shape() const { return shape_; }

    /// Scratch that forward and encode need at most, in bytes.
    virtual int64_t scratch_bytes(const StepLimits& limits) const = 0;

    /// Positions of a prompt of `num_tokens` tokens with these frames, in order.
    virtual Positions positions(int64_t num_tokens,
                                std::span<const PositionBlock> blocks) const = 0;

    /// The vision tower: features[level]: [M / merge^2, C] of the compute dtype, levels as in
    /// ModelShape. Shows "visual.last_hidden_state", "visual.pooler_output",
    /// "visual.deepstack_features" to the tap.
    virtual void encode(const Exec& ex, const VisionBatch& batch,
                        std::span<const Tensor> features) const = 0;

    /// The decoder: logits: [N, V] f32 for batch.logit_rows. Writes this step's keys and values.
    /// Shows "layer", "router_logits", "router_weights", "router_experts" with the layer's index to
    /// the tap.
    virtual void forward(const Exec& ex, const Batch& batch, const Tensor& logits) const = 0;

  protected:
    ModelShape shape_;
};

}  // namespace saker
