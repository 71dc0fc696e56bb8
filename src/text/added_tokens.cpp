// Hops from one possible first byte to the next (in practice all are '<') and looks there.
#include "text/added_tokens.h"

namespace saker {

AddedTokenFinder::AddedTokenFinder(const std::vector<Added>& tokens) {
    std::vector<ByteTrie::Key> keys;
    for (const Added& token : tokens) {
        keys.push_back({token.text, token.id});
        if (first_bytes_.find(token.text[0]) == std::string::npos) first_bytes_ += token.text[0];
    }
    trie_ = ByteTrie(std::move(keys));
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::find(std::string_view text,
                                                              size_t from) const {
    if (empty()) return std::nullopt;
    const bool one = first_bytes_.size() == 1;
    for (size_t at = from;; ++at) {
        at = one ? text.find(first_bytes_[0], at) : text.find_first_of(first_bytes_, at);
        if (at == std::string_view::npos) return std::nullopt;
        const ByteTrie::Match match = trie_.longest(text.substr(at));
        if (match.value >= 0) return Match{at, match.size, match.value};
    }
}

}  // namespace saker
