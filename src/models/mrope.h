// Positions on three axes, and the frequencies that turn them into angles.
//
// Model specification 7.1 (positions), 3.4 (which axis a frequency reads), 1.5 (YaRN; its further
// keys as in transformers 5.17).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/model.h"
#include "models/rope_config.h"

namespace saker {

/// Positions of a prompt: text advances all axes by one; a block of r x c visual tokens stands at
/// one temporal position, with rows and columns on the other axes, and the next token follows
/// max(r, c) later. `blocks` rise and do not overlap (CHECKed).
Positions mrope_positions(int64_t num_tokens, std::span<const PositionBlock> blocks);

/// Frequencies of half a head: inv_freq[j], the axis that j reads, and the scale of cos and sin.
struct RopeFrequencies {
    std::vector<float> inv_freq;  // [D/2]
    std::vector<int32_t> axis;    // [D/2], 0 temporal, 1 height, 2 width
    float scale = 1.0f;
};
RopeFrequencies text_frequencies(const RopeConfig& rope, int64_t head_dim);

/// The vision tower's: the first half of the angles reads the row, the second the column (4.3).
/// `head_dim` is a multiple of 4.
RopeFrequencies vision_frequencies(int64_t head_dim, double theta);

}  // namespace saker
