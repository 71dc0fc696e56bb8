// Engine: a Loop on a thread of its own, and the narrow door to it. All that a front end needs of
// the engine.
//
// submit() may be called from any thread; the answer comes through the reader's end of a
// TokenChannel. Destroying the Engine ends what is in flight: its readers get an error, never
// silence.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "ask/channel.h"
#include "ask/prompt.h"
#include "ask/sampling.h"
#include "base/result.h"
#include "engine/loop.h"

namespace saker {

class Engine {
  public:
    Engine(const Model& model, const EngineLimits& limits, const Exec& ex);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Checks the request and hands it to the engine thread.
    Result<TokenChannel::Reader> submit(Prompt prompt, const Sampling& sampling);

    const EngineLimits& limits() const { return limits_; }

    /// Phase times so far; waits for the end of the running step, so that an answer which has ended
    /// is counted whole.
    PhaseTimes times() const;

  private:
    struct Request {
        Prompt prompt;
        Sampling sampling;
        TokenChannel::Writer writer;
    };
    void serve();

    const Model& model_;
    EngineLimits limits_;
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    mutable std::condition_variable step_ended_;
    std::vector<Request> inbox_;
    PhaseTimes times_;
    uint64_t num_rounds_ = 0;  // of serve()
    bool in_step_ = false, stop_ = false;
    Loop loop_;
    std::thread thread_;
};

}  // namespace saker
