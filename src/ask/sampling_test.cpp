// The ranges of Sampling's fields: what passes, and which parameter a fault names.
#include "ask/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace saker {
namespace {

// The parameter at fault after `change`, or nothing.
template <class Change>
std::string fault(Change change) {
    Sampling s;
    change(s);
    const Status status = s.validate();
    return status.ok() ? "" : status.error().param;
}

TEST(Sampling, RangesOfNumbers) {
    EXPECT_EQ(fault([](Sampling&) {}), "");
    EXPECT_EQ(fault([](Sampling& s) { s.temperature = NAN; }), "temperature");
    EXPECT_EQ(fault([](Sampling& s) { s.top_k = -1; }), "top_k");
    EXPECT_EQ(fault([](Sampling& s) { s.top_p = 0; }), "top_p");
    EXPECT_EQ(fault([](Sampling& s) { s.min_p = 1.5f; }), "min_p");
    EXPECT_EQ(fault([](Sampling& s) { s.repetition_penalty = HUGE_VALF; }), "repetition_penalty");
    EXPECT_EQ(fault([](Sampling& s) { s.presence_penalty = -3; }), "presence_penalty");
    EXPECT_EQ(fault([](Sampling& s) { s.frequency_penalty = 3; }), "frequency_penalty");
    EXPECT_EQ(fault([](Sampling& s) { s.logprobs = 21; }), "top_logprobs");
    EXPECT_EQ(fault([](Sampling& s) { s.no_repeat_ngram_size = -1; }), "no_repeat_ngram_size");
}

TEST(Sampling, LeastLengthIsWithinTheLimit) {
    EXPECT_EQ(fault([](Sampling& s) { s.min_tokens = -1; }), "min_tokens");
    EXPECT_EQ(fault([](Sampling& s) { s.min_tokens = 5; }), "") << "no limit";
    EXPECT_EQ(fault([](Sampling& s) { s.min_tokens = s.max_tokens = 5; }), "");
    EXPECT_EQ(fault([](Sampling& s) {
                  s.min_tokens = 6;
                  s.max_tokens = 5;
              }),
              "min_tokens");
}

TEST(Sampling, ListsAreBounded) {
    EXPECT_EQ(fault([](Sampling& s) { s.bad_words = {{TokenId(1)}, {}}; }), "bad_words");
    EXPECT_EQ(fault([](Sampling& s) { s.suppress_tokens.resize(kMaxListedIds); }), "");
    EXPECT_EQ(fault([](Sampling& s) {
                  s.suppress_tokens.resize(kMaxListedIds - 1);
                  s.bad_words = {{TokenId(1), TokenId(2)}};
              }),
              "suppress_tokens");
}

TEST(Sampling, HasBans) {
    EXPECT_FALSE(Sampling().has_bans());
    Sampling s;
    s.stop_token_ids = {TokenId(1)};
    EXPECT_FALSE(s.has_bans()) << "a stop token may be chosen: it ends the answer";
    s.min_tokens = 1;
    EXPECT_TRUE(s.has_bans());
}

}  // namespace
}  // namespace saker
