// Result, Error codes, CHECK, ids and the clock: the small nouns of base.
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <type_traits>
#include <unordered_set>

#include "base/clock.h"
#include "base/ids.h"

namespace saker {
namespace {

Result<int> half(int n) {
    if (n % 2 != 0) return Error{ErrorCode::invalid_value, "n is odd: give an even n.", "n"};
    return n / 2;
}

TEST(Result, HoldsAValueOrAnError) {
    const Result<int> good = half(8);
    EXPECT_TRUE(good.ok());
    EXPECT_TRUE(static_cast<bool>(good));
    EXPECT_EQ(good.value(), 4);
    EXPECT_EQ(*good, 4);
    const Result<int> bad = half(7);
    EXPECT_FALSE(bad.ok());
    EXPECT_FALSE(static_cast<bool>(bad));
    EXPECT_EQ(bad.error().code, ErrorCode::invalid_value);
    EXPECT_EQ(bad.error().param, "n");
    EXPECT_EQ(bad.error().message, "n is odd: give an even n.");
}

TEST(Result, MovesWhatCannotBeCopied) {
    Result<std::unique_ptr<int>> made(std::make_unique<int>(5));
    EXPECT_EQ(**made, 5);
    const std::unique_ptr<int> taken = *std::move(made);
    EXPECT_EQ(*taken, 5);
}

TEST(Result, ReachesMembersAndAssigns) {
    Result<std::string> text(std::string("abc"));
    EXPECT_EQ(text->size(), 3u);
    text->push_back('d');
    EXPECT_EQ(text.value(), "abcd");
    text = Error{ErrorCode::internal_error, "Gone.", ""};
    EXPECT_EQ(text.error().message, "Gone.");
}

// Result<bool> must not be mistaken for its own truth.
TEST(Result, OfFalseIsOk) {
    const Result<bool> no(false);
    EXPECT_TRUE(no.ok());
    EXPECT_FALSE(*no);
}

TEST(Result, StatusIsOkWhenDone) {
    const Status done = Done{};
    EXPECT_TRUE(done.ok());
}

TEST(ResultDeathTest, ValueOfAnErrorAndErrorOfAValueAreBugs) {
    EXPECT_DEATH({ (void)half(7).value(); }, "bug at .*value\\(\\) of a Result");
    EXPECT_DEATH({ (void)half(8).error(); }, "bug at .*error\\(\\) of a Result");
}

TEST(ResultDeathTest, CheckPrintsTheSentenceAndTheCondition) {
    EXPECT_DEATH(CHECK(1 == 2, "numbers disagree"),
                 "saker: bug at .*result_test.cpp:[0-9]+: numbers disagree .1 == 2 is false.");
    CHECK(1 == 1, "not reached");
}

TEST(ErrorCode, SpellingsAreDistinct) {
    std::set<std::string_view> seen;
    for (int i = 0; i <= static_cast<int>(ErrorCode::internal_error); ++i)
        EXPECT_TRUE(seen.insert(to_string(static_cast<ErrorCode>(i))).second) << i;
    EXPECT_EQ(to_string(ErrorCode::context_length_exceeded), "context_length_exceeded");
}

TEST(Ids, AreDistinctTypesOfTheSizeOfTheirInteger) {
    static_assert(!std::is_convertible_v<int, TokenId>);
    static_assert(!std::is_convertible_v<TokenId, PageId>);
    static_assert(!std::is_constructible_v<TokenId, PageId>);
    static_assert(sizeof(TokenId) == 4 && sizeof(SeqId) == 8);
    EXPECT_LT(TokenId(3), TokenId(4));
    EXPECT_EQ(TokenId(), TokenId(0));
    const std::unordered_set<SeqId> ids = {SeqId(1), SeqId(1), SeqId(2)};
    EXPECT_EQ(ids.size(), 2u);
}

TEST(Clock, NeverRunsBackwards) {
    const Stopwatch watch;
    int64_t last = now_ns();
    for (int i = 0; i < 1000; ++i) {
        const int64_t now = now_ns();
        ASSERT_GE(now, last);
        last = now;
    }
    EXPECT_GE(watch.elapsed_ns(), 0);
    EXPECT_GE(watch.elapsed_ms(), 0.0);
}

}  // namespace
}  // namespace saker
