// Batch: what a model's forward reads in one step, as plain tensors. VisionBatch: what its vision
// tower reads.
//
// Made by engine/runner from a StepPlan; tensors lie where the model computes and live for the
// step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace saker {

/// The KV pages of one layer, for reading and writing.
struct LayerPages {
    Tensor keys, values;  // [Np, K, B, D]
};

struct Batch {
    Tensor ids;         // [T] i32
    Tensor positions;   // [3, T] i32: temporal, height, width
    Tensor slots;       // [T] i32: where each token's key and value go
    Tensor starts;      // [S+1] i32: sequence s owns rows starts[s] .. starts[s+1]-1
    Tensor context;     // [S] i32: tokens in the cache after this step
    Tensor page_table;  // [S, P] i32
    Tensor logit_rows;  // [N] i32: rows that need logits

    // Visual tokens of this step, absent where there are none.
    Tensor visual_rows;                   // [Nv] i32: which rows they are
    std::vector<Tensor> visual_features;  // one [Nv, C] a level: 0 the embeddings, 1.. DeepStack

    std::span<const LayerPages> pages;  // by layer

    int64_t num_tokens() const { return ids.dim(0); }
};

/// One segment of the vision tower: a picture, or one frame group of a video. Sizes in patches.
struct Grid {
    int64_t height = 0, width = 0;

    int64_t num_patches() const { return height * width; }
    bool operator==(const Grid&) const = default;
};

struct VisionBatch {
    // [M, N] u8, N = 3 * temporal * patch * patch, in merge order, segment after segment.
    Tensor pixels;
    std::span<const Grid> grids;  // of each segment, in order

    int64_t num_patches() const { return pixels.dim(0); }
};

}  // namespace saker
