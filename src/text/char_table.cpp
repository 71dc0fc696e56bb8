// Fills the table from utf8proc; equal blocks of 256 code points are kept once.
#include "text/char_table.h"

#include <utf8proc.h>

#include <algorithm>
#include <map>
#include <string>

namespace saker {
namespace {

constexpr char32_t kEnd = 0x110000;
constexpr utf8proc_option_t kCanonical =
    static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);

bool is_white_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

// Symbols with the property Other_Alphabetic: letters in circles, squares and the like; and the two
// joiners.
bool is_word_symbol(char32_t c) {
    return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189) || c == 0x200C ||
           c == 0x200D;
}

uint8_t bits_of(char32_t c) {
    uint8_t bits = is_word_symbol(c) ? kWord : 0;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
            bits |= kLetter | kWord;
            break;
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
            bits |= kNumber | kWord;
            break;
        case UTF8PROC_CATEGORY_NO:
            bits |= kNumber;
            break;
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_PC:
            bits |= kWord;
            break;
        default:
            break;
    }
    if (is_white_space(c)) bits |= kSpace;
    if (c == '\r' || c == '\n') bits |= kNewline;
    return bits;
}

// Marks what NFC may touch: characters with a combining class, characters that NFC replaces, and
// characters that stand behind the first in some decomposition and so may join the one before.
void mark_composing(std::vector<uint8_t>& bits) {
    for (char32_t c = 0xA0; c < kEnd; ++c) {
        const utf8proc_property_t* property =
            utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
        if (property->combining_class != 0) bits[c] |= kMayCompose;
        utf8proc_int32_t parts[8];
        int boundary = 0;
        const auto n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 8,
                                               kCanonical, &boundary);
        if (n < 1 || n > 8 || (n == 1 && parts[0] == static_cast<utf8proc_int32_t>(c))) continue;
        for (utf8proc_ssize_t i = 1; i < n; ++i) bits[static_cast<size_t>(parts[i])] |= kMayCompose;
        const auto left = utf8proc_normalize_utf32(
            parts, n, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
        if (left != 1 || parts[0] != static_cast<utf8proc_int32_t>(c)) bits[c] |= kMayCompose;
    }
}

}  // namespace

CharTable::CharTable() {
    std::vector<uint8_t> bits(kEnd);
    for (char32_t c = 0; c < kEnd; ++c) bits[c] = bits_of(c);
    mark_composing(bits);
    std::copy_n(bits.begin(), ascii_.size(), ascii_.begin());
    std::map<std::string_view, uint16_t> seen;
    for (size_t block = 0; block < block_of_.size(); ++block) {
        const std::string_view content(reinterpret_cast<const char*>(bits.data()) + block * 256,
                                       256);
        const auto [place, is_new] = seen.emplace(content, static_cast<uint16_t>(seen.size()));
        block_of_[block] = place->second;
        if (is_new) blocks_.insert(blocks_.end(), content.begin(), content.end());
    }
}

}  // namespace saker
