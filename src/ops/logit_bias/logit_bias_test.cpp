// Cases x backends against ref, to the bit; batch invariance; order, bans and what is no number by
// hand.
#include "ops/logit_bias/logit_bias.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/harness.h"
#include "ops/logit_bias/logit_bias_cases.h"

namespace saker {
namespace {

// Row s owns s + 1 parts of the entries, the first row none.
Tensor run(Rig& rig, const LogitBiasCase& c, Pick pick) {
    std::vector<int32_t> starts = {0};
    const int64_t parts = std::max<int64_t>(1, c.S * (c.S - 1) / 2);
    for (int64_t s = 0; s < c.S; ++s)
        starts.push_back(static_cast<int32_t>(std::min(c.N, starts.back() + c.N * s / parts)));
    const std::vector<double> drawn = rig.fetch(rig.random("bias", DType::f32, {c.N}, 5.0f));
    std::vector<float> bias(drawn.begin(), drawn.end());
    for (size_t i = 0; c.bans && i < bias.size(); i += 3) bias[i] = -HUGE_VALF;
    const Tensor all_starts = rig.of(starts, {c.S + 1}), all = rig.output(DType::f32, {c.S, c.V});
    copy(all, rig.random("logits", DType::f32, {c.S, c.V}, 3.0f), rig.ex.stream);
    const Tensor logits = pick(all);
    logit_bias(rig.ex, logits, rig.random_ids("ids", c.N, c.different), rig.of(bias, {c.N}),
               pick.row < 0 ? all_starts : all_starts.rows(pick.row, pick.row + 2));
    return logits;
}

TEST(LogitBias, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kLogitBiasCases, run, [](const LogitBiasCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(LogitBias, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kLogitBiasCases, run));
}

TEST(LogitBias, ByHand) {
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend);
        const Tensor logits = rig.of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
        logit_bias(rig.ex, logits, rig.of<int32_t>({2, 0, 2, -1, 3, 1}, {6}),
                   rig.of<float>({10, -0.5f, 20, 7, 7, -HUGE_VALF}, {6}),
                   rig.of<int32_t>({0, 5, 6}, {3}));
        EXPECT_EQ("", compare_exact(rig.fetch(logits), {0.5, 2, 33, 4, -HUGE_VAL, 6}));
    }
}

// 1e8 + 1 rounds to 1e8 in f32: what is added, and in which order, shows.
TEST(LogitBias, AddsOneByOneInOrder) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor logits = rig.of<float>({0, 0}, {1, 2});
        logit_bias(rig.ex, logits, rig.of<int32_t>({0, 0, 0, 1, 1, 1}, {6}),
                   rig.of<float>({1, 1e8f, -1e8f, 1e8f, -1e8f, 1}, {6}),
                   rig.of<int32_t>({0, 6}, {2}));
        EXPECT_EQ("", compare_exact(rig.fetch(logits), {0, 1})) << to_string(backend);
    }
}

TEST(LogitBias, WhatIsNoNumber) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor logits = rig.of<float>({-HUGE_VALF, HUGE_VALF, NAN, 1, -HUGE_VALF}, {1, 5});
        logit_bias(rig.ex, logits, rig.of<int32_t>({0, 1, 2, 3, 4}, {5}),
                   rig.of<float>({100, -HUGE_VALF, -HUGE_VALF, NAN, -HUGE_VALF}, {5}),
                   rig.of<int32_t>({0, 5}, {2}));
        const std::vector<double> got = rig.fetch(logits);
        EXPECT_EQ(got[0], -HUGE_VAL) << to_string(backend);
        EXPECT_TRUE(std::isnan(got[1])) << to_string(backend);
        EXPECT_TRUE(std::isnan(got[2])) << to_string(backend);
        EXPECT_TRUE(std::isnan(got[3])) << to_string(backend);
        EXPECT_EQ(got[4], -HUGE_VAL) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
