// Sampling: how one answer's tokens are chosen and when it ends. Filled by the front (api, app),
// read by the engine; the names are those of the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace saker {

struct Sampling {
    float temperature = 1.0f;  // below 1e-5: greedy
    int32_t top_k = 0;         // 0: off
    float top_p = 1.0f;
    float min_p = 0.0f;
    float repetition_penalty = 1.0f;      // over prompt and output
    float presence_penalty = 0.0f;        // over the output
    float frequency_penalty = 0.0f;       // over the output
    std::optional<uint64_t> seed;         // none: the engine draws one
    int64_t max_tokens = 0;               // of the output; 0: as many as the context holds
    std::vector<TokenId> stop_token_ids;  // beside the model's own end tokens
    bool ignore_eos = false;
    // Likeliest tokens to report with each token; -1: none, 0: the chosen one's only.
    int32_t logprobs = -1;

    /// The first rule that is broken, with its parameter; ranges as docs of the API give them.
    Status validate() const;
};

}  // namespace saker
