// Cases x backends against ref, to the bit; the rounding of each kind of number.
#include "ops/convert/convert.h"

#include <gtest/gtest.h>

#include "ops/convert/convert_cases.h"
#include "ops/harness.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const ConvertCase& c, Pick pick) {
    const Tensor x = pick(rig.random("x", c.x, {c.N, c.C}, 1.0f, c.x_stride));
    const Tensor out = rig.output(c.out, {x.dim(0), c.C}, c.out_stride);
    convert(rig.ex, out, x);
    return out;
}

TEST(Convert, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kConvertCases, run, [](const ConvertCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(Convert, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kConvertCases, run));
}

TEST(Convert, RoundsToNearestEven) {
    const double inf = HUGE_VAL;
    // 1 + 2^-8 is halfway and stays at the even 1; 1 + 3 * 2^-8 goes up to 1 + 2^-6.
    const std::vector<float> x = {1 + 0x1p-8f, 1 + 0x3p-8f, 1 + 0x1.01p-8f, -1 - 0x3p-8f, HUGE_VALF,
                                  -HUGE_VALF,  3.4e38f,     0x1p-140f,      NAN,          -0.0f};
    const std::vector<double> want = {1,    1 + 0x1p-6, 1 + 0x1p-7, -1 - 0x1p-6, inf,
                                      -inf, inf,        0,          NAN,         0};
    const auto C = static_cast<int64_t>(x.size());
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::bf16, {1, C});
        convert(rig.ex, out, rig.of(x, {1, C}));
        EXPECT_EQ("", compare_exact(rig.fetch(out), want)) << to_string(backend);
    }
}

TEST(Convert, OntoItself) {
    for (Backend backend : every_backend()) {
        for (DType dtype : {DType::f32, DType::bf16}) {
            Rig rig(backend, "itself");
            const Tensor x = rig.random("x", dtype, {3, 37}, 1.0f, 40);
            const auto before = rig.fetch(x);
            convert(rig.ex, x, x);
            EXPECT_EQ("", compare_exact(rig.fetch(x), before)) << to_string(backend);
        }
    }
}

}  // namespace
}  // namespace saker
