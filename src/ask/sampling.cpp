// The ranges of Sampling's fields, in one place for every front end.
#include "ask/sampling.h"

#include <cmath>
#include <string>

namespace saker {
namespace {

Status wrong(const char* param, const char* rule) {
    return Error{ErrorCode::invalid_value, std::string(param) + " must be " + rule + ".", param};
}

}  // namespace

Status Sampling::validate() const {
    // Written as !(good) so that a NaN is refused too.
    if (!(temperature >= 0 && temperature <= 2)) return wrong("temperature", "from 0 to 2");
    if (top_k < 0) return wrong("top_k", "0 (off) or positive");
    if (!(top_p > 0 && top_p <= 1)) return wrong("top_p", "above 0 and at most 1");
    if (!(min_p >= 0 && min_p <= 1)) return wrong("min_p", "from 0 to 1");
    if (!(repetition_penalty > 0 && std::isfinite(repetition_penalty)))
        return wrong("repetition_penalty", "above 0");
    if (!(presence_penalty >= -2 && presence_penalty <= 2))
        return wrong("presence_penalty", "from -2 to 2");
    if (!(frequency_penalty >= -2 && frequency_penalty <= 2))
        return wrong("frequency_penalty", "from -2 to 2");
    if (max_tokens < 0) return wrong("max_tokens", "positive");
    if (min_tokens < 0) return wrong("min_tokens", "0 (off) or positive");
    if (max_tokens > 0 && min_tokens > max_tokens) return wrong("min_tokens", "at most max_tokens");
    if (no_repeat_ngram_size < 0) return wrong("no_repeat_ngram_size", "0 (off) or positive");
    size_t listed = suppress_tokens.size() + begin_suppress_tokens.size() + stop_token_ids.size();
    for (const std::vector<TokenId>& word : bad_words) {
        if (word.empty()) return wrong("bad_words", "a list of sequences of at least one token");
        listed += word.size();
    }
    if (listed > kMaxListedIds)
        return Error{ErrorCode::too_many_items,
                     "suppress_tokens, begin_suppress_tokens, bad_words and stop_token_ids hold "
                     "more than " +
                         std::to_string(kMaxListedIds) + " ids together: list fewer.",
                     "suppress_tokens"};
    if (logprobs < -1 || logprobs > 20) return wrong("top_logprobs", "from 0 to 20");
    return Done{};
}

bool Sampling::has_bans() const {
    return min_tokens > 0 || no_repeat_ngram_size > 0 || !suppress_tokens.empty() ||
           !begin_suppress_tokens.empty() || !bad_words.empty();
}

}  // namespace saker
