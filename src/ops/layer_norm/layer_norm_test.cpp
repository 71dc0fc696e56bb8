// Cases x backends against ref; batch invariance; in place; rows without any deviation.
#include "ops/layer_norm/layer_norm.h"

#include <gtest/gtest.h>

#include "ops/harness.h"
#include "ops/layer_norm/layer_norm_cases.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const LayerNormCase& c, Pick pick) {
    const Tensor x = pick(rig.random("x", c.dtype, {c.N, c.C}, 2.0f, c.row_stride));
    const Tensor out = rig.output(c.dtype, {x.dim(0), c.C}, c.row_stride);
    layer_norm(rig.ex, out, x, rig.random("weight", c.weight, {c.C}),
               rig.random("bias", c.bias, {c.C}), 1e-6f);
    return out;
}

TEST(LayerNorm, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kLayerNormCases, run, [](const LayerNormCase& c) {
                  return tolerance(c.dtype, c.C, 1);
              }));
}

TEST(LayerNorm, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kLayerNormCases, run));
}

TEST(LayerNorm, InPlace) {
    for (Backend backend : every_backend()) {
        Rig rig(backend, "in place");
        const Tensor x = rig.random("x", DType::bf16, {5, 101}),
                     w = rig.random("w", DType::bf16, {101}),
                     b = rig.random("b", DType::bf16, {101}),
                     out = rig.output(DType::bf16, {5, 101});
        layer_norm(rig.ex, out, x, w, b, 1e-6f);
        layer_norm(rig.ex, x, x, w, b, 1e-6f);
        EXPECT_EQ("", compare_exact(rig.fetch(x), rig.fetch(out))) << to_string(backend);
    }
}

// The mean is taken off before squares are summed: a variance of squares minus a squared mean would
// be lost beside 4096^2.
TEST(LayerNorm, SmallDeviationOnALargeMean) {
    const int64_t C = 64;
    std::vector<float> x(C), one(C, 1.0f), zero(C, 0.0f);
    std::vector<double> want;
    for (size_t c = 0; c < x.size(); ++c) {
        x[c] = 4096.0f + (c % 2 ? 0.25f : -0.25f);
        want.push_back(c % 2 ? 1 : -1);
    }
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::f32, {1, C});
        layer_norm(rig.ex, out, rig.of(x, {1, C}), rig.of(one, {C}), rig.of(zero, {C}), 0.0f);
        EXPECT_EQ("", compare(rig.fetch(out), want, tolerance(DType::f32, C, 1)));
    }
}

TEST(LayerNorm, ConstantRowIsTheBias) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::f32, {1, 3});
        layer_norm(rig.ex, out, rig.of<float>({7, 7, 7}, {1, 3}), rig.of<float>({2, 3, 4}, {3}),
                   rig.of<float>({-1, 0, 5}, {3}), 1e-6f);
        EXPECT_EQ("", compare_exact(rig.fetch(out), {-1, 0, 5})) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
