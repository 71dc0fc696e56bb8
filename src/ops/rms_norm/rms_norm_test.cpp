// Cases x backends against ref; a row alone equals the row in its batch; the two roundings of bf16.
#include "ops/rms_norm/rms_norm.h"

#include <gtest/gtest.h>

#include "ops/harness.h"
#include "ops/rms_norm/rms_norm_cases.h"

namespace saker {
namespace {

struct Io {
    Tensor x, out;
};

Io run(Rig& rig, const RmsNormCase& c) {
    const Tensor x = c.H ? rig.random("x", c.dtype, {c.N, c.H, c.C}, 2.0f, c.row_stride)
                         : rig.random("x", c.dtype, {c.N, c.C}, 2.0f, c.row_stride);
    const Tensor out = c.H ? rig.output(c.dtype, {c.N, c.H, c.C}, c.row_stride)
                           : rig.output(c.dtype, {c.N, c.C}, c.row_stride);
    rms_norm(rig.ex, out, x, rig.random("weight", c.weight, {c.C}), 1e-6f);
    return {x, out};
}

TEST(RmsNorm, EveryBackendAgreesWithRef) {
    for (const RmsNormCase& c : kRmsNormCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(run(ref, c).out);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto got = rig.fetch(run(rig, c).out);
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, c.C, 1, 2)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(run(rig, c).out), got)) << "second run";
        }
    }
}

TEST(RmsNorm, RowAloneEqualsRowInBatch) {
    std::vector<Backend> backends = backends_under_test();
    backends.push_back(Backend::ref);
    for (const RmsNormCase& c : kRmsNormCases) {
        if (c.N < 2) continue;
        SCOPED_TRACE(c.name);
        for (Backend backend : backends) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Io batch = run(rig, c);
            const int64_t n = c.N / 2;
            const Tensor one = batch.x.rows(n, n + 1);
            const Tensor out =
                c.H ? rig.output(c.dtype, {1, c.H, c.C}) : rig.output(c.dtype, {1, c.C});
            rms_norm(rig.ex, out, one, rig.random("weight", c.weight, {c.C}), 1e-6f);
            EXPECT_EQ("", compare_exact(rig.fetch(out), rig.fetch(batch.out.rows(n, n + 1))));
        }
    }
}

TEST(RmsNorm, InPlace) {
    for (Backend backend : backends_under_test()) {
        Rig rig(backend, "in place");
        const Tensor x = rig.random("x", DType::bf16, {5, 96}),
                     w = rig.random("w", DType::bf16, {96});
        const Tensor out = rig.output(DType::bf16, {5, 96});
        rms_norm(rig.ex, out, x, w, 1e-6f);
        rms_norm(rig.ex, x, x, w, 1e-6f);
        EXPECT_EQ("", compare_exact(rig.fetch(x), rig.fetch(out)));
    }
}

// x = 3, weight = bf16(1/3): y = bf(3 / 3) = 1, out = weight. One rounding fewer would differ.
TEST(RmsNorm, RoundsTwiceInBf16) {
    std::vector<Backend> backends = backends_under_test();
    backends.push_back(Backend::ref);
    for (Backend backend : backends) {
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
