// Cases x backends against ref; batch invariance; in place; a sweep of all magnitudes against
// doubles.
#include "ops/gelu/gelu.h"

#include <gtest/gtest.h>

#include "ops/gelu/gelu_cases.h"
#include "ops/harness.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const GeluCase& c, Pick pick) {
    const Tensor x = pick(rig.random("x", c.dtype, {c.N, c.C}, 2.0f, c.row_stride));
    const Tensor out = rig.output(c.dtype, {x.dim(0), c.C}, c.row_stride);
    gelu(rig.ex, out, x, c.kind);
    return out;
}

TEST(Gelu, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kGeluCases, run,
                                  [](const GeluCase& c) { return tolerance(c.dtype, 1, 1); }));
}

TEST(Gelu, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kGeluCases, run));
}

TEST(Gelu, InPlace) {
    for (Backend backend : every_backend()) {
        for (Gelu kind : {Gelu::erf, Gelu::tanh}) {
            Rig rig(backend, "in place");
            const Tensor x = rig.random("x", DType::bf16, {5, 101}),
                         out = rig.output(DType::bf16, {5, 101});
            gelu(rig.ex, out, x, kind);
            gelu(rig.ex, x, x, kind);
            EXPECT_EQ("", compare_exact(rig.fetch(x), rig.fetch(out))) << to_string(backend);
        }
    }
}

TEST(Gelu, SweepAndEnds) {
    std::vector<float> xs = {0.0f, HUGE_VALF, NAN, 1e30f, -1e30f, 3e38f, 1e-40f, -1e-40f};
    for (int i = -20000; i <= 20000; ++i) xs.push_back(static_cast<float>(i) * 1e-3f);
    for (int e = -100; e < 60; ++e)
        for (float sign : {-1.0f, 1.0f}) xs.push_back(sign * std::ldexp(1.37f, e));
    const int64_t C = static_cast<int64_t>(xs.size());
    for (Backend backend : every_backend()) {
        for (Gelu kind : {Gelu::erf, Gelu::tanh}) {
            std::vector<double> want;
            for (double x : xs)
                want.push_back(kind == Gelu::erf ? x / 2 * std::erfc(-x / std::sqrt(2.0))
                                                 : x / (1 + std::exp(-std::sqrt(8 / M_PI) *
                                                                     (x + 0.044715 * x * x * x))));
            Rig rig(backend);
            const Tensor out = rig.output(DType::f32, {1, C});
            gelu(rig.ex, out, rig.of(xs, {1, C}), kind);
            EXPECT_EQ("", compare(rig.fetch(out), want, tolerance(DType::f32, 1, 1)))
                << to_string(backend) << (kind == Gelu::erf ? " erf" : " tanh");
        }
    }
}

}  // namespace
}  // namespace saker
