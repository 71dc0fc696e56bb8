// Positions and frequencies against the values that the model specification prints
// (3.4, 4.3, 7.1, 1.5).
#include "models/mrope.h"

#include <gtest/gtest.h>

#include <cmath>

namespace saker {
namespace {

std::vector<std::vector<int32_t>> rows_of(const Positions& p) {
    std::vector<std::vector<int32_t>> out;
    for (size_t i = 0; i < p.axes[0].size(); ++i)
        out.push_back({p.axes[0][i], p.axes[1][i], p.axes[2][i]});
    return out;
}

TEST(MropePositions, TextAdvancesAllAxes) {
    const Positions p = mrope_positions(3, {});
    EXPECT_EQ(rows_of(p), (std::vector<std::vector<int32_t>>{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}));
    EXPECT_EQ(p.delta, 0);
    EXPECT_TRUE(mrope_positions(0, {}).axes[0].empty());
}

// Specification 7.1, example A: 4 text tokens, a picture of 2 x 3 tokens, 3 text tokens.
TEST(MropePositions, OnePicture) {
    const PositionBlock blocks[] = {{4, 2, 3}};
    const Positions p = mrope_positions(13, blocks);
    EXPECT_EQ(rows_of(p), (std::vector<std::vector<int32_t>>{{0, 0, 0},
                                                             {1, 1, 1},
                                                             {2, 2, 2},
                                                             {3, 3, 3},
                                                             {4, 4, 4},
                                                             {4, 4, 5},
                                                             {4, 4, 6},
                                                             {4, 5, 4},
                                                             {4, 5, 5},
                                                             {4, 5, 6},
                                                             {7, 7, 7},
                                                             {8, 8, 8},
                                                             {9, 9, 9}}));
    EXPECT_EQ(p.delta, -3);
}

// Example B: a clip of two frame groups of 2 x 2 tokens, with 9, 8 and 2 text tokens around them.
TEST(MropePositions, TwoFrameGroups) {
    const PositionBlock blocks[] = {{9, 2, 2}, {21, 2, 2}};
    const Positions p = mrope_positions(27, blocks);
    const auto rows = rows_of(p);
    EXPECT_EQ(rows[9], (std::vector<int32_t>{9, 9, 9}));
    EXPECT_EQ(rows[12], (std::vector<int32_t>{9, 10, 10}));
    EXPECT_EQ(rows[13], (std::vector<int32_t>{11, 11, 11}));
    EXPECT_EQ(rows[20], (std::vector<int32_t>{18, 18, 18}));
    EXPECT_EQ(rows[21], (std::vector<int32_t>{19, 19, 19}));
    EXPECT_EQ(rows[24], (std::vector<int32_t>{19, 20, 20}));
    EXPECT_EQ(rows[26], (std::vector<int32_t>{22, 22, 22}));
    EXPECT_EQ(p.delta, -4);
}

TEST(MropePositions, PicturesThatTouchAndAtTheEnds) {
    const PositionBlock blocks[] = {{0, 1, 4}, {4, 3, 1}};
    const Positions p = mrope_positions(7, blocks);
    EXPECT_EQ(p.axes[0], (std::vector<int32_t>{0, 0, 0, 0, 4, 4, 4}));
    EXPECT_EQ(p.axes[1], (std::vector<int32_t>{0, 0, 0, 0, 4, 5, 6}));
    EXPECT_EQ(p.axes[2], (std::vector<int32_t>{0, 1, 2, 3, 4, 4, 4}));
    EXPECT_EQ(p.delta, 0);
}

TEST(MropePositionsDeathTest, BlocksOutOfOrder) {
    const PositionBlock blocks[] = {{4, 1, 1}, {2, 1, 1}};
    EXPECT_DEATH((void)mrope_positions(10, blocks), "out of order");
    const PositionBlock late[] = {{9, 1, 2}};
    EXPECT_DEATH((void)mrope_positions(10, late), "behind the prompt");
}

RopeConfig released() {
    RopeConfig rope;
    rope.theta = 5e6;
    rope.section[0] = 24, rope.section[1] = 20, rope.section[2] = 20;
    return rope;
}

TEST(TextFrequencies, SampleValuesAndInterleaving) {
    const RopeFrequencies f = text_frequencies(released(), 128);
    ASSERT_EQ(f.inv_freq.size(), 64u);
    EXPECT_FLOAT_EQ(f.inv_freq[0], 1.0f);
    EXPECT_FLOAT_EQ(f.inv_freq[1], 0.78582998f);
    EXPECT_FLOAT_EQ(f.inv_freq[2], 0.61752876f);
    EXPECT_NEAR(f.inv_freq[59], 6.6740127e-07, 1e-13);
    EXPECT_NEAR(f.inv_freq[63], 2.5450791e-07, 1e-13);
    EXPECT_EQ(f.scale, 1.0f);
    int count[3] = {};
    for (int32_t axis : f.axis) ++count[axis];
    EXPECT_EQ(count[0], 24);
    EXPECT_EQ(count[1], 20);
    EXPECT_EQ(count[2], 20);
    for (size_t j = 0; j < 60; ++j) EXPECT_EQ(f.axis[j], static_cast<int32_t>(j % 3)) << j;
    for (size_t j = 60; j < 64; ++j) EXPECT_EQ(f.axis[j], 0) << j;
}

// By the formula of specification 1.5: high frequencies stay, low ones are divided by the factor,
// and cos and sin grow by 0.1 ln(factor) + 1.
TEST(TextFrequencies, Yarn) {
    RopeConfig rope = released();
    rope.scaling = RopeConfig::Scaling::yarn;
    rope.factor = 3;
    rope.attention_factor = 0.1 * std::log(3.0) + 1;
    rope.original_context = 262144;
    const RopeFrequencies plain = text_frequencies(released(), 128);
    const RopeFrequencies yarn = text_frequencies(rope, 128);
    EXPECT_FLOAT_EQ(yarn.scale, static_cast<float>(0.1 * std::log(3.0) + 1));
    const auto turns = [&](double r) {
        return 128 * std::log(262144 / (2 * M_PI * r)) / (2 * std::log(5e6));
    };
    const double low = std::floor(turns(32)), high = std::ceil(turns(1));
    ASSERT_GT(low, 0);
    ASSERT_LT(high, 64);
    for (size_t j = 0; j < 64; ++j) {
        const double ramp = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
        const double f = plain.inv_freq[j];
        EXPECT_NEAR(yarn.inv_freq[j], f / 3 * ramp + f * (1 - ramp), f * 1e-6) << j;
    }
    EXPECT_EQ(yarn.inv_freq[0], plain.inv_freq[0]);
    EXPECT_FLOAT_EQ(yarn.inv_freq[63], plain.inv_freq[63] / 3);
    EXPECT_EQ(yarn.axis, plain.axis);
}

TEST(TextFrequencies, Linear) {
    RopeConfig rope = released();
    rope.scaling = RopeConfig::Scaling::linear;
    rope.factor = 4;
    const RopeFrequencies plain = text_frequencies(released(), 128);
    const RopeFrequencies linear = text_frequencies(rope, 128);
    for (size_t j = 0; j < 64; ++j) EXPECT_EQ(linear.inv_freq[j], plain.inv_freq[j] / 4) << j;
    EXPECT_EQ(linear.scale, 1.0f);
}

TEST(VisionFrequencies, RowsThenColumns) {
    const RopeFrequencies f = vision_frequencies(72, 10000);
    ASSERT_EQ(f.inv_freq.size(), 36u);
    EXPECT_FLOAT_EQ(f.inv_freq[0], 1.0f);
    EXPECT_FLOAT_EQ(f.inv_freq[1], 0.59948425f);
    EXPECT_NEAR(f.inv_freq[17], 0.00016681, 1e-8);
    for (size_t i = 0; i < 18; ++i) {
        EXPECT_EQ(f.inv_freq[18 + i], f.inv_freq[i]);
        EXPECT_EQ(f.axis[i], 0);
        EXPECT_EQ(f.axis[18 + i], 1);
    }
}

}  // namespace
}  // namespace saker
