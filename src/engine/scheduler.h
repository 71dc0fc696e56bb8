// Scheduler: decides what each step computes. Touches pages and numbers, never a device.
//
// Decodes come first and are never held back by prompts; then prompts in order of arrival, in
// chunks. When pages run out, the youngest sequence gives up its own and starts again later with
// what it has written: the oldest is never preempted, so something always finishes. The policy
// proper (fairness, costs, prefix cache) has this interface to grow behind.
#pragma once

#include <deque>
#include <list>
#include <memory>

#include "engine/limits.h"
#include "engine/plan.h"

namespace saker {

class Scheduler {
  public:
    Scheduler(const EngineLimits& limits, PagePool& pages, FeaturePool& features)
        : limits_(limits), pages_(pages), features_(features) {}

    void add(std::unique_ptr<Sequence> sequence) { waiting_.push_back(std::move(sequence)); }

    /// Moves waiting sequences, oldest first, to the running ones while their known tokens have
    /// pages.
    void admit();
    /// What the next step computes; empty only where nothing runs. Reserves the pages and feature
    /// rows that the step needs.
    StepPlan plan();
    /// Drops sequences that are finished, and those whose reader is gone, with all they hold.
    void sweep();

    bool is_idle() const { return waiting_.empty() && running_.empty(); }
    int64_t num_running() const { return static_cast<int64_t>(running_.size()); }
    int64_t num_preemptions() const { return num_preemptions_; }

  private:
    bool ensure_pages(Sequence& sequence, int64_t num_tokens);
    void preempt(std::list<std::unique_ptr<Sequence>>::iterator victim);
    int64_t reserve_features(Sequence& sequence, int64_t begin, int64_t end, bool may_take,
                             StepPlan& plan);

    const EngineLimits& limits_;
    PagePool& pages_;
    FeaturePool& features_;
    std::deque<std::unique_ptr<Sequence>> waiting_;  // by age
    std::list<std::unique_ptr<Sequence>> running_;   // by age
    int64_t num_preemptions_ = 0;
};

}  // namespace saker
