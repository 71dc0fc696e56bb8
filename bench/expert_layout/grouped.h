// The grouped products of grouped.cuh and what they are given. Each order is compiled in a source
// of its own, since sixteen widths of tile take their time.
#pragma once

#include "bench/expert_layout/format.cuh"

namespace saker::expert_layout {

/// Tokens of one expert. Rows `first` to `first + columns` of the slots are its; `count` are used.
/// A block multiplies `height` times 128 rows; `stages` of `stage_bytes` are its ring meanwhile.
struct TokenTile {
    int expert, columns, first, count, height, stages, stage_bytes;
};

/// A slot's place: token and expert as a pair (8 a token), or -1; its tile; its row there.
struct Slot {
    int pair, first, columns, row;
};

struct GroupedArgs {
    Ready weights;
    const Bf16* tokens;  // token tiles, kColumns wide
    const TokenTile* tiles;
    const int* num_tiles;  // of height 1 but wide, of height 2, and the narrow ones, in this order
    Bf16* out;             // up: token tiles of h. down: [slots, C]
    bool read_once;        // weights, so they need not stay in the cache
    int always;            // 1; ptx.cuh says why
    bool dependent;        // may begin while the kernel before it ends
};

constexpr int kGroupedThreads = 384, kBlockRows = 128, kStepColumns = 64;
constexpr int kWeightBytes = kBlockRows * kStepColumns * 2;  // of a stage, a height
constexpr int kMostStages = 12, kMostTileColumns = 256;
constexpr int kRingBytes = 227 * 1024 - 1024 - 2 * 8 * kMostStages;
constexpr int kGroupedSharedBytes = 227 * 1024;

/// Tiles of middling width are multiplied by twice the rows at a time, so that tokens are fetched
/// half as often; the registers of two sums allow it up to here. The narrowest need it least, and
/// have few tokens' work to share out.
constexpr int height_of(int columns) {
    return columns > 16 && columns <= 144 ? 2 : 1;
}

/// A narrow tile's ring has more stages. The widths come in few classes, since the ring drains
/// where the class changes.
inline void choose_ring(TokenTile& tile) {
    tile.height = height_of(tile.columns);
    int columns = 256;
    for (int narrower : {208, 144, 96, 48, 16})
        if (tile.columns <= narrower) columns = narrower;
    tile.stage_bytes = tile.height * kWeightBytes + columns * kStepColumns * 2;
    const int fit = kRingBytes / tile.stage_bytes;
    tile.stages = fit < kMostStages ? fit : kMostStages;
}

/// Enqueues the up or the down product on `blocks` blocks, an even number.
void launch_grouped_fragment(bool up, const GroupedArgs& a, int blocks, cudaStream_t stream);
void launch_grouped_swizzled(bool up, const GroupedArgs& a, int blocks, cudaStream_t stream);

}  // namespace saker::expert_layout
