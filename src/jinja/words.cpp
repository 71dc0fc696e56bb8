// See words.h.
#include "jinja/words.h"

#include <charconv>
#include <optional>

#include "base/utf8.h"

namespace saker::jinja {
namespace {

bool is_digit_of(char c, int base) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    return digit < base;
}

// What is not ASCII may be part of a name; names that no template uses are not told apart.
bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// Digits with single '_' between them.
size_t skip_digits(std::string_view s, size_t at, int base) {
    while (at < s.size()) {
        if (is_digit_of(s[at], base))
            ++at;
        else if (s[at] == '_' && at + 1 < s.size() && is_digit_of(s[at + 1], base))
            at += 2;
        else
            break;
    }
    return at;
}

std::string without_underscores(std::string_view digits) {
    std::string out;
    for (char c : digits)
        if (c != '_') out += c;
    return out;
}

// Escapes as in Python's strings. `left` begins behind the backslash; returns how much of it was
// read.
size_t unescape(std::string_view left, std::string& out, int line) {
    constexpr std::string_view kPlain = "\\'\"abfnrtv", kMeans = "\\'\"\a\b\f\n\r\t\v";
    const char c = left[0];
    if (c == '\n') return 1;
    if (const size_t i = kPlain.find(c); i != std::string_view::npos) {
        out += kMeans[i];
        return 1;
    }
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const int base = digits > 0 ? 16 : 8;
    size_t begin = digits > 0 ? 1 : 0, end = begin;
    if (base == 8) digits = 3;
    while (end < left.size() && end < begin + digits && is_digit_of(left[end], base)) ++end;
    if (end == begin && base == 8) {  // no escape
        if (c == 'N') throw Fault{"the escape \\N is not supported", false, line};
        out += '\\';
        return 0;
    }
    unsigned code = 0;
    std::from_chars(left.data() + begin, left.data() + end, code, base);
    const bool is_character = code < 0xD800 || (code >= 0xE000 && code <= 0x10FFFF);
    if ((base == 16 && end != begin + digits) || !is_character)
        throw Fault{"a string has an escape of no character", false, line};
    append_utf8(out, code);
    return end;
}

}  // namespace

size_t WordReader::read(size_t at, Token& token) {
    const char c = source_[at];
    if (is_digit_of(c, 10)) return read_number(at, token);
    if (c == '"' || c == '\'') return read_string(at, token);
    if (!is_name_start(c)) return read_mark(at, token);
    size_t end = at + 1;
    while (end < source_.size() && (is_name_start(source_[end]) || is_digit_of(source_[end], 10)))
        ++end;
    token.kind = TokenKind::name;
    token.word = source_.substr(at, end - at);
    return end;
}

size_t WordReader::read_number(size_t at, Token& token) {
    token.kind = TokenKind::constant;
    const std::string_view s = source_;
    const char mark = at + 1 < s.size() ? s[at + 1] : ' ';
    const int base = mark == 'x' || mark == 'X'   ? 16
                     : mark == 'o' || mark == 'O' ? 8
                     : mark == 'b' || mark == 'B' ? 2
                                                  : 10;
    if (s[at] == '0' && base != 10) {
        const size_t begin = at + 2 + (s.substr(at + 2, 1) == "_");
        const size_t end = skip_digits(s, begin, base);
        int64_t number = 0;
        const std::string digits = without_underscores(s.substr(begin, end - begin));
        const auto read =
            std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
        if (read.ec != std::errc()) throw Fault{"a number cannot be read", false, token.line};
        token.constant = value_of(number);
        return end;
    }
    // A fraction or an exponent makes it real, but not behind a dot: a.1.5 are two items.
    const size_t whole = skip_digits(s, at, 10);
    size_t end = whole;
    const bool may_be_real = at == 0 || s[at - 1] != '.';
    const auto digit_at = [&](size_t i) { return i < s.size() && is_digit_of(s[i], 10); };
    if (may_be_real && end < s.size() && s[end] == '.' && digit_at(end + 1))
        end = skip_digits(s, end + 1, 10);
    if (may_be_real && end < s.size() && (s[end] == 'e' || s[end] == 'E')) {
        size_t exponent = end + 1;
        if (exponent < s.size() && (s[exponent] == '+' || s[exponent] == '-')) ++exponent;
        if (digit_at(exponent)) end = skip_digits(s, exponent, 10);
    }
    if (end > whole) {
        const std::string digits = without_underscores(s.substr(at, end - at));
        double number = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (read.ec != std::errc()) throw Fault{"a number is out of range", false, token.line};
        token.constant = value_of(number);
        return end;
    }
    // Zeros in front are numbers of their own, which no template can mean.
    const std::string digits = without_underscores(s.substr(at, end - at));
    if (digits.size() > 1 && digits[0] == '0')
        throw Fault{"a number begins with 0", false, token.line};
    int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    token.constant = value_of(number);
    if (read.ec != std::errc()) {
        token.constant = value_of(copy_text(heap_, digits, Origin::author));
        token.constant.kind = Kind::big_integer;
    }
    return end;
}

size_t WordReader::read_string(size_t at, Token& token) {
    token.kind = TokenKind::constant;
    const char quote = source_[at];
    std::string text;
    for (size_t i = at + 1; i < source_.size();) {
        const char c = source_[i];
        if (c == quote) {
            token.constant = value_of(copy_text(heap_, text, Origin::author));
            return i + 1;
        }
        ++i;
        if (c == '\\' && i < source_.size())
            i += unescape(source_.substr(i), text, token.line);
        else
            text += c;
    }
    throw Fault{"a string has no end", false, token.line};
}

size_t WordReader::read_mark(size_t at, Token& token) {
    constexpr std::string_view kTwo[] = {"//", "**", "==", "!=", ">=", "<="};
    constexpr std::string_view kOne = "+-*/%~[](){}<>=.:|,;";
    token.kind = TokenKind::mark;
    const std::string_view left = source_.substr(at);
    for (std::string_view mark : kTwo)
        if (left.starts_with(mark)) {
            token.word = mark;
            return at + 2;
        }
    const char c = left[0];
    if (kOne.find(c) == std::string_view::npos)
        throw Fault{"unexpected character " + quote(left.substr(0, 1)), false, token.line};
    if (c == '(') open_.push_back(')');
    if (c == '[') open_.push_back(']');
    if (c == '{') open_.push_back('}');
    if (c == ')' || c == ']' || c == '}') {
        if (open_.empty() || open_.back() != c)
            throw Fault{"unexpected '" + std::string(1, c) + "'", false, token.line};
        open_.pop_back();
    }
    token.word = left.substr(0, 1);
    return at + 1;
}

}  // namespace saker::jinja
