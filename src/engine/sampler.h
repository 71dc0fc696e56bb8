// Sampler: logits become the next token of each sequence, with its log-probabilities.
//
// Called by the Runner at the end of a step. Parameters of the requests become columns, one entry a
// row, and the rest is ops; the columns are kept from step to step, so that a step allocates none.
// Order: banned tokens, penalties, then what ops/sample does. (transformers bans after its
// repetition penalty; since a banned logit stays -inf under any penalty, that is the same.)
// Log-probabilities are of the model's own logits, before all of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/banned_tokens.h"
#include "engine/limits.h"
#include "engine/plan.h"
#include "tensor/exec.h"

namespace saker {

class Sampler {
  public:
    /// `limits` must outlive the Sampler.
    explicit Sampler(const EngineLimits& limits) : limits_(limits) {}

    /// Fills token and log-probabilities of each entry of `tokens`, whose sequence says how; entry
    /// i draws from row rows[i] of `logits` ([N, V] f32, unchanged). `rows` rise.
    void sample(const Exec& ex, const Tensor& logits, const std::vector<int32_t>& rows,
                std::span<SampledToken> tokens);

  private:
    // Sampling parameters, one entry a row; biases and history, one range a row.
    struct SampleColumns {
        std::vector<float> temperature, top_p, min_p, repetition, presence, frequency, bias;
        std::vector<int32_t> top_k, history, history_starts, prompt_tokens;
        std::vector<int32_t> bias_ids, bias_starts;
        std::vector<int64_t> seed, draw;
        bool any_penalty = false;
        int32_t logprobs = -1;  // the most that any row wants

        void clear();
        void add(const Sequence& sequence);
        void add_bans(std::span<const int32_t> ids);
    };

    void fill_columns(std::span<const SampledToken> tokens, int64_t vocab_size);
    Tensor adjust(const Exec& ex, ScratchScope& scratch, const Tensor& logits) const;
    Tensor choose(const Exec& ex, ScratchScope& scratch, const Tensor& logits) const;
    void find_all_banned(const Exec& ex, const Tensor& logits, std::span<SampledToken> tokens);
    void report_logprobs(const Exec& ex, const Tensor& logits, std::span<SampledToken> tokens);

    const EngineLimits& limits_;
    SampleColumns columns_;
    BannedTokens banned_;
    std::vector<int32_t> ids_, top_ids_;  // as they come from the device
    std::vector<float> chosen_, top_;
};

}  // namespace saker
