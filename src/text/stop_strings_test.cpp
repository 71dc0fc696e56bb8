// Stop strings: the same answer however the text is cut, nothing shown too early, nothing lost.
#include "text/stop_strings.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace saker {
namespace {

struct Outcome {
    std::string text;
    std::optional<size_t> hit;
    bool operator==(const Outcome&) const = default;
};

// The definition: the earliest end of any stop string, and of those the longest.
Outcome search(const std::vector<std::string>& stops, const std::string& text, bool keep) {
    for (size_t end = 1; end <= text.size(); ++end) {
        std::optional<size_t> hit;
        for (size_t s = 0; s < stops.size(); ++s)
            if (text.substr(0, end).ends_with(stops[s]) &&
                (!hit || stops[s].size() > stops[*hit].size()))
                hit = s;
        if (hit) return {text.substr(0, keep ? end : end - stops[*hit].size()), hit};
    }
    return {text, std::nullopt};
}

TEST(StopStrings, FindsWhatASearchFinds) {
    const Rng rng("stop strings");
    uint64_t draw = 0;
    const auto word = [&](uint64_t longest) {
        std::string w;
        for (uint64_t n = 1 + rng.bits(draw++) % longest; n > 0; --n)
            w += static_cast<char>('a' + rng.bits(draw++) % 2);
        return w;
    };
    for (int run = 0; run < 3000; ++run) {
        std::vector<std::string> stops;
        for (uint64_t n = rng.bits(draw++) % 4; n > 0; --n) stops.push_back(word(6));
        const std::string text = word(30);
        const bool keep = run % 2 == 1;
        StopStrings finder(stops, keep);
        Outcome got;
        for (size_t at = 0; at < text.size() && !got.hit;) {
            const size_t size = rng.bits(draw++) % 5;
            const auto fed = finder.feed(std::string_view(text).substr(at, size));
            at += size;
            got.text += fed.text;
            got.hit = fed.hit;
            EXPECT_EQ(finder.has_hit(), fed.hit.has_value());
        }
        got.text += finder.finish();
        ASSERT_EQ(got, search(stops, text, keep)) << text;
    }
}

TEST(StopStrings, HoldsBackOnlyWhatMayBeAStart) {
    StopStrings finder({"\n\nUser:", "END"});
    EXPECT_EQ(finder.feed("Hello").text, "Hello");
    EXPECT_EQ(finder.feed(" E").text, " ");
    EXPECT_EQ(finder.feed("").text, "");
    EXPECT_EQ(finder.feed("N").text, "");
    EXPECT_EQ(finder.feed("G\n").text, "ENG");
    EXPECT_EQ(finder.feed("\n").text, "");
    EXPECT_EQ(finder.feed("\nUse").text, "\n");
    const auto fed = finder.feed("r: hi");
    EXPECT_EQ(fed.text, "");
    EXPECT_EQ(fed.hit, 0u);
    EXPECT_EQ(finder.finish(), "");
}

TEST(StopStrings, NeverCutsACharacter) {
    StopStrings finder({"\xE4\xBD\xA0\xE5\xA5\xBD"});
    EXPECT_EQ(finder.feed("\xE4\xBD\xA0").text, "");
    EXPECT_EQ(finder.feed("\xE4\xBD\xA1").text, "\xE4\xBD\xA0\xE4\xBD\xA1");
}

TEST(StopStrings, WithoutAnyShowsAll) {
    StopStrings finder({});
    EXPECT_EQ(finder.feed("abc").text, "abc");
    EXPECT_EQ(finder.finish(), "");
}

}  // namespace
}  // namespace saker
