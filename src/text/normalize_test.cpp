// NFC by stretches, and NFD, against utf8proc's of the whole text.
#include "text/normalize.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>

#include "base/utf8.h"
#include "text/test_tokenizer.h"

namespace saker {
namespace {

std::string whole(const std::string& text, utf8proc_option_t form) {
    utf8proc_uint8_t* out = nullptr;
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &out,
                                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | form));
    EXPECT_GE(size, 0);
    std::string normal(reinterpret_cast<const char*>(out), static_cast<size_t>(size));
    std::free(out);
    return normal;
}

std::string whole_nfc(const std::string& text) {
    return whole(text, UTF8PROC_COMPOSE);
}

TEST(Normalize, EqualsNfcOfTheWhole) {
    const CharTable table;
    std::string buffer;
    for (uint64_t i = 0; i < 20000; ++i) {
        const std::string text = random_text(i);
        ASSERT_EQ(to_nfc(table, text, buffer), whole_nfc(text)) << text;
    }
}

TEST(Normalize, EqualsNfcAroundEachCharacter) {
    const CharTable table;
    std::string buffer;
    for (char32_t c = 0; c < 0x30000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        // utf8proc takes U+11A7 for a final consonant, which it is not, and swallows it.
        if (c == 0x11A7) continue;
        for (const char* before :
             {"", "e", "\xCC\xA3", "\xE1\x84\x80", "\xEA\xB0\x80", "\xE0\xA7\x87"}) {
            std::string text = before;
            append_utf8(text, c);
            text += "\xCC\x81";
            ASSERT_EQ(to_nfc(table, text, buffer), whole_nfc(text)) << static_cast<uint32_t>(c);
        }
    }
}

TEST(Normalize, EqualsNfdOfTheWhole) {
    std::string buffer;
    for (uint64_t i = 0; i < 20000; ++i) {
        const std::string text = random_text(i);
        ASSERT_EQ(to_nfd(text, buffer), whole(text, UTF8PROC_DECOMPOSE)) << text;
    }
    EXPECT_EQ(to_nfd("\xEA\xB0\x81 \xC3\xA9\xCC\xA3", buffer),
              "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8 e\xCC\xA3\xCC\x81");
    const std::string_view plain = "plain";
    EXPECT_EQ(to_nfd(plain, buffer).data(), plain.data());
}

TEST(Normalize, KeepsWhatOnlyLooksLikeAFinalConsonant) {
    const CharTable table;
    std::string buffer;
    for (const std::string text :
         {"\xEA\xB0\x80\xE1\x86\xA7", "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA7\xCC\x81"}) {
        const std::string_view nfc = to_nfc(table, text, buffer);
        EXPECT_EQ(nfc.substr(0, 6), "\xEA\xB0\x80\xE1\x86\xA7");
    }
}

TEST(Normalize, CopiesNothingThatIsNormal) {
    const CharTable table;
    std::string buffer;
    for (const std::string_view text :
         {"plain", "", "na\xC3\xAFve caf\xC3\xA9", "\xE4\xBD\xA0\xE5\xA5\xBD\xEF\xBC\x81",
          "\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80"})
        EXPECT_EQ(to_nfc(table, text, buffer).data(), text.data()) << text;
}

}  // namespace
}  // namespace saker
