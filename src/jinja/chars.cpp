// See chars.h. Letter case and categories are utf8proc's.
#include "jinja/chars.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace saker::jinja {
namespace {

utf8proc_int32_t code(char32_t c) {
    return static_cast<utf8proc_int32_t>(c);
}

// Characters of Latin text that become several in upper case; `title` where that differs.
struct Several {
    char32_t from;
    std::string_view upper, title;
};
constexpr std::array kSeveral = {
    Several{0x00DF, "SS", "Ss"},   Several{0x0149, "ʼN", "ʼN"},   Several{0x01F0, "J̌", "J̌"},
    Several{0xFB00, "FF", "Ff"},   Several{0xFB01, "FI", "Fi"},   Several{0xFB02, "FL", "Fl"},
    Several{0xFB03, "FFI", "Ffi"}, Several{0xFB04, "FFL", "Ffl"}, Several{0xFB05, "ST", "St"},
    Several{0xFB06, "ST", "St"},
};

bool begins_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

bool is_space(char32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_end(char32_t c) {
    return (c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_printable(char32_t c) {
    if (c < 0x80) return c >= ' ' && c < 0x7F;
    switch (utf8proc_category(code(c))) {
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
        case UTF8PROC_CATEGORY_ZS:
            return false;
        default:
            return true;
    }
}

bool is_upper(char32_t c) {
    return utf8proc_category(code(c)) == UTF8PROC_CATEGORY_LU;
}
bool is_lower(char32_t c) {
    return utf8proc_category(code(c)) == UTF8PROC_CATEGORY_LL;
}
bool is_alphabetic(char32_t c) {
    const auto category = utf8proc_category(code(c));
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}
bool is_digit(char32_t c) {
    return utf8proc_category(code(c)) == UTF8PROC_CATEGORY_ND;
}

void append_in_case(char32_t c, Case wanted, std::string& out) {
    if (wanted != Case::lower && c >= 0x80)
        for (const Several& row : kSeveral)
            if (row.from == c) {
                out += wanted == Case::upper ? row.upper : row.title;
                return;
            }
    const auto mapped = wanted == Case::lower   ? utf8proc_tolower(code(c))
                        : wanted == Case::upper ? utf8proc_toupper(code(c))
                                                : utf8proc_totitle(code(c));
    append_utf8(out, static_cast<char32_t>(mapped));
}

size_t size_without_end_blanks(std::string_view text) {
    size_t size = text.size();
    while (size > 0) {
        size_t begin = size - 1;
        while (begin > 0 && !begins_character(text[begin])) --begin;
        if (!is_space(decode_utf8(text.substr(begin, size - begin)).code_point)) break;
        size = begin;
    }
    return size;
}

size_t skip_blanks(std::string_view text, size_t from) {
    while (from < text.size()) {
        const Decoded next = decode_utf8(text.substr(from));
        if (!is_space(next.code_point)) break;
        from += next.size;
    }
    return from;
}

size_t count_characters(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

size_t size_of_characters(std::string_view text, size_t count) {
    size_t at = 0;
    for (; count > 0 && at < text.size(); --count) at += character_size(text, at);
    return at;
}

}  // namespace saker::jinja
