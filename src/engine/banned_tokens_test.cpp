// Each ban by hand. What transformers' processors give for random sequences is compared in
// tests/sampling.
#include "engine/banned_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace saker {
namespace {

std::vector<TokenId> ids(std::initializer_list<int32_t> values) {
    std::vector<TokenId> out;
    for (int32_t value : values) out.emplace_back(value);
    return out;
}

using Set = std::set<int32_t>;

// The tokens banned next, with end tokens 90 and 91 and 100 in the vocabulary.
Set banned(const Sampling& sampling, std::initializer_list<int32_t> prompt,
           std::initializer_list<int32_t> output) {
    std::vector<TokenId> tokens = ids(prompt);
    for (int32_t value : output) tokens.emplace_back(value);
    BannedTokens bans;
    const auto got =
        bans.collect(sampling, tokens, static_cast<int64_t>(prompt.size()), ids({90, 91}), 100);
    const Set out(got.begin(), got.end());
    EXPECT_EQ(out.size(), got.size()) << "each id once";
    return out;
}

TEST(BannedTokens, SuppressedAlwaysAndAtTheBeginning) {
    Sampling sampling;
    EXPECT_EQ(banned(sampling, {1, 2}, {}), Set());
    sampling.suppress_tokens = ids({5, 7, 5});
    sampling.begin_suppress_tokens = ids({7, 8});
    EXPECT_EQ(banned(sampling, {1, 2}, {}), Set({5, 7, 8}));
    EXPECT_EQ(banned(sampling, {1, 2}, {3}), Set({5, 7}));
}

TEST(BannedTokens, NothingEndsTheAnswerBeforeMinTokens) {
    Sampling sampling;
    sampling.min_tokens = 2;
    sampling.stop_token_ids = ids({6});
    EXPECT_EQ(banned(sampling, {1}, {}), Set({6, 90, 91}));
    EXPECT_EQ(banned(sampling, {1}, {3}), Set({6, 90, 91}));
    EXPECT_EQ(banned(sampling, {1}, {3, 4}), Set());
    sampling.ignore_eos = true;
    EXPECT_EQ(banned(sampling, {1}, {3}), Set({6})) << "an end token ends nothing then";
}

TEST(BannedTokens, BadWords) {
    Sampling sampling;
    sampling.bad_words = {ids({4}), ids({90}), ids({1, 2}), ids({1, 2, 90}), ids({2, 2, 5})};
    EXPECT_EQ(banned(sampling, {3}, {}), Set({4})) << "a lone end token is no bad word";
    EXPECT_EQ(banned(sampling, {3, 1}, {}), Set({2, 4}));
    EXPECT_EQ(banned(sampling, {3, 1}, {2}), Set({4, 90})) << "across prompt and output";
    EXPECT_EQ(banned(sampling, {3, 2}, {2}), Set({4, 5}));
    EXPECT_EQ(banned(sampling, {2, 1}, {}), Set({2, 4})) << "the order matters";
    EXPECT_EQ(banned(sampling, {1}, {}), Set({4})) << "as transformers: longer than what is there";
}

TEST(BannedTokens, NoRunTwice) {
    Sampling sampling;
    sampling.no_repeat_ngram_size = 3;
    EXPECT_EQ(banned(sampling, {1, 2}, {}), Set());
    EXPECT_EQ(banned(sampling, {1, 2, 3, 1, 2}, {}), Set({3}));
    EXPECT_EQ(banned(sampling, {1, 2, 3, 1, 2, 4}, {1, 2}), Set({3, 4}));
    EXPECT_EQ(banned(sampling, {1, 2, 3, 1, 2, 4}, {2, 1}), Set());
    EXPECT_EQ(banned(sampling, {5, 5}, {5}), Set({5})) << "runs may overlap";
    sampling.no_repeat_ngram_size = 1;
    EXPECT_EQ(banned(sampling, {1, 2}, {7, 2}), Set({1, 2, 7}));
    sampling.no_repeat_ngram_size = 2;
    EXPECT_EQ(banned(sampling, {1}, {}), Set());
    EXPECT_EQ(banned(sampling, {1, 2}, {1}), Set({2}));
    sampling.no_repeat_ngram_size = 1 << 30;
    EXPECT_EQ(banned(sampling, {1, 2}, {1}), Set());
}

TEST(BannedTokens, IdsOutsideTheVocabularyArePassedOver) {
    Sampling sampling;
    sampling.suppress_tokens = ids({-1, 100, 99, INT32_MAX, INT32_MIN});
    EXPECT_EQ(banned(sampling, {1}, {}), Set({99}));
}

// The state is in the tokens alone: one that has seen other sequences gives what a new one gives.
TEST(BannedTokens, AnotherSequenceLeavesNothingBehind) {
    Sampling sampling;
    sampling.no_repeat_ngram_size = 2;
    BannedTokens bans;
    bans.collect(sampling, ids({1, 2, 1}), 1, {}, 100);
    EXPECT_TRUE(bans.collect(sampling, ids({3, 4}), 1, {}, 50).empty());
    const auto again = bans.collect(sampling, ids({1, 2, 1}), 1, {}, 100);
    EXPECT_EQ(Set(again.begin(), again.end()), Set({2}));
}

}  // namespace
}  // namespace saker
