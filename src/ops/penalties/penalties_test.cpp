// Cases x backends against ref; batch invariance; each penalty by hand.
#include "ops/penalties/penalties.h"

#include <gtest/gtest.h>

#include "ops/harness.h"
#include "ops/penalties/penalties_cases.h"

namespace saker {
namespace {

// Row s owns s + 1 parts of the history, the first row none; a third of each is prompt.
Tensor run(Rig& rig, const PenaltiesCase& c, Pick pick) {
    std::vector<int32_t> starts = {0}, prompt;
    const int64_t parts = std::max<int64_t>(1, c.S * (c.S - 1) / 2);
    for (int64_t s = 0; s < c.S; ++s) {
        const int64_t end = std::min(c.N, starts.back() + c.N * s / parts);
        prompt.push_back(static_cast<int32_t>((end - starts.back()) / 3));
        starts.push_back(static_cast<int32_t>(end));
    }
    const Tensor all_starts = rig.of(starts, {c.S + 1}), all = rig.output(DType::f32, {c.S, c.V});
    copy(all, rig.random("logits", DType::f32, {c.S, c.V}, 3.0f), rig.ex.stream);
    const auto each = [&](float value) {
        return pick(rig.of(std::vector<float>(static_cast<size_t>(c.S), value), {c.S}));
    };
    const Tensor logits = pick(all);
    penalties(rig.ex, logits, rig.random_ids("history", c.N, c.different),
              pick.row < 0 ? all_starts : all_starts.rows(pick.row, pick.row + 2),
              pick(rig.of(prompt, {c.S})), each(c.repetition), each(c.presence), each(c.frequency));
    return logits;
}

TEST(Penalties, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kPenaltiesCases, run, [](const PenaltiesCase&) {
                  return tolerance(DType::f32, 2, 1);
              }));
}

TEST(Penalties, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kPenaltiesCases, run));
}

// Prompt 0 1 1 9, output 1 2 2 -1: token 1 is seen three times, once of them in the output.
std::vector<double> by_hand(Backend backend, float repetition, float presence, float frequency) {
    Rig rig(backend);
    const Tensor logits = rig.of<float>({4, -4, 2, 1, 0}, {1, 5});
    penalties(rig.ex, logits, rig.of<int32_t>({0, 1, 1, 9, 1, 2, 2, -1}, {8}),
              rig.of<int32_t>({0, 8}, {2}), rig.of<int32_t>({4}, {1}),
              rig.of<float>({repetition}, {1}), rig.of<float>({presence}, {1}),
              rig.of<float>({frequency}, {1}));
    return rig.fetch(logits);
}

TEST(Penalties, EachByHand) {
    using Numbers = std::vector<double>;
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        EXPECT_EQ(by_hand(backend, 2, 0, 0), Numbers({2, -8, 1, 1, 0})) << "once a token";
        EXPECT_EQ(by_hand(backend, 1, 0.5f, 0), Numbers({4, -4.5, 1.5, 1, 0})) << "output alone";
        EXPECT_EQ(by_hand(backend, 1, 0, 0.25f), Numbers({4, -4.25, 1.5, 1, 0})) << "by count";
        EXPECT_EQ(by_hand(backend, 2, 0.5f, 0.25f), Numbers({2, -8.75, 0, 1, 0})) << "in order";
    }
}

// A forbidden token (-inf) stays forbidden.
TEST(Penalties, KeepsMinusInfinity) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor logits = rig.of<float>({-HUGE_VALF, 1}, {1, 2});
        penalties(rig.ex, logits, rig.of<int32_t>({0, 0}, {2}), rig.of<int32_t>({0, 2}, {2}),
                  rig.of<int32_t>({1}, {1}), rig.of<float>({1.5f}, {1}), rig.of<float>({-2}, {1}),
                  rig.of<float>({-2}, {1}));
        EXPECT_EQ("", compare_exact(rig.fetch(logits), {-HUGE_VAL, 1})) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
