// Cases x backends against ref; batch invariance; both roundings of bf16.
#include "ops/pos_interp/pos_interp.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "ops/harness.h"
#include "ops/pos_interp/pos_interp_cases.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const PosInterpCase& c, Pick pick) {
    const Tensor all = rig.output(c.dtype, {c.M, c.C});
    copy(all, rig.random("x", c.dtype, {c.M, c.C}), rig.ex.stream);
    std::vector<float> weights;
    const Rng rng(c.name);
    for (int64_t m = 0; m < c.M; ++m) {
        const float dy = rng.uniform(static_cast<uint64_t>(2 * m)),
                    dx = rng.uniform(static_cast<uint64_t>(2 * m + 1));
        for (float w : {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx})
            weights.push_back(w);
    }
    const Tensor x = pick(all);
    pos_interp(rig.ex, x, rig.random("table", c.table, {c.Np, c.C}),
               pick(rig.random_ids("taps", 4 * c.M, c.Np).reshape({c.M, 4})),
               pick(rig.of(weights, {c.M, 4})));
    return x;
}

TEST(PosInterp, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kPosInterpCases, run, [](const PosInterpCase& c) {
                  return tolerance(c.dtype, 4, 1, 2);
              }));
}

TEST(PosInterp, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kPosInterpCases, run));
}

// The sum 1 + 2^-8 rounds to 1, so that adding -1 leaves nothing.
TEST(PosInterp, RoundsTheSumBeforeItIsAdded) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor x = rig.of<Bf16>({Bf16::from(-1.0f)}, {1, 1});
        pos_interp(rig.ex, x, rig.of<float>({1, 0x1p-8f}, {2, 1}),
                   rig.of<int32_t>({0, 1, 0, 0}, {1, 4}), rig.of<float>({1, 1, 0, 0}, {1, 4}));
        EXPECT_EQ("", compare_exact(rig.fetch(x), {0})) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
