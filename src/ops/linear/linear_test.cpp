// Cases x backends against ref; a row alone equals the row in its batch, whatever the threads; the
// bias before the rounding. The sums themselves: ops/gemm_cpu_test.cpp.
#include "ops/linear/linear.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/harness.h"
#include "ops/linear/linear_cases.h"

namespace saker {
namespace {

struct Io {
    Tensor x, out;
};

Tensor weight_of(Rig& rig, const LinearCase& c) {
    return rig.random("weight", c.weight, {c.Co, c.Ci});
}

Tensor bias_of(Rig& rig, const LinearCase& c) {
    return c.bias ? rig.random("bias", c.weight, {c.Co}) : Tensor();
}

Io run(Rig& rig, const LinearCase& c) {
    const Tensor x = rig.random("x", c.dtype, {c.N, c.Ci}, 1.0f, c.x_stride);
    const Tensor out = rig.output(c.dtype, {c.N, c.Co}, c.out_stride);
    linear(rig.ex, out, x, weight_of(rig, c), bias_of(rig, c));
    return {x, out};
}

TEST(Linear, EveryBackendAgreesWithRef) {
    for (const LinearCase& c : kLinearCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(run(ref, c).out);
        EXPECT_EQ("", ref.check_guards());
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto got = rig.fetch(run(rig, c).out);
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, c.Ci, 1)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(run(rig, c).out), got)) << "second run";
        }
    }
}

TEST(Linear, RowAloneEqualsRowInBatch) {
    for (const LinearCase& c : kLinearCases) {
        if (c.N < 2 || c.Co == 0) continue;
        SCOPED_TRACE(c.name);
        for (Backend backend : every_backend()) {
            if (backend == Backend::cuda) continue;
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Io batch = run(rig, c);
            const Tensor weight = weight_of(rig, c), bias = bias_of(rig, c);
            for (int64_t n : {int64_t{0}, c.N / 2, c.N - 1}) {
                const Tensor out = rig.output(c.dtype, {1, c.Co});
                linear(rig.ex, out, batch.x.rows(n, n + 1), weight, bias);
                EXPECT_EQ("", compare_exact(rig.fetch(out), rig.fetch(batch.out.rows(n, n + 1))));
            }
        }
    }
}

// Every number of rows from 1 to 40, and every number of threads, gives each row the same bits.
TEST(Linear, BitsDependOnNeitherRowsNorThreads) {
    if (!is_built(Backend::cpu)) GTEST_SKIP() << "no cpu backend in this build";
    for (DType dtype : {DType::bf16, DType::f32}) {
        Rig rig(Backend::cpu, "rows");
        const Tensor x = rig.random("x", dtype, {40, 296});
        const Tensor weight = rig.random("weight", DType::bf16, {147, 296});
        const Tensor all = rig.output(dtype, {40, 147});
        linear(rig.ex, all, x, weight);
        const auto want = rig.fetch(all);
        for (int threads : {1, 2, 7}) {
            ThreadPool pool(threads);
            rig.ex.pool = &pool;
            for (int64_t n = 1; n <= 40; ++n) {
                const Tensor out = rig.output(dtype, {n, 147});
                linear(rig.ex, out, x.rows(40 - n, 40), weight);
                const std::vector<double> rows(want.end() - n * 147, want.end());
                ASSERT_EQ("", compare_exact(rig.fetch(out), rows)) << n << " rows";
            }
        }
        EXPECT_EQ("", rig.check_guards());
    }
}

// 1 + 2^-8 rounds to 1 in bf16; with the bias of 2^-8 first, the sum is 1 + 2^-7, which is exact.
TEST(Linear, AddsTheBiasBeforeRounding) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Bf16 one = Bf16::from(1.0f), small = Bf16::from(0x1p-8f);
        const Tensor out = rig.output(DType::bf16, {1, 1});
        linear(rig.ex, out, rig.of(std::vector<Bf16>{one, small}, {1, 2}),
               rig.of(std::vector<Bf16>{one, one}, {1, 2}), rig.of(std::vector<Bf16>{small}, {1}));
        EXPECT_EQ("", compare_exact(rig.fetch(out), {1 + 0x1p-7})) << to_string(backend);
    }
}

TEST(Linear, SpecialNumbersStayInTheirRowAndColumn) {
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend, "special");
        std::vector<float> x(3 * 37, 1.0f), weight(9 * 37, 1.0f);
        x[1 * 37 + 36] = NAN;
        weight[4 * 37 + 35] = INFINITY;
        const Tensor out = rig.output(DType::f32, {3, 9});
        linear(rig.ex, out, rig.of(x, {3, 37}), rig.of(weight, {9, 37}));
        std::vector<double> want(3 * 9, 37.0);
        for (size_t o = 0; o < 9; ++o) want[9 + o] = NAN;
        want[4] = want[2 * 9 + 4] = INFINITY;
        EXPECT_EQ("", compare_exact(rig.fetch(out), want));
    }
}

}  // namespace
}  // namespace saker
