// The vision tower of Qwen3-VL: patches in, embeddings of visual tokens and DeepStack levels out.
//
// Model specification section 4. Dense and mixture-of-experts checkpoints share it. It never
// allocates: everything temporary is in the Exec's scratch.
#pragma once

#include <span>
#include <vector>

#include "models/batch.h"
#include "models/mrope.h"
#include "models/qwen3_vl_config.h"
#include "models/weight_source.h"
#include "tensor/exec.h"

namespace saker {

class Qwen3Vision {
  public:
    Qwen3Vision(const Qwen3VlVisionConfig& config, WeightSource& source);

    /// Means and deviations that normalize() uses, one a channel.
    void set_normalization(std::span<const float> mean, std::span<const float> deviation);

    /// features[level]: [M / merge^2, C] in `compute`; level 0 the embeddings, then DeepStack.
    void encode(const Exec& ex, const VisionBatch& batch, DType compute,
                std::span<const Tensor> features) const;

    int64_t scratch_bytes(int64_t max_patches, DType compute) const;

  private:
    struct Norm {
        Tensor weight, bias;
    };
    struct Linear {
        Tensor weight, bias;
    };
    struct Block {
        Norm norm1, norm2;
        Linear qkv, proj, fc1, fc2;
    };
    struct Merger {
        Norm norm;  // [Cv] for the main one, [4 Cv] for DeepStack
        Linear fc1, fc2;
    };

    void run_block(const Exec& ex, const Block& block, const Tensor& x, const Tensor& cos,
                   const Tensor& sin, const Tensor& starts) const;
    void run_merger(const Exec& ex, const Merger& merger, bool norm_first, const Tensor& out,
                    const Tensor& x) const;

    Qwen3VlVisionConfig config_;
    Linear patch_embed_;
    Tensor pos_embed_;  // [side^2, Cv]
    std::vector<Block> blocks_;
    Merger merger_;
    std::vector<Merger> deepstack_;
    RopeFrequencies frequencies_;
    std::vector<float> mean_{0.5f, 0.5f, 0.5f}, deviation_{0.5f, 0.5f, 0.5f};
};

}  // namespace saker
