// The scanner of the Qwen pattern against PCRE2 with the same pattern, and what becomes of patterns
// that are not fit to run.
#include "text/pretokenizer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/utf8.h"
#include "text/test_tokenizer.h"

namespace saker {
namespace {

std::vector<std::string> scan(const CharTable& table, std::string_view text) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
        const size_t end = qwen_piece_end(table, text, at);
        pieces.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return pieces;
}

std::vector<std::string> match(const SplitPattern& pattern, std::string_view text) {
    std::vector<std::string> pieces;
    PieceCursor cursor(pattern, text);
    while (const auto piece = cursor.next()) pieces.emplace_back(*piece);
    EXPECT_FALSE(cursor.ran_away());
    return pieces;
}

// Whether the scanner and PCRE2 put a character into the same class: in places that tell, behind a
// letter, before one, and behind a blank.
bool same_class(const CharTable& table, const SplitPattern& pattern, std::string_view c) {
    const std::string text = "a" + std::string(c) + "a " + std::string(c);
    return scan(table, text) == match(pattern, text);
}

class PretokenizerOnCases : public WithTokenizer {};
TOKENIZERS(PretokenizerOnCases);

TEST_P(PretokenizerOnCases, ScansAsPcreMatches) {
    const CharTable table;
    const SplitPattern pattern(kQwenPattern);
    for (const TokenizerCase& c : cases())
        ASSERT_EQ(scan(table, c.text), match(pattern, c.text)) << c.text;
}

TEST(Pretokenizer, ScansAsPcreMatches) {
    const CharTable table;
    const SplitPattern pattern(kQwenPattern);
    int num_newer = 0;
    for (uint64_t i = 0; i < 20000; ++i) {
        const std::string text = random_text(i);
        const auto scanned = scan(table, text), matched = match(pattern, text);
        if (scanned == matched) continue;
        // Only a character that one of the libraries does not know yet excuses a difference.
        bool has_newer = false;
        for (std::string_view rest = text; !rest.empty();) {
            const size_t size = decode_utf8(rest).size;
            has_newer = has_newer || !same_class(table, pattern, rest.substr(0, size));
            rest.remove_prefix(size);
        }
        ASSERT_TRUE(has_newer) << text;
        ++num_newer;
    }
    EXPECT_LT(num_newer, 1000);
}

// The two libraries may know different versions of Unicode: 15 added 4,489 characters to 14.
TEST(Pretokenizer, ClassesAgreeWithPcre) {
    const CharTable table;
    const SplitPattern pattern(kQwenPattern);
    int different = 0;
    for (char32_t c = 1; c < 0x32000; c += c < 0x3000 ? 1 : 11) {
        if (c >= 0xD800 && c < 0xE000) continue;
        std::string text;
        append_utf8(text, c);
        const bool same = same_class(table, pattern, text);
        different += !same;
        EXPECT_TRUE(same || c >= 0x800) << static_cast<uint32_t>(c);
    }
    EXPECT_LT(different, 450);
}

TEST(Pretokenizer, KeepsGapsBetweenMatches) {
    const SplitPattern pattern("\\d+|x*");
    EXPECT_EQ(match(pattern, "ab12xx3\xE4\xBD\xA0"),
              (std::vector<std::string>{"ab", "12", "xx", "3", "\xE4\xBD\xA0"}));
    EXPECT_EQ(match(pattern, ""), std::vector<std::string>{});
    EXPECT_EQ(match(SplitPattern("[\\s]"), "a\xE1\xA0\x8E\xC2\xA0"),
              (std::vector<std::string>{"a\xE1\xA0\x8E", "\xC2\xA0"}));
}

TEST(Pretokenizer, RefusesHostilePatterns) {
    for (const std::string& pattern :
         {std::string("(a+)+$"), std::string("(?:a|aa)+!!"), std::string("["),
          std::string("(?<=x)*("), std::string("\\h+"), std::string(5000, 'a'),
          std::string(2000, '(') + std::string(2000, ')')})
        EXPECT_THROW(SplitPattern{pattern}, std::invalid_argument) << pattern.substr(0, 20);
}

// A pattern that runs away only on some texts leaves the rest of such a text in one piece.
TEST(Pretokenizer, SurvivesATextThatRunsAway) {
    const SplitPattern pattern("q(z+)+q|.");
    const std::string text = "abq" + std::string(5000, 'z');
    PieceCursor cursor(pattern, text);
    std::string joined;
    while (const auto piece = cursor.next()) joined += *piece;
    EXPECT_EQ(joined, text);
    EXPECT_TRUE(cursor.ran_away());
}

}  // namespace
}  // namespace saker
