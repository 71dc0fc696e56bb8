// A mutex, a condition and a deque: events are some hundred a second for each reply.
#include "ask/channel.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace saker {

std::string_view to_string(FinishReason reason) {
    return reason == FinishReason::stop ? "stop" : "length";
}

struct TokenChannel::Queue {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<TokenEvent> events;
    bool cancelled = false;
    bool ended = false;  // the last event has been pushed
};

std::pair<TokenChannel::Writer, TokenChannel::Reader> TokenChannel::make() {
    auto queue = std::make_shared<Queue>();
    return {Writer(queue), Reader(queue)};
}

TokenChannel::Reader& TokenChannel::Reader::operator=(Reader&& other) noexcept {
    close();
    queue_ = std::move(other.queue_);
    ended_ = other.ended_;
    return *this;
}

std::optional<TokenEvent> TokenChannel::Reader::next() {
    if (!queue_ || ended_) return std::nullopt;
    std::unique_lock lock(queue_->mutex);
    queue_->arrived.wait(lock, [&] { return !queue_->events.empty(); });
    TokenEvent event = std::move(queue_->events.front());
    queue_->events.pop_front();
    ended_ = event.is_last();
    return event;
}

bool TokenChannel::Reader::wait(int64_t ms) {
    if (!queue_ || ended_) return true;
    std::unique_lock lock(queue_->mutex);
    return queue_->arrived.wait_for(lock, std::chrono::milliseconds(ms),
                                    [&] { return !queue_->events.empty(); });
}

void TokenChannel::Reader::close() {
    if (!queue_) return;
    const std::lock_guard lock(queue_->mutex);
    queue_->cancelled = true;
}

TokenChannel::Writer& TokenChannel::Writer::operator=(Writer&& other) noexcept {
    abandon();
    queue_ = std::move(other.queue_);
    return *this;
}

void TokenChannel::Writer::push(TokenEvent event) {
    {
        const std::lock_guard lock(queue_->mutex);
        if (queue_->ended) return;
        queue_->ended = event.is_last();
        queue_->events.push_back(std::move(event));
    }
    queue_->arrived.notify_one();
}

bool TokenChannel::Writer::is_cancelled() const {
    const std::lock_guard lock(queue_->mutex);
    return queue_->cancelled;
}

void TokenChannel::Writer::abandon() {
    if (!queue_) return;
    TokenEvent event;
    event.error = Error{ErrorCode::internal_error, "The engine dropped this answer.", ""};
    push(std::move(event));  // no effect after a last event
    queue_.reset();
}

}  // namespace saker
