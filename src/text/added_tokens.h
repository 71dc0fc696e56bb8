// AddedTokenFinder: where a text spells one of a few given strings.
//
// The leftmost match wins, and of those that start together the longest. Used by Tokenizer for the
// tokens beside the vocabulary ("<|im_start|>").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_trie.h"

namespace saker {

class AddedTokenFinder {
  public:
    struct Added {
        std::string text;  // not empty, no two equal
        int32_t id;
    };
    AddedTokenFinder() = default;
    explicit AddedTokenFinder(const std::vector<Added>& tokens);

    struct Match {
        size_t begin, size;
        int32_t id;
    };
    std::optional<Match> find(std::string_view text, size_t from) const;

    bool empty() const { return first_bytes_.empty(); }

  private:
    std::string first_bytes_;  // each once
    ByteTrie trie_;
};

}  // namespace saker
