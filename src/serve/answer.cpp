// Events in, text out; the held-back ends of detokenizer and stop strings come out with the finish.
#include "serve/answer.h"

#include <utility>

namespace saker {

AnswerStream::AnswerStream(const Tokenizer& tokenizer, TokenChannel::Reader reader,
                           std::vector<std::string> stop)
    : reader_(std::move(reader)),
      detokenizer_(tokenizer, /*skip_special=*/true),
      stop_(std::move(stop)) {}

std::optional<AnswerPiece> AnswerStream::next() {
    if (ended_) return std::nullopt;
    std::optional<TokenEvent> event = reader_.next();
    if (!event) return std::nullopt;
    AnswerPiece piece;
    piece.error = event->error;
    piece.finish = event->finish;
    std::string text;
    if (event->token) text = detokenizer_.push(*event->token);
    if (event->finish) text += detokenizer_.finish();
    StopStrings::Fed fed = stop_.feed(text);
    piece.text = std::move(fed.text);
    if (fed.hit) {
        piece.finish = FinishReason::stop;
        reader_.close();
    } else if (event->is_last()) {
        piece.text += stop_.finish();
    }
    if (event->token) piece.tokens.push_back(std::move(*event));
    ended_ = piece.is_last();
    return piece;
}

}  // namespace saker
