// Sequence: the engine's whole state of one answer. Owned by Loop; touched by the engine thread
// alone.
#pragma once

#include <cstdint>
#include <vector>

#include "ask/channel.h"
#include "ask/prompt.h"
#include "ask/sampling.h"
#include "base/ids.h"
#include "cache/feature_pool.h"
#include "cache/page_pool.h"
#include "models/model.h"

namespace saker {

struct Sequence {
    SeqId id;                   // rises with arrival: the older sequence has the smaller id
    std::vector<Frame> frames;  // pictures, in the order of their tokens
    Sampling sampling;
    uint64_t seed = 0;              // sampling.seed, or one drawn at arrival
    bool wants_all_logits = false;  // of every prompt token, for verification
    TokenChannel::Writer writer;

    std::vector<TokenId> tokens;  // prompt, then output
    int64_t num_prompt = 0;       // how many of them are prompt
    int64_t num_computed = 0;     // tokens whose keys and values are in `pages`
    Positions positions;          // of the prompt; output tokens stand at index + positions.delta
    PageRun pages;
    std::vector<FeatureRun> features;  // by frame; exists from its encoding to its last token
    bool finished = false;

    int64_t num_tokens() const { return static_cast<int64_t>(tokens.size()); }
    int64_t num_output() const { return num_tokens() - num_prompt; }
    /// Only the newest token is left to compute.
    bool is_decoding() const { return num_output() > 0 && num_computed == num_tokens() - 1; }
    /// Position of token `index` on `axis`.
    int32_t position(int axis, int64_t index) const {
        return index < num_prompt ? positions.axes[axis][static_cast<size_t>(index)]
                                  : static_cast<int32_t>(index) + positions.delta;
    }
};

}  // namespace saker
