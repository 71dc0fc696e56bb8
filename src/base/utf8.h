// UTF-8: validation, decoding, encoding, and where a byte string can be cut.
//
// Strict as in the Unicode standard, table 3-7: no overlong forms, no surrogates, nothing above
// U+10FFFF. Used wherever text comes in (prompts, JSON, tokenizer files) and by incremental
// decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace saker {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
    char32_t code_point;  // kReplacement where the bytes are not UTF-8
    uint32_t size;        // bytes used, at least 1; of a wrong sequence, its maximal valid start
    bool valid;
};

/// The code point at the front of `bytes`, which must not be empty.
Decoded decode_utf8(std::string_view bytes);

/// Index of the first byte that is not part of valid UTF-8, or npos.
size_t find_invalid_utf8(std::string_view bytes);
inline bool is_utf8(std::string_view bytes) {
    return find_invalid_utf8(bytes) == std::string_view::npos;
}

/// Appends the character; what is no Unicode scalar value (a surrogate, above U+10FFFF) becomes
/// U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

/// Number of bytes at the end of `bytes` that begin a character which later bytes may complete (0
/// to 3). What stands before them can be shown now.
size_t incomplete_utf8_tail(std::string_view bytes);

/// `bytes` with each maximal wrong part replaced by U+FFFD, as Python's errors="replace" does.
std::string replace_invalid_utf8(std::string_view bytes);

/// Text of a file made fit for a message: quoted, cut to 120 bytes, control characters as "?".
std::string quote(std::string_view text);

}  // namespace saker
