// StepPlan: what one step computes. StepResult: what came out of it. Plain structs between the
// stages of Loop::step; they borrow the sequences, which live on in the Loop.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ask/channel.h"
#include "engine/sequence.h"

namespace saker {

/// Tokens [begin, end) of one sequence go through the model in this step.
struct PlannedRows {
    Sequence* sequence = nullptr;
    int64_t begin = 0, end = 0;

    int64_t count() const { return end - begin; }
    /// The last known token is among them: its logits give the next one.
    bool samples() const { return end == sequence->num_tokens(); }
};

/// One picture goes through the vision tower before the step's tokens.
struct PlannedFrame {
    Sequence* sequence = nullptr;
    size_t frame = 0;  // index in sequence->frames

    const Frame& get() const { return sequence->frames[frame]; }
};

struct StepPlan {
    std::vector<PlannedRows> rows;
    std::vector<PlannedFrame> encodes;

    bool is_empty() const { return rows.empty(); }
    int64_t num_tokens() const {
        int64_t n = 0;
        for (const PlannedRows& r : rows) n += r.count();
        return n;
    }
};

/// The next token of one sequence; none where its logits were not numbers, or all it could choose
/// is banned.
struct SampledToken {
    Sequence* sequence = nullptr;
    std::optional<TokenId> token;
    bool all_banned = false;  // why there is no token
    float logprob = 0;
    std::vector<TokenLogprob> top_logprobs;
};

struct StepResult {
    std::vector<SampledToken> tokens;
};

/// Sees the plan of each stage before its tensors reach the Exec's tap. For verification and tests.
class StepObserver {
  public:
    virtual ~StepObserver() = default;
    virtual void on_encode(std::span<const PlannedFrame> frames) = 0;
    virtual void on_forward(const StepPlan& plan) = 0;
};

}  // namespace saker
