// CharTable: for every Unicode code point, what splitting and normalising need to know about it.
//
// Built once when a tokenizer is loaded, from the categories and decompositions of utf8proc;
// read-only afterwards. The white space is Unicode's White_Space property, which has not changed
// since Unicode 6.3.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace saker {

/// Bits of a code point. One without kLetter, kNumber and kSpace is punctuation, a symbol, a mark,
/// a control character or unassigned.
enum CharBits : uint8_t {
    kLetter = 1,       // \p{L}
    kNumber = 2,       // \p{N}
    kSpace = 4,        // White_Space
    kNewline = 8,      // CR and LF, which are kSpace too
    kMayCompose = 16,  // NFC may change it, or the character before it because of it
    kWord = 32         // \w: alphabetic, a mark, a digit, a connector, or a joiner
};

class CharTable {
  public:
    CharTable();

    uint8_t ascii(unsigned char byte) const { return ascii_[byte]; }  // of a byte below 0x80

    uint8_t operator[](char32_t code_point) const {
        return blocks_[size_t{block_of_[code_point >> 8]} << 8 | (code_point & 0xFF)];
    }

    struct Char {
        uint8_t bits;
        uint8_t size;  // bytes
    };
    /// The character at `at`, a boundary of valid UTF-8.
    Char at(const char* at) const {
        const auto* b = reinterpret_cast<const unsigned char*>(at);
        if (b[0] < 0x80) return {ascii_[b[0]], 1};
        if (b[0] < 0xE0) return {(*this)[(b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu)], 2};
        if (b[0] < 0xF0)
            return {(*this)[(b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu)], 3};
        return {(*this)[(b[0] & 0x07u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 |
                        (b[3] & 0x3Fu)],
                4};
    }

  private:
    std::array<uint8_t, 128> ascii_{};
    std::array<uint16_t, 0x1100> block_of_{};  // of 256 code points each
    std::vector<uint8_t> blocks_;              // the distinct ones
};

}  // namespace saker
