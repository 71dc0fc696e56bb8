// Bpe: from the bytes of one piece to tokens, by merges in order of rank.
//
// The definition is encode_by_merging(): start from single bytes and again and again merge the
// neighbours whose merge has the lowest rank, the leftmost first. encode() gives the same tokens in
// one pass: a sequence of tokens is what merging gives if and only if that holds for each two
// neighbours, so it takes the longest token that goes with the one before, and steps back where
// none does. Both are linear or nearly so; neither recurses. Immutable, shared by threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/byte_trie.h"

namespace saker {

struct BpeMerge {
    int32_t left, right, result;
};

class Bpe {
  public:
    /// `token_bytes` by id; `byte_tokens` the id of each single byte; `merges` by rank. Ids are
    /// below 2^21, merges fewer than 2^22, and each pair appears once. Tokens longer than 65,535
    /// bytes rule the one-pass way out.
    Bpe(std::span<const std::string_view> token_bytes, const std::array<int32_t, 256>& byte_tokens,
        std::span<const BpeMerge> merges);

    /// Appends the tokens of `piece` to `out`.
    void encode(std::string_view piece, std::vector<TokenId>& out) const;

    /// The same by the definition.
    void encode_by_merging(std::string_view piece, std::vector<TokenId>& out) const;

    /// Whether encode() may use the one-pass way: every token has one merge, of a higher rank than
    /// those of its parts. True of every trained vocabulary.
    bool is_one_pass() const { return one_pass_; }

  private:
    static constexpr int32_t kNone = -1;
    static constexpr int32_t kNever = INT32_MAX;

    int32_t merge_rank(int32_t left, int32_t right) const;  // kNever where there is none
    ByteTrie::Match with_size(int32_t token) const {
        if (token == kNone) return {kNone, 0};
        return {token, sizes_[static_cast<size_t>(token)]};
    }
    bool go_together(int32_t left, int32_t right, int32_t limit) const;
    void build_one_pass(std::span<const std::string_view> token_bytes,
                        std::span<const BpeMerge> merges);
    void encode_parts(std::string_view piece, ByteTrie::Match first,
                      std::vector<TokenId>& out) const;

    // Pairs in an open hash table: left, right and rank in one word of 21 + 21 + 22 bits.
    std::vector<uint64_t> pairs_;
    uint64_t pairs_mask_ = 0;
    // Nearly all pairs that are asked for have no merge. A few bits a pair tell so without a look
    // into the large table: of each pair that has one, two bits are set here.
    std::vector<uint64_t> filter_;
    uint64_t filter_mask_ = 0;
    std::vector<int32_t> results_;  // by rank
    std::array<int32_t, 256> byte_tokens_;

    struct Token {
        int32_t rank = kNone;  // of the merge that makes it; kNone for a single byte
        int32_t left = kNone, right = kNone;
        int32_t shorter = kNone;  // the longest other token that it starts with
    };
    bool one_pass_ = false;
    std::vector<Token> tokens_;
    std::vector<uint16_t> sizes_;  // of tokens, in bytes
    ByteTrie trie_;                // of the tokens that merging can yield
};

}  // namespace saker
