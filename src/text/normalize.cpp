// NFC by stretches. A character without kMayCompose is never changed by what stands before it, so a
// stretch from one such character to the next can be normalised by itself.
//
// The steps are done here one by one, since utf8proc's own loop sorts combining marks by exchanging
// neighbours, which a hostile text makes quadratic.
#include "text/normalize.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"

namespace saker {
namespace {

int combining_class(utf8proc_int32_t c) {
    return utf8proc_get_property(c)->combining_class;
}

// The parts of all characters of `text`, marks in their order.
void decompose(std::string_view text, std::vector<utf8proc_int32_t>& chars) {
    constexpr auto kDecompose =
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
    chars.clear();
    while (!text.empty()) {
        const Decoded d = decode_utf8(text);
        text.remove_prefix(d.size);
        utf8proc_int32_t parts[8];
        int boundary = 0;
        const auto n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(d.code_point), parts,
                                               8, kDecompose, &boundary);
        CHECK(n >= 1 && n <= 8, "a canonical decomposition has at most four characters");
        chars.insert(chars.end(), parts, parts + n);
    }
    for (auto at = chars.begin(); at != chars.end();) {
        if (combining_class(*at) == 0) {
            ++at;
            continue;
        }
        const auto end = std::find_if(at, chars.end(),
                                      [](utf8proc_int32_t c) { return combining_class(c) == 0; });
        std::stable_sort(at, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
            return combining_class(a) < combining_class(b);
        });
        at = end;
    }
}

void append_nfc(std::string_view stretch, std::vector<utf8proc_int32_t>& chars, std::string& out) {
    constexpr auto kCompose = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    decompose(stretch, chars);
    const auto n = utf8proc_normalize_utf32(chars.data(),
                                            static_cast<utf8proc_ssize_t>(chars.size()), kCompose);
    CHECK(n >= 0, "utf8proc composes any code points");
    for (utf8proc_ssize_t i = 0; i < n; ++i)
        append_utf8(out, static_cast<char32_t>(chars[static_cast<size_t>(i)]));
}

// Where the first character with kMayCompose at or after `at` stands; `start` becomes where the
// last character before it stands, or stays.
size_t find_composing(const CharTable& table, std::string_view text, size_t at, size_t& start) {
    while (at < text.size()) {
        if (at + 8 <= text.size()) {
            uint64_t word;
            std::memcpy(&word, text.data() + at, 8);
            if (!(word & 0x8080808080808080u)) {
                at += 8;
                start = at - 1;
                continue;
            }
        }
        const CharTable::Char c = table.at(text.data() + at);
        if (c.bits & kMayCompose) return at;
        start = at;
        at += c.size;
    }
    return text.size();
}

}  // namespace

std::string_view to_nfc(const CharTable& table, std::string_view text, std::string& buffer) {
    size_t start = 0;
    size_t composing = find_composing(table, text, 0, start);
    if (composing == text.size()) return text;
    buffer.clear();
    buffer.reserve(text.size());
    std::vector<utf8proc_int32_t> chars;
    size_t done = 0;
    while (composing < text.size()) {
        size_t end = composing;
        while (end < text.size()) {
            const CharTable::Char c = table.at(text.data() + end);
            if (!(c.bits & kMayCompose)) break;
            end += c.size;
        }
        buffer.append(text.substr(done, start - done));
        append_nfc(text.substr(start, end - start), chars, buffer);
        done = start = end;
        composing = find_composing(table, text, end, start);
    }
    buffer.append(text.substr(done));
    return buffer;
}

std::string_view to_nfd(std::string_view text, std::string& buffer) {
    if (std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; })) return text;
    std::vector<utf8proc_int32_t> chars;
    decompose(text, chars);
    buffer.clear();
    for (const utf8proc_int32_t c : chars) append_utf8(buffer, static_cast<char32_t>(c));
    return buffer;
}

}  // namespace saker
