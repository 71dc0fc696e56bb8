// Cutting one strip of pixels into the patches of one row of tokens, in SIMD. Used by patches.cpp
// alone.
#pragma once

#include <cstdint>
#include <span>

namespace saker {

/// The shape of a strip: merge * patch rows of RGB, grid_w patches across.
struct Strip {
    int64_t patch, merge, grid_w;
    int64_t row_bytes;  // from one row of pixels to the next
};

/// frames: the strip's first pixel in each frame of the group (the same pointer twice where an
/// image is its own second frame). out: [merge * grid_w] patches in merge order, each
/// [3, frames, patch, patch].
void cut_strip(const Strip& strip, std::span<const uint8_t* const> frames, uint8_t* out);

}  // namespace saker
