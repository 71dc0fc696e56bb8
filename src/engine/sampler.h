// Sampler: logits become the next token of each sequence, with its log-probabilities.
//
// Called by the Runner at the end of a step. Parameters of the requests become columns, one entry a
// row, and the rest is ops; the columns are kept from step to step, so that a step allocates none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan.h"
#include "tensor/exec.h"

namespace saker {

class Sampler {
  public:
    /// Fills token and log-probabilities of each entry of `tokens`, whose sequence says how; entry
    /// i draws from row rows[i] of `logits` ([N, V] f32, unchanged). `rows` rise.
    void sample(const Exec& ex, const Tensor& logits, const std::vector<int32_t>& rows,
                std::span<SampledToken> tokens);

  private:
    // Sampling parameters, one entry a row.
    struct SampleColumns {
        std::vector<float> temperature, top_p, min_p, repetition, presence, frequency;
        std::vector<int32_t> top_k, history, history_starts, prompt_tokens;
        std::vector<int64_t> seed, draw;
        bool any_penalty = false;
        int32_t logprobs = -1;  // the most that any row wants

        void clear();
        void add(const Sequence& sequence);
    };

    Tensor penalise(const Exec& ex, ScratchScope& scratch, const Tensor& logits) const;
    void report_logprobs(const Exec& ex, const Tensor& logits, std::span<SampledToken> tokens);

    SampleColumns columns_;
    std::vector<int32_t> ids_, top_ids_;  // as they come from the device
    std::vector<float> chosen_, top_;
};

}  // namespace saker
