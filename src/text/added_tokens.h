// AddedTokenFinder: where a text spells one of a few given strings.
//
// The leftmost match wins, and of those that start together the longest. A token may ask to stand
// alone, as a word does, and may swallow the white space beside it; all of it as Hugging Face's
// tokenizers do it, quirks included. Used by Tokenizer for the tokens beside the vocabulary
// ("<|im_start|>").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_trie.h"
#include "text/char_table.h"

namespace saker {

/// The end of the white space at the front of `text`, and the start of that at its end.
size_t space_at_front(const CharTable& chars, std::string_view text);
size_t space_at_back(const CharTable& chars, std::string_view text);

class AddedTokenFinder {
  public:
    struct Added {
        std::string text;  // not empty; of two that are equal, the first counts
        int32_t id;
        bool strips_left = false, strips_right = false;  // swallows the white space there
        bool is_whole_word = false;  // none where a character of words stands beside it
    };
    AddedTokenFinder() = default;
    /// `chars` must outlive this.
    AddedTokenFinder(const CharTable& chars, std::vector<Added> tokens);

    struct Match {
        size_t begin, end;  // of the token's own text
        const Added* token;
    };
    /// The first at or after `from`. What stands before `from` counts as a neighbour of words.
    std::optional<Match> find(std::string_view text, size_t from) const;

    /// Takes `text` apart in order: between(text) for what no token covers, added(token) for each
    /// token. Linear in time.
    template <class Between, class AddedCall>
    void split(std::string_view text, Between&& between, AddedCall&& added) const {
        size_t done = 0, seen = 0, space_end = 0;
        while (const auto match = find(text, seen)) {
            seen = match->end;
            size_t begin = match->begin, end = match->end;
            if (match->token->strips_left && begin > done)
                begin = done + space_at_back(*chars_, text.substr(done, begin - done));
            if (match->token->strips_right) {
                // A token of white space may start inside what one before it has swallowed.
                if (space_end < end) space_end = end + space_at_front(*chars_, text.substr(end));
                end = space_end;
            }
            if (done < begin) between(text.substr(done, begin - done));
            added(*match->token);
            done = end;
        }
        if (done < text.size()) between(text.substr(done));
    }

    bool empty() const { return first_bytes_.empty(); }

  private:
    const CharTable* chars_ = nullptr;
    std::vector<Added> tokens_;
    std::string first_bytes_;  // each once
    ByteTrie trie_;            // text to index in tokens_
};

}  // namespace saker
