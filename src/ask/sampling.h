// Sampling: how one answer's tokens are chosen and when it ends. Filled by the front (api, app, the
// model's own defaults), read by the engine; the names are those of the wire.
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
    int64_t min_tokens = 0;               // before so many no token is chosen that ends the answer
    std::vector<TokenId> stop_token_ids;  // beside the model's own end tokens
    bool ignore_eos = false;

    // Tokens that are not chosen; engine/banned_tokens.h says exactly when.
    std::vector<TokenId> suppress_tokens;         // never
    std::vector<TokenId> begin_suppress_tokens;   // not as the first of the output
    std::vector<std::vector<TokenId>> bad_words;  // sequences: not the last after all before it
    int32_t no_repeat_ngram_size =
        0;  // no run of so many tokens of prompt and output twice; 0: off

    // Likeliest tokens to report with each token; -1: none, 0: the chosen one's only. Of the
    // model's own distribution: penalties, bans and temperature do not show in them.
    int32_t logprobs = -1;

    /// The first rule that is broken, with its parameter; ranges as docs of the API give them. Ids
    /// are held against the vocabulary by the engine.
    Status validate() const;
    /// Whether there is any token that may not be chosen at some time.
    bool has_bans() const;
};

/// Ids that the lists of one Sampling hold at most, all together: a step's work grows with them.
inline constexpr size_t kMaxListedIds = size_t{1} << 20;

}  // namespace saker
