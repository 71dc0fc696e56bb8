// Hops from one possible first byte to the next (in practice all are '<') and compares there.
#include "text/added_tokens.h"

#include <algorithm>

namespace saker {

AddedTokenFinder::AddedTokenFinder(std::vector<Added> tokens) : tokens_(std::move(tokens)) {
    const auto first = [](const Added& t) { return static_cast<unsigned char>(t.text[0]); };
    std::sort(tokens_.begin(), tokens_.end(), [&](const Added& a, const Added& b) {
        if (first(a) != first(b)) return first(a) < first(b);
        return a.text.size() != b.text.size() ? a.text.size() > b.text.size() : a.text < b.text;
    });
    for (const Added& token : tokens_) {
        ++first_of_[first(token) + 1];
        if (first_bytes_.find(token.text[0]) == std::string::npos) first_bytes_ += token.text[0];
    }
    for (size_t b = 1; b < first_of_.size(); ++b) first_of_[b] += first_of_[b - 1];
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::find(std::string_view text,
                                                              size_t from) const {
    if (tokens_.empty()) return std::nullopt;
    const bool one = first_bytes_.size() == 1;
    for (size_t at = from;; ++at) {
        at = one ? text.find(first_bytes_[0], at) : text.find_first_of(first_bytes_, at);
        if (at == std::string_view::npos) return std::nullopt;
        const auto byte = static_cast<unsigned char>(text[at]);
        for (uint32_t i = first_of_[byte]; i < first_of_[byte + 1]; ++i)
            if (text.substr(at).starts_with(tokens_[i].text))
                return Match{at, tokens_[i].text.size(), tokens_[i].id};
    }
}

}  // namespace saker
