// UTF-8 against a naive validator: every code point, every sequence of up to three bytes, and four
// bytes over the values where a rule changes.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace saker {
namespace {

std::string hex(std::string_view s) {
    std::string out;
    for (unsigned char c : s) {
        out += "0123456789abcdef"[c >> 4];
        out += "0123456789abcdef"[c & 15];
    }
    return out;
}

// Naive: encodes each candidate code point and compares. 0 where the front is no character.
size_t naive_length(std::string_view s) {
    const auto at = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
    const size_t size = at(0) < 0x80 ? 1 : at(0) < 0xE0 ? 2 : at(0) < 0xF0 ? 3 : 4;
    if (s.size() < size || (size > 1 && at(0) < 0xC0)) return 0;
    uint32_t cp = size == 1 ? at(0) : at(0) & (0xFF >> (size + 1));
    for (size_t i = 1; i < size; ++i) {
        if (at(i) < 0x80 || at(i) > 0xBF) return 0;
        cp = cp * 64 + (at(i) - 0x80);
    }
    const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (cp < least[size] || cp > 0x10FFFF || (cp >= 0xD800 && cp < 0xE000) || at(0) > 0xF7)
        return 0;
    return size;
}

bool naive_valid(std::string_view s) {
    while (!s.empty()) {
        const size_t n = naive_length(s);
        if (n == 0) return false;
        s.remove_prefix(n);
    }
    return true;
}

// Whether some bytes after `s` make it one valid character; the definition, by trial.
bool can_become_one(std::string_view s) {
    if (s.empty() || s.size() > 3) return false;
    const char ends[] = {char(0x80), char(0x90), char(0xA0), char(0xBF)};
    for (char a : ends) {
        std::string t = std::string(s) + a;
        if (naive_length(t) == t.size()) return true;
        for (char b : ends) {
            std::string u = t + b;
            if (naive_length(u) == u.size()) return true;
            for (char c : ends)
                if (naive_length(u + c) == u.size() + 1) return true;
        }
    }
    return false;
}

size_t naive_tail(std::string_view s) {
    // The longest end that is a proper start of a character, all before it left alone.
    for (size_t n = std::min<size_t>(3, s.size()); n > 0; --n)
        if (can_become_one(s.substr(s.size() - n))) return n;
    return 0;
}

void expect_agrees(const std::string& s) {
    ASSERT_EQ(is_utf8(s), naive_valid(s)) << hex(s);
    const Decoded d = decode_utf8(s);
    const size_t n = naive_length(s);
    ASSERT_EQ(d.valid, n > 0) << hex(s);
    if (n > 0) {
        ASSERT_EQ(d.size, n);
    } else {
        ASSERT_EQ(d.code_point, kReplacement);
        ASSERT_GE(d.size, 1u);
        // A maximal valid start: what is passed over could have become a character, or is one byte.
        const std::string_view v = s;
        ASSERT_TRUE(d.size == 1 || can_become_one(v.substr(0, d.size)));
        ASSERT_TRUE(d.size == s.size() || !can_become_one(v.substr(0, d.size + 1)));
    }
    ASSERT_EQ(incomplete_utf8_tail(s), naive_tail(s)) << hex(s);
}

TEST(Utf8, EveryCodePointRoundTrips) {
    for (uint32_t cp = 0; cp < 0x110000; ++cp) {
        if (cp >= 0xD800 && cp < 0xE000) continue;
        std::string s;
        append_utf8(s, cp);
        const Decoded d = decode_utf8(s);
        ASSERT_TRUE(d.valid) << cp;
        ASSERT_EQ(d.code_point, cp);
        ASSERT_EQ(d.size, s.size());
        ASSERT_EQ(naive_length(s), s.size());
        ASSERT_EQ(incomplete_utf8_tail(s), 0u);
    }
}

TEST(Utf8, WhatIsNoScalarValueIsReplaced) {
    for (char32_t cp : {0xD800u, 0xDBFFu, 0xDFFFu, 0x110000u, 0xFFFFFFFFu}) {
        std::string s;
        append_utf8(s, cp);
        EXPECT_EQ(s, "\xEF\xBF\xBD");
    }
}

TEST(Utf8, EveryOneAndTwoByteStringAgreesWithTheNaiveValidator) {
    for (int a = 0; a < 256; ++a) {
        expect_agrees({static_cast<char>(a)});
        for (int b = 0; b < 256; ++b) expect_agrees({static_cast<char>(a), static_cast<char>(b)});
    }
}

// The bytes around which table 3-7 of the Unicode standard changes its mind.
TEST(Utf8, LongerStringsOverTheEdgesAgreeWithTheNaiveValidator) {
    const std::vector<int> edges = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                    0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
                                    0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF};
    for (int a : edges)
        for (int b : edges)
            for (int c : edges) {
                const std::string three = {static_cast<char>(a), static_cast<char>(b),
                                           static_cast<char>(c)};
                expect_agrees(three);
                for (int d : {0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xF0})
                    expect_agrees(three + static_cast<char>(d));
            }
}

// The scan of eight bytes at a time must not step over a fault at any alignment.
TEST(Utf8, FindsTheFirstFaultAtEveryOffset) {
    for (size_t at = 0; at < 40; ++at)
        for (const char* bad : {"\x80", "\xC3", "\xED\xA0\x80", "\xF0\x82\x82\xAC", "\xFF"}) {
            std::string s(at, 'a');
            s += bad;
            s += std::string(11, 'b');
            EXPECT_EQ(find_invalid_utf8(s), at);
            EXPECT_FALSE(is_utf8(s));
        }
    std::string s(21, 'a');
    s += "\xE2\x82\xAC";
    EXPECT_TRUE(is_utf8(s));
    EXPECT_EQ(find_invalid_utf8(s.substr(0, 23)), 21u);
    EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos);
}

TEST(Utf8, TailIsWhatLaterBytesMayComplete) {
    EXPECT_EQ(incomplete_utf8_tail(""), 0u);
    EXPECT_EQ(incomplete_utf8_tail("abc"), 0u);
    EXPECT_EQ(incomplete_utf8_tail("ab\xF0\x9F\x98"), 3u);
    EXPECT_EQ(incomplete_utf8_tail("ab\xF0\x9F"), 2u);
    EXPECT_EQ(incomplete_utf8_tail("ab\xF0"), 1u);
    EXPECT_EQ(incomplete_utf8_tail("ab\xF0\x9F\x98\x80"), 0u);
    EXPECT_EQ(incomplete_utf8_tail("\x98\x80\x80\x80"), 0u);  // no lead: cannot be mended
    EXPECT_EQ(incomplete_utf8_tail("\xE0\x80"), 0u);          // overlong whatever follows
    EXPECT_EQ(incomplete_utf8_tail("\xED\xA0"), 0u);          // a surrogate whatever follows
    EXPECT_EQ(incomplete_utf8_tail("\xF4\x90"), 0u);          // above U+10FFFF whatever follows
    EXPECT_EQ(incomplete_utf8_tail("\xFF\xC3"), 1u);          // a fault before it does not matter
}

// As Python: bytes.decode("utf-8", errors="replace").
TEST(Utf8, ReplacesMaximalWrongParts) {
    const std::string R = "\xEF\xBF\xBD";
    EXPECT_EQ(replace_invalid_utf8("plain \xC3\xA9"), "plain \xC3\xA9");
    EXPECT_EQ(replace_invalid_utf8("\xF0\x9F\x98x"), R + "x");
    EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80"), R + R + R);
    EXPECT_EQ(replace_invalid_utf8("\xF0\x80\x80\x41"), R + R + R + "A");
    EXPECT_EQ(replace_invalid_utf8("\xE2\x82"), R);
    EXPECT_EQ(replace_invalid_utf8("\xC0\xAF\xF5"), R + R + R);
    EXPECT_EQ(replace_invalid_utf8(""), "");
}

}  // namespace
}  // namespace saker
