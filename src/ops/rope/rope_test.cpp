// Cases x backends against ref; a row alone equals the row in its batch; the roundings of bf16
// tables.
#include "ops/rope/rope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/harness.h"
#include "ops/rope/rope_cases.h"

namespace saker {
namespace {

struct Inputs {
    Tensor x, cos, sin;
};

// x is rotated in place, so it is an output too: its gaps hold guard bytes.
Inputs inputs(Rig& rig, const RopeCase& c) {
    const Inputs in = {rig.output(c.dtype, {c.T, c.H, c.D}, c.row_stride),
                       rig.random("cos", c.table, {c.T, c.D / 2}, 0.7f),
                       rig.random("sin", c.table, {c.T, c.D / 2}, 0.7f)};
    const Tensor x = rig.random("x", c.dtype, {c.T, c.H, c.D}, 2.0f);
    for (int64_t t = 0; t < c.T; ++t) copy(in.x.at(t), x.at(t), rig.ex.stream);
    return in;
}

TEST(Rope, EveryBackendAgreesWithRef) {
    for (const RopeCase& c : kRopeCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const Inputs want = inputs(ref, c);
        rope(ref.ex, want.x, want.cos, want.sin);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Inputs got = inputs(rig, c);
            rope(rig.ex, got.x, got.cos, got.sin);
            // Every step in bf16 is a rounding that the header names: nothing is left open.
            const Tolerance close =
                c.table == DType::bf16 ? Tolerance{0, 0} : tolerance(c.dtype, 2, 8);
            EXPECT_EQ("", compare(rig.fetch(got.x), ref.fetch(want.x), close));
            EXPECT_EQ("", rig.check_guards());
        }
    }
}

TEST(Rope, RowAloneEqualsRowInBatch) {
    for (const RopeCase& c : kRopeCases) {
        if (c.T < 2) continue;
        SCOPED_TRACE(c.name);
        for (Backend backend : backends_under_test()) {
            Rig rig(backend, c.name);
            const Inputs batch = inputs(rig, c), alone = inputs(rig, c);
            rope(rig.ex, batch.x, batch.cos, batch.sin);
            const int64_t t = c.T / 2;
            const Tensor row = alone.x.rows(t, t + 1);
            rope(rig.ex, row, alone.cos.rows(t, t + 1), alone.sin.rows(t, t + 1));
            EXPECT_EQ("", compare_exact(rig.fetch(row), rig.fetch(batch.x.rows(t, t + 1))));
        }
    }
}

// The formula of the specification, 3.4, written out: bf(bf(x c) - bf(y s)).
TEST(Rope, RoundsEachProductAndSumInBf16) {
    for (Backend backend : every_backend()) {
        Rig rig(backend, "roundings");
        const Tensor x = rig.random("x", DType::bf16, {1, 1, 64}),
                     cos = rig.random("cos", DType::bf16, {1, 32}),
                     sin = rig.random("sin", DType::bf16, {1, 32});
        const auto before = rig.fetch(x), c = rig.fetch(cos), s = rig.fetch(sin);
        rope(rig.ex, x, cos, sin);
        const auto bf = [](double v) { return double{round_bf16(static_cast<float>(v))}; };
        std::vector<double> want(64);
        for (size_t j = 0; j < 32; ++j) {
            want[j] = bf(bf(before[j] * c[j]) + bf(-before[j + 32] * s[j]));
            want[j + 32] = bf(bf(before[j + 32] * c[j]) + bf(before[j] * s[j]));
        }
        EXPECT_EQ("", compare_exact(rig.fetch(x), want)) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
