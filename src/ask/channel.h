// TokenChannel: the only way back from the engine to one waiting reply.
//
// The engine thread holds the writer, the reply's thread the reader; both share one small queue
// (the one place of the house with a std::shared_ptr). Cancelling is dropping or closing the
// reader: the engine sees it at its next step and frees the sequence. Dropping the writer without a
// finish ends the stream with an error, so a reader never hangs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace saker {

enum class FinishReason : uint8_t {
    stop,    // an end token, or a stop token of the request
    length,  // max_tokens, or the context is full
};
std::string_view to_string(FinishReason reason);

struct TokenLogprob {
    TokenId token;
    float logprob = 0;
};

/// One token, or the end. After an event with `finish` or `error` nothing follows.
struct TokenEvent {
    std::optional<TokenId> token;
    float logprob = 0;                       // of `token`, where Sampling::logprobs >= 0
    std::vector<TokenLogprob> top_logprobs;  // Sampling::logprobs entries, falling
    std::optional<FinishReason> finish;
    std::optional<Error> error;

    bool is_last() const { return finish.has_value() || error.has_value(); }
};

class TokenChannel {
  public:
    class Reader;
    class Writer;
    static std::pair<Writer, Reader> make();

  private:
    struct Queue;
};

class TokenChannel::Reader {
  public:
    Reader() = default;
    ~Reader() { close(); }
    Reader(Reader&&) noexcept = default;
    Reader& operator=(Reader&& other) noexcept;

    /// The next event; waits for it. Nothing after the last one.
    std::optional<TokenEvent> next();
    /// Waits for at most `ms` milliseconds. True: next() does not wait.
    bool wait(int64_t ms);
    /// Tells the engine that nobody listens any more. Idempotent.
    void close();

  private:
    friend class TokenChannel;
    explicit Reader(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
    std::shared_ptr<Queue> queue_;
    bool ended_ = false;
};

class TokenChannel::Writer {
  public:
    Writer() = default;
    ~Writer() { abandon(); }
    Writer(Writer&&) noexcept = default;
    Writer& operator=(Writer&& other) noexcept;

    void push(TokenEvent event);
    /// True once the reader is gone: the answer is to be dropped.
    bool is_cancelled() const;

  private:
    friend class TokenChannel;
    explicit Writer(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
    void abandon();
    std::shared_ptr<Queue> queue_;
};

}  // namespace saker
