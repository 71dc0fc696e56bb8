// Runner: turns a StepPlan into tensors, runs the model, samples. With its Sampler the only part of
// the engine that computes.
//
// Owns the memory of the KV pages and scratch; the Loop owns the counting of pages, and the
// features. Works through one Exec on one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache/kv_pages.h"
#include "engine/limits.h"
#include "engine/plan.h"
#include "engine/sampler.h"
#include "models/model.h"
#include "tensor/arena.h"
#include "tensor/exec.h"

namespace saker {

/// Time of the phases so far, for `--stats`. A step with any prompt token is prefill.
struct PhaseTimes {
    int64_t encode_ns = 0, prefill_ns = 0, decode_ns = 0;
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

  private:
    // The plan as columns on the host; kept from step to step, so that a step allocates none.
    struct Columns {
        std::vector<int32_t> ids, positions, slots, starts, context, page_table, logit_rows;
        std::vector<int32_t> visual_rows;
        std::vector<int32_t> sampled;  // entries of logit_rows that choose a token
        int64_t num_pages = 1;         // P: the longest row of the page table

        void fill(const StepPlan& plan);  // all but visual_rows
    };

    void encode_all(std::span<const PlannedFrame> frames);
    void encode(std::span<const PlannedFrame> frames);
    Batch make_batch(const StepPlan& plan, ScratchScope& scratch);
    void put_visual(const StepPlan& plan, ScratchScope& scratch, Batch& batch);

    const Model& model_;
    const EngineLimits& limits_;
    Arena scratch_;
    Exec ex_;
    KvPages pages_;
    std::vector<LayerPages> layers_;  // of pages_
    Columns columns_;
    Sampler sampler_;
    StepObserver* observer_ = nullptr;
    PhaseTimes times_;
};

}  // namespace saker
