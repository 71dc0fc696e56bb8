// AnswerStream: token events from the engine become pieces of text.
//
// Whole characters only, stop strings cut out, special tokens left out. One for each answer, on the
// thread that writes its reply.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/channel.h"
#include "text/detokenizer.h"
#include "text/stop_strings.h"
#include "text/tokenizer.h"

namespace saker {

struct AnswerPiece {
    std::string text;                    // may be empty
    std::vector<TokenEvent> tokens;      // the tokens behind it, for logprobs and ids
    std::optional<FinishReason> finish;  // set on the last piece of a good answer
    std::optional<Error> error;          // set on the last piece of a broken one

    bool is_last() const { return finish.has_value() || error.has_value(); }
};

class AnswerStream {
  public:
    /// `tokenizer` must outlive this.
    AnswerStream(const Tokenizer& tokenizer, TokenChannel::Reader reader,
                 std::vector<std::string> stop = {});

    /// The next piece; waits for it. Nothing after the last one. Finding a stop string closes the
    /// channel.
    std::optional<AnswerPiece> next();
    /// Waits for at most `ms` milliseconds. True: next() does not wait.
    bool wait(int64_t ms) { return ended_ || reader_.wait(ms); }

  private:
    TokenChannel::Reader reader_;
    Detokenizer detokenizer_;
    StopStrings stop_;
    bool ended_ = false;
};

}  // namespace saker
