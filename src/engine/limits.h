// EngineLimits: the sizes an engine is built for, fixed before "ready".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

namespace saker {

struct EngineLimits {
    int64_t max_context = 4096;    // tokens of prompt and answer together
    int64_t num_pages = 64;        // KV pages; at least one full context
    int64_t max_sequences = 16;    // in one step
    int64_t chunk_tokens = 512;    // prompt tokens in one step, all sequences together
    int64_t max_patches = 16384;   // of one call of the vision tower; a larger picture is refused
    int64_t feature_rows = 16384;  // visual tokens held between encoding and use
    bool all_logits = false;       // sequences may ask for logits of every prompt token
    std::vector<TokenId> eos_tokens;
    // What to do about a prompt that is too long. Whoever plans the limits knows which of them can
    // be raised, and how.
    std::string too_long_advice = "shorten it";

    int64_t max_step_tokens() const { return chunk_tokens + max_sequences; }
};

}  // namespace saker
