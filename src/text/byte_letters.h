// The letters that byte-level vocabularies write bytes as.
//
// A vocabulary file holds text, so each of the 256 bytes is written as a visible character: bytes
// that are visible in Latin-1 as themselves, the others, in order, as U+0100 and up (a blank is
// U+0120). GPT-2 began this; tokenizer files of the Qwen family follow it.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace saker {

/// The character that stands for each byte.
std::array<char32_t, 256> byte_letters();

/// Writes the bytes that `letters` stands for to `bytes`; false where a character stands for none.
bool read_byte_letters(std::string_view letters, std::string& bytes);

}  // namespace saker
