// Loop: the engine's four verbs. One call of step() is one step of the model.
//
//   stage    what becomes what                                    touches
//   admit    waiting sequences with pages -> running               pages
//   plan     running sequences -> StepPlan                         pages, feature rows
//   run      StepPlan -> StepResult (encode, forward, sample)      device
//   commit   StepResult -> TokenEvents, finished sequences dropped channels, pages
//
// One thread: the Engine's, or a test's. Everything that can refuse a request has happened before
// add(): see check_prompt.
#pragma once

#include <cstdint>

#include "ask/channel.h"
#include "ask/prompt.h"
#include "ask/sampling.h"
#include "cache/feature_pool.h"
#include "cache/page_pool.h"
#include "engine/limits.h"
#include "engine/runner.h"
#include "engine/scheduler.h"
#include "models/model.h"

namespace saker {

/// Whether an engine of these limits can ever answer this: sizes, ids, pictures. The Error says
/// what is too much and how much would fit.
Status check_prompt(const Prompt& prompt, const Sampling& sampling, const ModelShape& shape,
                    const EngineLimits& limits);

class Loop {
  public:
    /// `model` must outlive the Loop. `ex` comes without scratch.
    Loop(const Model& model, const EngineLimits& limits, const Exec& ex);

    /// Takes in a request that check_prompt has passed. `wants_all_logits`: see Sequence.
    SeqId add(Prompt prompt, const Sampling& sampling, TokenChannel::Writer writer,
              bool wants_all_logits = false);

    /// One step. False: nothing was there to do.
    bool step();

    void set_observer(StepObserver* observer, Tap* tap) { runner_.set_observer(observer, tap); }
    const EngineLimits& limits() const { return limits_; }
    const PhaseTimes& times() const { return runner_.times(); }
    const Scheduler& scheduler() const { return scheduler_; }
    const PagePool& pages() const { return pages_; }
    const FeaturePool& features() const { return features_; }

  private:
    void commit(const StepPlan& plan, StepResult result);
    void finish(Sequence& sequence, FinishReason reason);

    const Model& model_;
    EngineLimits limits_;
    PagePool pages_;
    FeaturePool features_;
    Scheduler scheduler_;  // holds the sequences, which hold pages and features: destroyed first
    Runner runner_;
    uint64_t next_id_ = 1;
};

}  // namespace saker
