// Finding added tokens: leftmost and longest, whole words, white space swallowed; and that no text
// makes it slow. The rules side by side with Hugging Face: tokenizer_variants_test.cpp.
#include "text/added_tokens.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

using Added = AddedTokenFinder::Added;

const CharTable& chars() {
    static const CharTable table;
    return table;
}

// What split() gives: texts in brackets, tokens by their numbers.
std::string taken_apart(const AddedTokenFinder& finder, std::string_view text) {
    std::string out;
    finder.split(
        text, [&](std::string_view between) { out += "[" + std::string(between) + "]"; },
        [&](const Added& token) { out += std::to_string(token.id); });
    return out;
}

TEST(AddedTokenFinder, TakesTheLeftmostAndLongest) {
    const AddedTokenFinder finder(chars(), {{"<a>", 1}, {"<a><b>", 2}, {"b>", 3}, {"<", 4}});
    const auto at = [&](std::string_view text, size_t from) {
        const auto match = finder.find(text, from);
        return match ? std::to_string(match->begin) + "-" + std::to_string(match->end) + "=" +
                           std::to_string(match->token->id)
                     : "none";
    };
    EXPECT_EQ(at("x<a><b>", 0), "1-7=2");
    EXPECT_EQ(at("x<a><c>", 0), "1-4=1");
    EXPECT_EQ(at("x<a><b>", 2), "4-5=4");
    EXPECT_EQ(at("x<a><b>", 5), "5-7=3");
    EXPECT_EQ(at("b b>", 0), "2-4=3");
    EXPECT_EQ(at("b ba>", 0), "none");
    EXPECT_EQ(at("", 0), "none");
    EXPECT_EQ(at("<", 1), "none");
    EXPECT_FALSE(AddedTokenFinder().find("<a>", 0));
}

TEST(AddedTokenFinder, OfTwoThatAreEqualTheFirstCounts) {
    const AddedTokenFinder finder(chars(), {{"a", 1}, {"a", 2}});
    EXPECT_EQ(taken_apart(finder, "ba"), "[b]1");
}

TEST(AddedTokenFinder, SwallowsWhiteSpace) {
    const AddedTokenFinder finder(
        chars(), {{"<l>", 1, true, false}, {"<r>", 2, false, true}, {"<b>", 3, true, true}});
    EXPECT_EQ(taken_apart(finder, "a \n<l> b"), "[a]1[ b]");
    EXPECT_EQ(taken_apart(finder, "a <r>\t\xE3\x80\x80"), "[a ]2");
    EXPECT_EQ(taken_apart(finder, " <b> <b> "), "33");
    EXPECT_EQ(taken_apart(finder, "<r>  <l>  x"), "21[  x]");
    EXPECT_EQ(taken_apart(finder, "\xE2\x80\x8B<l>"), "[\xE2\x80\x8B]1");  // no white space
}

// A token of blanks may begin inside what another has swallowed.
TEST(AddedTokenFinder, FindsTokensInsideWhatWasSwallowed) {
    const AddedTokenFinder finder(chars(), {{"<r>", 1, false, true}, {" ", 2}});
    EXPECT_EQ(taken_apart(finder, "<r>  x"), "122[x]");
    const AddedTokenFinder greedy(chars(), {{"<r>", 1, false, true}, {" x", 2, true, false}});
    EXPECT_EQ(taken_apart(greedy, "<r>   x y"), "12[ y]");
}

TEST(AddedTokenFinder, TakesWholeWordsAlone) {
    Added word = {"ab", 1};
    word.is_whole_word = true;
    const AddedTokenFinder finder(chars(), {word, {"b!", 2}});
    EXPECT_EQ(taken_apart(finder, "ab"), "1");
    EXPECT_EQ(taken_apart(finder, "(ab)"), "[(]1[)]");
    EXPECT_EQ(taken_apart(finder, "ab!"), "1[!]");
    EXPECT_EQ(taken_apart(finder, "xab!"), "[xab!]");  // what it covers is passed over whole
    // A letter, a digit, a connector, a mark, a letter in a circle, a joiner.
    for (const char* c : {"\xC3\xA9", "7", "_", "\xCC\x81", "\xE2\x92\xB6", "\xE2\x80\x8D"})
        EXPECT_EQ(taken_apart(finder, std::string("ab") + c), "[ab" + std::string(c) + "]");
    // A fraction, a dash, a blank of no width, an emoji.
    for (const char* c : {"\xC2\xBD", "-", "\xE2\x80\x8B", "\xF0\x9F\x99\x82"})
        EXPECT_EQ(taken_apart(finder, std::string("ab") + c), "1[" + std::string(c) + "]");
}

// Quadratic time would take minutes for each of these.
TEST(AddedTokenFinder, TakesLinearTime) {
    const std::string blanks(size_t{1} << 20, ' ');
    const AddedTokenFinder finder(
        chars(), {{" ", 1, true, true}, {"<r>", 2, false, true}, {"<l>", 3, true, false}});
    size_t num_tokens = 0, covered = 0;
    const auto count = [&](const std::string& text) {
        finder.split(
            text, [&](std::string_view between) { covered += between.size(); },
            [&](const Added&) { ++num_tokens; });
    };
    count("<r>" + blanks + "<l>");
    EXPECT_EQ(num_tokens, blanks.size() + 2);
    EXPECT_EQ(covered, 0u);
    const AddedTokenFinder left(chars(), {{"<l>", 3, true, false}});
    std::string text;
    while (text.size() < blanks.size()) text += "  <l";
    EXPECT_EQ(taken_apart(left, text), "[" + text + "]");
}

}  // namespace
}  // namespace saker
