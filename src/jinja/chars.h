// Characters as Python sees them: blanks, line ends, letter case, and where one begins in UTF-8.
//
// Templates are written for Python's strings, which are sequences of code points; these functions
// are what strip, split, upper, repr and the rest need to know of one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace saker::jinja {

/// str.isspace of one character; also \s of a regular expression.
bool is_space(char32_t c);
/// Whether str.splitlines ends a line at it.
bool is_line_end(char32_t c);
/// str.isprintable of one character.
bool is_printable(char32_t c);
bool is_upper(char32_t c);
bool is_lower(char32_t c);
bool is_alphabetic(char32_t c);
bool is_digit(char32_t c);  // 0 to 9 of any script

/// Appends the character in another case, as str.upper, str.lower and the first letter of
/// str.capitalize write it. The few that become several characters (ß) are among them; a final
/// sigma is not told apart.
enum class Case { upper, lower, title };
void append_in_case(char32_t c, Case wanted, std::string& out);

/// Size of `text` without the blanks at its end.
size_t size_without_end_blanks(std::string_view text);
/// Index of the first character that is no blank, at or after `from`.
size_t skip_blanks(std::string_view text, size_t from);

/// Number of characters; of the first characters that are `count`, the size in bytes.
size_t count_characters(std::string_view text);
size_t size_of_characters(std::string_view text, size_t count);

/// Size in bytes of the character that begins at `at`, of valid UTF-8.
inline size_t character_size(std::string_view text, size_t at) {
    const auto b = static_cast<unsigned char>(text[at]);
    const size_t size = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
    return size < text.size() - at ? size : text.size() - at;
}

}  // namespace saker::jinja
