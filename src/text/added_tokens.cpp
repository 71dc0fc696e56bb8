// Hops from one possible first byte to the next (in practice all are '<') and looks there.
#include "text/added_tokens.h"

#include <unordered_set>
#include <utility>

#include "base/utf8.h"

namespace saker {
namespace {

// Where the last character of `text` starts.
size_t last_char(std::string_view text) {
    size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

bool is_word(const CharTable& chars, std::string_view text, size_t at) {
    return (chars[decode_utf8(text.substr(at)).code_point] & kWord) != 0;
}

}  // namespace

size_t space_at_front(const CharTable& chars, std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        const Decoded c = decode_utf8(text.substr(at));
        if (!(chars[c.code_point] & kSpace)) break;
        at += c.size;
    }
    return at;
}

size_t space_at_back(const CharTable& chars, std::string_view text) {
    size_t end = text.size();
    while (end > 0) {
        const size_t at = last_char(text.substr(0, end));
        if (!(chars[decode_utf8(text.substr(at, end - at)).code_point] & kSpace)) break;
        end = at;
    }
    return end;
}

AddedTokenFinder::AddedTokenFinder(const CharTable& chars, std::vector<Added> tokens)
    : chars_(&chars), tokens_(std::move(tokens)) {
    std::vector<ByteTrie::Key> keys;
    std::unordered_set<std::string_view> seen;
    for (size_t i = 0; i < tokens_.size(); ++i) {
        const std::string& text = tokens_[i].text;
        if (!seen.insert(text).second) continue;
        keys.push_back({text, static_cast<int32_t>(i)});
        if (first_bytes_.find(text[0]) == std::string::npos) first_bytes_ += text[0];
    }
    trie_ = ByteTrie(std::move(keys));
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::find(std::string_view text,
                                                              size_t from) const {
    if (empty()) return std::nullopt;
    const bool one = first_bytes_.size() == 1;
    for (size_t at = from;;) {
        at = one ? text.find(first_bytes_[0], at) : text.find_first_of(first_bytes_, at);
        if (at == std::string_view::npos) return std::nullopt;
        const ByteTrie::Match match = trie_.longest(text.substr(at));
        if (match.value < 0) {
            ++at;
            continue;
        }
        const Added& token = tokens_[static_cast<size_t>(match.value)];
        const size_t end = at + match.size;
        // One that is no word of its own is passed over whole, with any shorter token inside it.
        if (!token.is_whole_word ||
            ((at == 0 || !is_word(*chars_, text, last_char(text.substr(0, at)))) &&
             (end == text.size() || !is_word(*chars_, text, end))))
            return Match{at, end, &token};
        at = end;
    }
}

}  // namespace saker
