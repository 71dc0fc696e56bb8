// Prompt: what the engine answers: token ids, and the pictures that stand among them.
//
// Made by the front (serve/prepare), owned by the Sequence afterwards. Pictures travel as
// structure: where their placeholder tokens stand is written down here and never looked for in the
// ids.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace saker {

enum class Modality : uint8_t { image, video };

/// One picture or one frame group of a video: its patches and its place among the tokens. A video
/// of n groups is n frames, in order; the vision tower treats each as a segment of its own.
struct Frame {
    Modality modality = Modality::image;
    int32_t item = 0;                // which image or video of the prompt, counted per modality
    int64_t grid_h = 0, grid_w = 0;  // in patches
    int64_t first_token = 0;         // index in Prompt::ids of its first placeholder
    int64_t num_tokens = 0;          // placeholders: grid_h * grid_w / merge^2
    std::vector<uint8_t> pixels;  // [grid_h * grid_w, 3 * temporal * patch * patch] u8, merge order

    int64_t num_patches() const { return grid_h * grid_w; }
    int64_t end_token() const { return first_token + num_tokens; }
};

struct Prompt {
    std::vector<TokenId> ids;   // placeholders expanded: one id for each visual token
    std::vector<Frame> frames;  // in the order of their tokens, not overlapping
};

}  // namespace saker
