// Cases x backends against ref; a row alone equals the row in its batch; the two roundings of bf16.
#include "ops/rms_norm/rms_norm.h"

#include <gtest/gtest.h>

#include "ops/harness.h"
#include "ops/rms_norm/rms_norm_cases.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const RmsNormCase& c, Pick pick) {
    const Tensor x = pick(c.H ? rig.random("x", c.dtype, {c.N, c.H, c.C}, 2.0f, c.row_stride)
                              : rig.random("x", c.dtype, {c.N, c.C}, 2.0f, c.row_stride));
    const Tensor out = c.H ? rig.output(c.dtype, {x.dim(0), c.H, c.C}, c.row_stride)
                           : rig.output(c.dtype, {x.dim(0), c.C}, c.row_stride);
    rms_norm(rig.ex, out, x, rig.random("weight", c.weight, {c.C}), 1e-6f);
    return out;
}

TEST(RmsNorm, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kRmsNormCases, run, [](const RmsNormCase& c) {
                  return tolerance(c.dtype, c.C, 1, 2);
              }));
}

TEST(RmsNorm, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kRmsNormCases, run));
}

TEST(RmsNorm, InPlace) {
    for (Backend backend : every_backend()) {
        Rig rig(backend, "in place");
        const Tensor x = rig.random("x", DType::bf16, {5, 96}),
                     w = rig.random("w", DType::bf16, {96});
        const Tensor out = rig.output(DType::bf16, {5, 96});
        rms_norm(rig.ex, out, x, w, 1e-6f);
        rms_norm(rig.ex, x, x, w, 1e-6f);
        EXPECT_EQ("", compare_exact(rig.fetch(x), rig.fetch(out)));
    }
}

// The formula of the specification, 3.2, written out: bf(w bf(x scale)).
TEST(RmsNorm, RoundsTwiceInBf16) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const std::vector<Bf16> x = {Bf16::from(1.0f), Bf16::from(1.3f), Bf16::from(0.7f),
                                     Bf16::from(2.1f)};
        const std::vector<Bf16> w = {Bf16::from(1.7f), Bf16::from(0.3f), Bf16::from(1.1f),
                                     Bf16::from(0.9f)};
        const Tensor out = rig.output(DType::bf16, {1, 4});
        rms_norm(rig.ex, out, rig.of(x, {1, 4}), rig.of(w, {4}), 0.0f);
        double sum = 0;
        for (Bf16 v : x) sum += double{v} * double{v};
        const float scale = static_cast<float>(1 / std::sqrt(sum / 4));
        std::vector<double> want;
        for (size_t i = 0; i < 4; ++i) want.push_back(round_bf16(w[i] * round_bf16(x[i] * scale)));
        EXPECT_EQ("", compare_exact(rig.fetch(out), want)) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
