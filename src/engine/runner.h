// Runner: turns a StepPlan into tensors, runs the model, samples. The only part of the engine that
// computes.
//
// Owns the memory of the KV pages and of the features; the Loop owns the counting of both. Works
// through one Exec on one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/kv_pages.h"
#include "engine/limits.h"
#include "engine/plan.h"
#include "models/model.h"
#include "tensor/arena.h"
#include "tensor/exec.h"

namespace saker {

/// Time of the phases so far, for `--stats`.
struct PhaseTimes {
    int64_t encode_ns = 0, prefill_ns = 0,
            decode_ns = 0;  // a step with any prompt token is prefill
    int64_t num_patches = 0, num_prefill_tokens = 0, num_decode_tokens = 0;
    int64_t num_prefill_steps = 0, num_decode_steps = 0;
};

class Runner {
  public:
    /// `ex` without scratch: the Runner makes its own, sized for `limits`.
    Runner(const Model& model, const EngineLimits& limits, const Exec& ex);

    /// Encodes the plan's pictures, computes its tokens, samples where a sequence's last token is
    /// among them. `plan` is not empty.
    StepResult run(const StepPlan& plan);

    void set_observer(StepObserver* observer, Tap* tap) {
        observer_ = observer;
        ex_.tap = tap;
    }
    const PhaseTimes& times() const { return times_; }
    int64_t kv_bytes() const { return pages_.size_bytes(); }
    int64_t scratch_peak_bytes() const { return scratch_.peak_bytes(); }

  private:
    void encode(std::span<const PlannedFrame> frames);
    void put_visual(const StepPlan& plan, Batch& batch, ScratchScope& scratch);
    StepResult sample(const StepPlan& plan, const Tensor& logits);
    Tensor place(ScratchScope& scratch, const std::vector<int32_t>& numbers,
                 std::initializer_list<int64_t> dims);

    const Model& model_;
    const EngineLimits& limits_;
    Arena scratch_;
    Exec ex_;
    KvPages pages_;
    StepObserver* observer_ = nullptr;
    PhaseTimes times_;
};

}  // namespace saker
