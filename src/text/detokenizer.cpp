// Bytes are held only while they may still become a character; wrong ones are replaced at once.
#include "text/detokenizer.h"

#include "base/utf8.h"

namespace saker {

std::string Detokenizer::push(TokenId id) {
    if (skip_special_ && tokenizer_->is_special(id)) return "";
    std::string bytes = std::move(tail_);
    bytes += tokenizer_->token_bytes(id);
    const size_t shown = bytes.size() - incomplete_utf8_tail(bytes);
    tail_ = bytes.substr(shown);
    bytes.resize(shown);
    return is_utf8(bytes) ? bytes : replace_invalid_utf8(bytes);
}

std::string Detokenizer::finish() {
    std::string rest = replace_invalid_utf8(tail_);
    tail_.clear();
    return rest;
}

}  // namespace saker
