// The engine thread sleeps while nothing is to do, and takes in the inbox between steps.
#include "engine/engine.h"

#include <utility>

namespace saker {

Engine::Engine(const Model& model, const EngineLimits& limits, const Exec& ex)
    : model_(model), limits_(limits), loop_(model, limits, ex), thread_([this] { serve(); }) {}

Engine::~Engine() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

Result<TokenChannel::Reader> Engine::submit(Prompt prompt, const Sampling& sampling) {
    if (auto status = check_prompt(prompt, sampling, model_.shape(), limits_); !status)
        return status.error();
    auto [writer, reader] = TokenChannel::make();
    {
        const std::lock_guard lock(mutex_);
        inbox_.push_back({std::move(prompt), sampling, std::move(writer)});
    }
    arrived_.notify_one();
    return std::move(reader);
}

PhaseTimes Engine::times() const {
    std::unique_lock lock(mutex_);
    const uint64_t round = num_rounds_;
    step_ended_.wait(lock, [&] { return !in_step_ || num_rounds_ != round; });
    return times_;
}

void Engine::serve() {
    bool worked = false;
    while (true) {
        std::vector<Request> requests;
        {
            std::unique_lock lock(mutex_);
            times_ = loop_.times();
            ++num_rounds_;
            in_step_ = false;
            step_ended_.notify_all();
            if (!worked) arrived_.wait(lock, [&] { return stop_ || !inbox_.empty(); });
            if (stop_) return;
            requests.swap(inbox_);
            in_step_ = true;
        }
        for (Request& request : requests)
            loop_.add(std::move(request.prompt), request.sampling, std::move(request.writer));
        worked = loop_.step();
    }
}

}  // namespace saker
