// Strict UTF-8, byte by byte; see utf8.h.
#include "base/utf8.h"

#include <algorithm>

#include <cstring>

#include "base/check.h"

namespace saker {
namespace {

// For a lead byte: how many bytes follow (or -1), and the range that the first of them must lie in.
struct Lead {
    int following;
    unsigned char low, high;
};

Lead lead_of(unsigned char b) {
    if (b < 0x80) return {0, 0, 0};
    if (b < 0xC2) return {-1, 0, 0};
    if (b < 0xE0) return {1, 0x80, 0xBF};
    if (b == 0xE0) return {2, 0xA0, 0xBF};
    if (b == 0xED) return {2, 0x80, 0x9F};
    if (b < 0xF0) return {2, 0x80, 0xBF};
    if (b == 0xF0) return {3, 0x90, 0xBF};
    if (b < 0xF4) return {3, 0x80, 0xBF};
    if (b == 0xF4) return {3, 0x80, 0x8F};
    return {-1, 0, 0};
}

}  // namespace

Decoded decode_utf8(std::string_view bytes) {
    DCHECK(!bytes.empty(), "decode_utf8 needs at least one byte");
    const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const Lead lead = lead_of(at(0));
    if (lead.following == 0) return {at(0), 1, true};
    if (lead.following < 0) return {kReplacement, 1, false};
    char32_t cp = at(0) & (0x3F >> lead.following);
    for (int i = 1; i <= lead.following; ++i) {
        const bool there = static_cast<size_t>(i) < bytes.size();
        const unsigned char low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xBF;
        if (!there || at(i) < low || at(i) > high)
            return {kReplacement, static_cast<uint32_t>(i), false};
        cp = cp << 6 | (at(i) & 0x3F);
    }
    return {cp, static_cast<uint32_t>(lead.following + 1), true};
}

size_t find_invalid_utf8(std::string_view bytes) {
    size_t i = 0;
    while (i < bytes.size()) {
        // Eight ASCII bytes at a time: most text, and all base64.
        while (i + 8 <= bytes.size()) {
            uint64_t word;
            std::memcpy(&word, bytes.data() + i, 8);
            if (word & 0x8080808080808080u) break;
            i += 8;
        }
        // Three bytes whose first is E1 to EC, EE or EF need only the right marks: most of what is
        // written in Asia. The mask is that of a little-endian load.
        while (i + 4 <= bytes.size()) {
            uint32_t word;
            std::memcpy(&word, bytes.data() + i, 4);
            const uint32_t lead = word & 0xFF;
            if ((word & 0xC0C0F0) != 0x8080E0 || lead == 0xE0 || lead == 0xED) break;
            i += 3;
        }
        if (i >= bytes.size()) break;
        const Decoded d = decode_utf8(bytes.substr(i));
        if (!d.valid) return i;
        i += d.size;
    }
    return std::string_view::npos;
}

void append_utf8(std::string& out, char32_t cp) {
    if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF)) cp = kReplacement;
    if (cp < 0x80) {
        out += static_cast<char>(cp);
    } else if (cp < 0x800) {
        out += static_cast<char>(0xC0 | cp >> 6);
        out += static_cast<char>(0x80 | (cp & 0x3F));
    } else if (cp < 0x10000) {
        out += static_cast<char>(0xE0 | cp >> 12);
        out += static_cast<char>(0x80 | (cp >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (cp & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | cp >> 18);
        out += static_cast<char>(0x80 | (cp >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (cp >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (cp & 0x3F));
    }
}

size_t incomplete_utf8_tail(std::string_view bytes) {
    for (size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
        const auto b = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if ((b & 0xC0) == 0x80) continue;  // a following byte: look further back for its lead
        const Lead lead = lead_of(b);
        if (lead.following < static_cast<int>(back)) return 0;
        const Decoded d = decode_utf8(bytes.substr(bytes.size() - back));
        // Incomplete only if everything that is there is right so far.
        return !d.valid && d.size == back ? back : 0;
    }
    return 0;
}

std::string replace_invalid_utf8(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const Decoded d = decode_utf8(bytes);
        if (d.valid)
            out.append(bytes.substr(0, d.size));
        else
            append_utf8(out, kReplacement);
        bytes.remove_prefix(d.size);
    }
    return out;
}

std::string quote(std::string_view text) {
    constexpr size_t kLimit = 120;
    std::string out = "\"";
    size_t size = std::min(text.size(), kLimit);
    while (size < text.size() && size > 0 && (text[size] & 0xC0) == 0x80) --size;
    for (char c : text.substr(0, size)) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7F ? '?' : c;
    }
    return out + (size < text.size() ? "...\"" : "\"");
}

}  // namespace saker
