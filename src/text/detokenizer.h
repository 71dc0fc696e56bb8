// Detokenizer: the text of an answer, token by token, never cutting a character.
//
// One per answer, used by the thread that writes its reply. All that push() and finish() return,
// joined, equals Tokenizer::decode() of all tokens.
#pragma once

#include <string>

#include "base/ids.h"
#include "text/tokenizer.h"

namespace saker {

class Detokenizer {
  public:
    /// `tokenizer` must outlive this.
    Detokenizer(const Tokenizer& tokenizer, bool skip_special)
        : tokenizer_(&tokenizer), skip_special_(skip_special) {}

    /// The text that this token completes: valid UTF-8, "" while a character is incomplete.
    std::string push(TokenId id);

    /// At the end of the answer: U+FFFD for a character that stayed incomplete, else "".
    std::string finish();

  private:
    const Tokenizer* tokenizer_;
    bool skip_special_;
    std::string tail_;  // the first bytes of an incomplete character
};

}  // namespace saker
