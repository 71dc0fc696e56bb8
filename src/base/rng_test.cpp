// Philox against the published answers, and the distributions built on it.
#include "base/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace saker {
namespace {

using Words = std::array<uint32_t, 4>;

// The known-answer file of the authors' library (Random123, kat_vectors, philox4x32 10).
TEST(Philox, KnownAnswers) {
    EXPECT_EQ(philox(0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, DrawsAreAFunctionOfSeedStreamAndIndex) {
    const Rng a(7, 1), b(7, 1), other_stream(7, 2), other_seed(8, 1);
    int equal_stream = 0, equal_seed = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(a.bits(i), b.bits(i));
        ASSERT_EQ(a.uniform(i), b.uniform(i));
        ASSERT_EQ(a.normal(i), b.normal(i));
        equal_stream += a.bits(i) == other_stream.bits(i);
        equal_seed += a.bits(i) == other_seed.bits(i);
    }
    EXPECT_EQ(equal_stream, 0);
    EXPECT_EQ(equal_seed, 0);
}

TEST(Rng, NamesAreSeeds) {
    EXPECT_EQ(Rng::hash(""), 0xcbf29ce484222325u);
    EXPECT_EQ(Rng::hash("a"), 0xaf63dc4c8601ec8cu);  // published FNV-1a answers
    EXPECT_EQ(Rng::hash("foobar"), 0x85944171f73967e8u);
    EXPECT_EQ(Rng("x").bits(3), Rng(Rng::hash("x")).bits(3));
    EXPECT_NE(Rng("x").bits(3), Rng("y").bits(3));
}

TEST(Rng, UniformLiesInRangeAndIsFlat) {
    const Rng rng("uniform");
    constexpr int kDraws = 100000, kBins = 20;
    int bins[kBins] = {};
    double sum = 0;
    for (uint64_t i = 0; i < kDraws; ++i) {
        const float u = rng.uniform(i);
        ASSERT_GE(u, 0.0f);
        ASSERT_LT(u, 1.0f);
        ++bins[static_cast<int>(u * kBins)];
        sum += u;
    }
    EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
    // Chi-square with 19 degrees of freedom: 43.8 is exceeded once in a thousand seeds.
    double chi = 0;
    const double expected = double{kDraws} / kBins;
    for (int count : bins) chi += (count - expected) * (count - expected) / expected;
    EXPECT_LT(chi, 43.8);
}

TEST(Rng, NormalHasTheMomentsOfANormal) {
    const Rng rng("normal");
    constexpr int kDraws = 200000;
    double sum = 0, square = 0, fourth = 0;
    for (uint64_t i = 0; i < kDraws; ++i) {
        const double x = rng.normal(i);
        ASSERT_TRUE(std::isfinite(x));
        sum += x;
        square += x * x;
        fourth += x * x * x * x;
    }
    EXPECT_NEAR(sum / kDraws, 0.0, 0.01);
    EXPECT_NEAR(square / kDraws, 1.0, 0.015);
    EXPECT_NEAR(fourth / kDraws, 3.0, 0.15);
}

}  // namespace
}  // namespace saker
