// BannedTokens: which tokens a sequence may not choose next.
//
// A function of the sampling parameters and the tokens so far, and of nothing else: a sequence that
// was preempted and computed again bans what it would have banned. Called by the Sampler once a
// step for each sequence that bans anything; the ids go to ops/logit_bias as minus infinity. Add a
// ban here and its member to Sampling.
//
//   suppress_tokens        always
//   begin_suppress_tokens  while the output is empty
//   min_tokens             while the output is shorter: end tokens (unless ignore_eos) and
//                          stop_token_ids
//   bad_words              the last token of a sequence where all before it stand at the end of
//                          prompt and output; a single token always, unless it is an end token
//   no_repeat_ngram_size   what would end a run of n tokens that prompt and output already hold
//
// As NoBadWordsLogitsProcessor and NoRepeatNGramLogitsProcessor of transformers do: a bad word that
// is longer than what is there is passed over, and an n-gram may overlap the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ask/sampling.h"
#include "base/ids.h"

namespace saker {

class BannedTokens {
  public:
    /// Ids of [0, vocab_size), each at most once, in no order; valid until the next call. `tokens`
    /// is prompt and output, its first `num_prompt` the prompt. Ids outside the vocabulary are
    /// passed over. Work: one look at every token and bad word, and `vocab_size` bytes of memory.
    std::span<const int32_t> collect(const Sampling& sampling, std::span<const TokenId> tokens,
                                     int64_t num_prompt, std::span<const TokenId> end_tokens,
                                     int64_t vocab_size);

  private:
    bool is_banned(TokenId token) const;
    void ban(TokenId token);
    void ban_all(std::span<const TokenId> tokens);
    void ban_bad_words(const Sampling& sampling, std::span<const TokenId> tokens,
                       std::span<const TokenId> end_tokens);
    void ban_repeats(std::span<const TokenId> tokens, int64_t ngram_size);

    std::vector<int32_t> ids_;
    std::vector<uint8_t> is_banned_;  // by id: whether it is in ids_
};

}  // namespace saker
