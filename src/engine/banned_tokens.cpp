// Nothing is kept from step to step but memory. The scan for repeated n-grams reads four bytes a
// token and compares further only where the last token stands again: some microseconds for ten
// thousand tokens.
#include "engine/banned_tokens.h"

#include <algorithm>

namespace saker {

// True of ids outside the vocabulary: a negative one becomes a huge index.
bool BannedTokens::is_banned(TokenId token) const {
    const auto index = static_cast<size_t>(token.value);
    return index >= is_banned_.size() || is_banned_[index];
}

void BannedTokens::ban(TokenId token) {
    if (is_banned(token)) return;
    is_banned_[static_cast<size_t>(token.value)] = 1;
    ids_.push_back(token.value);
}

void BannedTokens::ban_all(std::span<const TokenId> tokens) {
    for (TokenId token : tokens) ban(token);
}

void BannedTokens::ban_bad_words(const Sampling& sampling, std::span<const TokenId> tokens,
                                 std::span<const TokenId> end_tokens) {
    for (const std::vector<TokenId>& word : sampling.bad_words) {
        const size_t before = word.size() - 1;
        if (before == 0) {
            if (std::find(end_tokens.begin(), end_tokens.end(), word[0]) == end_tokens.end())
                ban(word[0]);
        } else if (word.size() <= tokens.size() &&
                   std::equal(word.begin(), word.end() - 1, tokens.end() - before)) {
            ban(word.back());
        }
    }
}

void BannedTokens::ban_repeats(std::span<const TokenId> tokens, int64_t ngram_size) {
    const auto before = static_cast<size_t>(ngram_size - 1);
    if (tokens.size() <= before) return;
    if (before == 0) return ban_all(tokens);
    const std::span<const TokenId> ending = tokens.last(before);
    const TokenId last = ending.back();
    // tokens[i] would be the last of an earlier run; the one before it must be the last that is
    // here. What is banned already is not compared again: repeats of one token cost little.
    for (size_t i = before; i < tokens.size(); ++i)
        if (tokens[i - 1] == last && !is_banned(tokens[i]) &&
            std::equal(ending.begin(), ending.end(), tokens.begin() + (i - before)))
            ban(tokens[i]);
}

std::span<const int32_t> BannedTokens::collect(const Sampling& sampling,
                                               std::span<const TokenId> tokens, int64_t num_prompt,
                                               std::span<const TokenId> end_tokens,
                                               int64_t vocab_size) {
    ids_.clear();
    is_banned_.assign(static_cast<size_t>(vocab_size), 0);
    const int64_t num_output = static_cast<int64_t>(tokens.size()) - num_prompt;
    ban_all(sampling.suppress_tokens);
    if (num_output == 0) ban_all(sampling.begin_suppress_tokens);
    if (num_output < sampling.min_tokens) {
        if (!sampling.ignore_eos) ban_all(end_tokens);
        ban_all(sampling.stop_token_ids);
    }
    ban_bad_words(sampling, tokens, end_tokens);
    if (sampling.no_repeat_ngram_size > 0) ban_repeats(tokens, sampling.no_repeat_ngram_size);
    return ids_;
}

}  // namespace saker
