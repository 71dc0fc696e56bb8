// Cases x backends against ref; a token alone equals the token in its batch; the roundings.
#include "ops/moe_experts/moe_experts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "ops/harness.h"
#include "ops/moe_experts/moe_experts_cases.h"

namespace saker {
namespace {

// Distinct experts for each token, as a router chooses them.
std::vector<int32_t> choose_experts(const MoeExpertsCase& c) {
    const Rng rng{std::string_view(c.name)};
    CHECK(c.A <= c.E - (c.routing == Routing::skewed ? 4 : 0), "too few experts to draw from");
    std::vector<int32_t> chosen;
    uint64_t draw = 0;
    for (int64_t t = 0; t < c.T; ++t) {
        std::vector<int32_t> of_token;
        while (static_cast<int64_t>(of_token.size()) < c.A) {
            const double u = rng.uniform(draw++);
            int64_t e = static_cast<int64_t>(of_token.size());
            if (c.routing == Routing::even) e = static_cast<int64_t>(u * double(c.E));
            if (c.routing == Routing::skewed) e = static_cast<int64_t>(u * u * double(c.E - 4));
            const int32_t expert = static_cast<int32_t>(e);
            if (std::find(of_token.begin(), of_token.end(), expert) == of_token.end())
                of_token.push_back(expert);
        }
        chosen.insert(chosen.end(), of_token.begin(), of_token.end());
    }
    return chosen;
}

struct Io {
    Tensor out, x, experts, weights, gate_up, down;
};

// Weights scaled so that each product keeps the size of its input: values stay near 1.
Io run(Rig& rig, const MoeExpertsCase& c) {
    Io io;
    io.x = rig.random("x", c.dtype, {c.T, c.C}, 1.0f, c.x_stride);
    io.experts = rig.of(choose_experts(c), {c.T, c.A});
    io.weights = rig.random("weights", c.weights, {c.T, c.A}, 0.5f);
    io.gate_up = rig.random("gate_up", c.matrices, {c.E, 2 * c.F, c.C},
                            1.0f / std::sqrt(static_cast<float>(c.C)));
    io.down =
        rig.random("down", c.matrices, {c.E, c.C, c.F}, 1.0f / std::sqrt(static_cast<float>(c.F)));
    io.out = rig.output(c.dtype, {c.T, c.C}, c.out_stride);
    moe_experts(rig.ex, io.out, io.x, io.experts, io.weights, io.gate_up, io.down);
    return io;
}

// A rounding of an intermediate to bf16 that falls the other way moves one of many terms by a unit:
// each of the six roundings on the way counts as one of the result's own size and one of size 1.
Tolerance tolerance_of(const MoeExpertsCase& c) {
    Tolerance t = tolerance(c.dtype, c.C + c.F + c.A, 1, 6);
    if (c.dtype == DType::bf16) t.absolute += epsilon_of(DType::bf16);
    return t;
}

TEST(MoeExperts, EveryBackendAgreesWithRef) {
    for (const MoeExpertsCase& c : kMoeExpertsCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(run(ref, c).out);
        EXPECT_EQ("", ref.check_guards());
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto got = rig.fetch(run(rig, c).out);
            EXPECT_EQ("", compare(got, want, tolerance_of(c)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(run(rig, c).out), got)) << "second run";
            EXPECT_EQ(rig.ex.scratch->used_bytes(), 0);
        }
    }
}

TEST(MoeExperts, TokenAloneEqualsTokenInBatch) {
    for (const MoeExpertsCase& c : kMoeExpertsCases) {
        if (c.T < 2) continue;
        SCOPED_TRACE(c.name);
        for (Backend backend : every_backend()) {
            if (backend == Backend::cuda) continue;
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Io io = run(rig, c);
            for (int64_t t = 0; t < c.T; t += 1 + c.T / 20) {
                const Tensor out = rig.output(c.dtype, {1, c.C});
                moe_experts(rig.ex, out, io.x.rows(t, t + 1), io.experts.rows(t, t + 1),
                            io.weights.rows(t, t + 1), io.gate_up, io.down);
                EXPECT_EQ("", compare_exact(rig.fetch(out), rig.fetch(io.out.rows(t, t + 1))))
                    << "token " << t;
            }
        }
    }
}

// Every number of tokens and of threads gives each token the same bits.
TEST(MoeExperts, BitsDependOnNeitherTokensNorThreads) {
    if (!is_built(Backend::cpu)) GTEST_SKIP() << "no cpu backend in this build";
    for (DType dtype : {DType::bf16, DType::f32}) {
        const MoeExpertsCase c = {"tokens",        40,    3,          9,           72, 40,
                                  Routing::skewed, dtype, DType::f32, DType::bf16, 0,  0};
        Rig rig(Backend::cpu, c.name);
        const Io io = run(rig, c);
        const auto want = rig.fetch(io.out);
        for (int threads : {1, 2, 7}) {
            ThreadPool pool(threads);
            rig.ex.pool = &pool;
            for (int64_t n = 1; n <= 40; ++n) {
                const Tensor out = rig.output(dtype, {n, c.C});
                moe_experts(rig.ex, out, io.x.rows(40 - n, 40), io.experts.rows(40 - n, 40),
                            io.weights.rows(40 - n, 40), io.gate_up, io.down);
                const std::vector<double> rows(want.end() - n * c.C, want.end());
                ASSERT_EQ("", compare_exact(rig.fetch(out), rows)) << n << " tokens";
            }
        }
    }
}

// One token, one column, two experts, numbers that every rounding of the header changes.
TEST(MoeExperts, RoundsWhereTheHeaderSays) {
    const float x = 1.3f, gate0 = 0.7f, up0 = 1.9f, down0 = 0.83f;
    const float gate1 = -0.9f, up1 = 0.61f, down1 = 1.17f, weight0 = 0.63f, weight1 = 0.37f;
    const auto bf = [](float v) { return round_bf16(v); };
    const auto expert = [&](float gate_weight, float up_weight, float down_weight, float weight) {
        const float gate = bf(bf(x) * bf(gate_weight)), up = bf(bf(x) * bf(up_weight));
        const float hidden = bf(bf(gate / (1 + std::exp(-gate))) * up);
        return bf(bf(hidden * bf(down_weight)) * bf(weight));
    };
    const double want = bf(expert(gate0, up0, down0, weight0) + expert(gate1, up1, down1, weight1));
    const auto numbers = [](std::initializer_list<float> values) {
        std::vector<Bf16> out;
        for (float v : values) out.push_back(Bf16::from(v));
        return out;
    };
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::bf16, {1, 1});
        moe_experts(rig.ex, out, rig.of(numbers({x}), {1, 1}),
                    rig.of(std::vector<int32_t>{0, 1}, {1, 2}),
                    rig.of(numbers({weight0, weight1}), {1, 2}),
                    rig.of(numbers({gate0, up0, gate1, up1}), {2, 2, 1}),
                    rig.of(numbers({down0, down1}), {2, 1, 1}));
        EXPECT_EQ("", compare_exact(rig.fetch(out), {want})) << to_string(backend);
    }
}

// A NaN in one token, or in the weights of an expert, reaches no token that has neither.
TEST(MoeExperts, NanStaysWhereItIs) {
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend);
        std::vector<float> x(3, 1.0f), gate_up(3 * 2, 1.0f), down(3, 1.0f);
        x[1] = NAN;
        down[2] = NAN;
        const Tensor out = rig.output(DType::f32, {3, 1});
        moe_experts(rig.ex, out, rig.of(x, {3, 1}),
                    rig.of(std::vector<int32_t>{0, 1, 0, 1, 0, 1}, {3, 2}),
                    rig.of(std::vector<float>(6, 0.5f), {3, 2}), rig.of(gate_up, {3, 2, 1}),
                    rig.of(down, {3, 1, 1}));
        const double silu = 1 / (1 + std::exp(-1.0));
        EXPECT_EQ("", compare(rig.fetch(out), {silu, NAN, silu}, tolerance(DType::f32, 2, 1)));
    }
}

}  // namespace
}  // namespace saker
