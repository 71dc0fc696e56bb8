// The grouped products of grouped.cuh and what they are given. Each order is compiled in a source
// of its own, since sixteen widths of tile take their time.
#pragma once

#include "bench/expert_layout/format.cuh"

namespace saker::expert_layout {

/// Tokens of one expert. Rows `first` to `first + columns` of the slots are its; `count` are used.
struct TokenTile {
    int expert, columns, first, count;
};

/// A slot's place: token and expert as a pair (8 a token), or -1; its tile; its row there.
struct Slot {
    int pair, first, columns, row;
};

struct GroupedArgs {
    const Bf16* weights;  // of one layer, in a ready order
    const Bf16* tokens;   // token tiles, kColumns wide
    const TokenTile* tiles;
    const int* num_tiles;
    const Slot* slots;
    const float* pair_weights;
    Bf16* out;  // up: token tiles of h. down: [pairs, C]
    int stages, stage_bytes;
    bool read_once;  // weights, so they need not stay in the cache
};

constexpr int kGroupedThreads = 384, kBlockRows = 128, kStepColumns = 64;
constexpr int kWeightBytes = kBlockRows * kStepColumns * 2;  // of a stage
constexpr int kMaxStages = 12, kBarrierBytes = 2 * 8 * kMaxStages;
constexpr int kMostTileColumns = 256;

constexpr int stage_bytes_of(int most_columns) {
    return kWeightBytes + most_columns * kStepColumns * 2;
}
constexpr int stages_of(int most_columns) {
    constexpr int kShared = 227 * 1024 - 1024 - kBarrierBytes;
    const int fit = kShared / stage_bytes_of(most_columns);
    return fit < kMaxStages ? fit : kMaxStages;
}
constexpr int grouped_shared_bytes(int most_columns) {
    return 1024 + kBarrierBytes + stages_of(most_columns) * stage_bytes_of(most_columns);
}

/// Enqueues the up or the down product on `blocks` blocks, an even number.
void launch_grouped_fragment(bool up, const GroupedArgs& a, int blocks, cudaStream_t stream);
void launch_grouped_swizzled(bool up, const GroupedArgs& a, int blocks, cudaStream_t stream);

}  // namespace saker::expert_layout
