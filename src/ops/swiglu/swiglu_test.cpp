// Cases x backends against ref; batch invariance; both roundings of bf16; the ends of the exp.
#include "ops/swiglu/swiglu.h"

#include <gtest/gtest.h>

#include "ops/harness.h"
#include "ops/swiglu/swiglu_cases.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const SwigluCase& c, Pick pick) {
    const Tensor x = pick(rig.random("gate_up", c.dtype, {c.N, 2 * c.F}, 3.0f, c.in_stride));
    const Tensor out = rig.output(c.dtype, {x.dim(0), c.F}, c.out_stride);
    swiglu(rig.ex, out, x);
    return out;
}

TEST(Swiglu, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kSwigluCases, run, [](const SwigluCase& c) {
                  return tolerance(c.dtype, 1, 0.1, 2);
              }));
}

TEST(Swiglu, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kSwigluCases, run));
}

// silu(1) = 0.731059 lies between the bf16 numbers 0.730469 and 0.734375. Times 129 the rounded one
// gives 94.2305, stored as 94; unrounded it would be 94.3066, stored as 94.5.
TEST(Swiglu, RoundsTwiceInBf16) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::bf16, {1, 1});
        swiglu(rig.ex, out, rig.of<Bf16>({Bf16::from(1.0f), Bf16::from(129.0f)}, {1, 2}));
        EXPECT_EQ("", compare_exact(rig.fetch(out), {94})) << to_string(backend);
    }
}

TEST(Swiglu, EndsOfTheExp) {
    const float inf = HUGE_VALF;
    const std::vector<float> gate = {0.0f,   -0.0f,  1e-30f, -1e-30f, 50.0f,  -50.0f, 88.0f, -88.0f,
                                     103.0f, -89.0f, 105.0f, -105.0f, -1e30f, 1e30f,  inf,   NAN};
    std::vector<float> both = gate;
    both.resize(2 * gate.size(), 1.0f);
    const int64_t F = static_cast<int64_t>(gate.size());
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::f32, {1, F});
        swiglu(rig.ex, out, rig.of(both, {1, 2 * F}));
        std::vector<double> want;
        for (double g : gate) want.push_back(std::isinf(g) ? g : g / (1 + std::exp(-g)));
        EXPECT_EQ("", compare(rig.fetch(out), want, {8 * 0x1p-23, 1e-36})) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
