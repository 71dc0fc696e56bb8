// Cases x backends against ref; ties go to the lower expert; NaN stays in its row.
#include "ops/moe_route/moe_route.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ops/harness.h"
#include "ops/moe_route/moe_route_cases.h"

namespace saker {
namespace {

struct Io {
    Tensor logits, experts, weights;
};

Io route(Rig& rig, const Tensor& logits, int64_t A, DType weights_dtype) {
    const int64_t T = logits.dim(0);
    const Io io{logits, rig.output(DType::i32, {T, A}), rig.output(weights_dtype, {T, A})};
    moe_route(rig.ex, io.experts, io.weights, logits);
    return io;
}

Io run(Rig& rig, const MoeRouteCase& c) {
    return route(rig, rig.random("logits", c.logits, {c.T, c.E}, 3.0f, c.logits_stride), c.A,
                 c.weights);
}

TEST(MoeRoute, EveryBackendAgreesWithRef) {
    for (const MoeRouteCase& c : kMoeRouteCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const Io want = run(ref, c);
        EXPECT_EQ("", ref.check_guards());
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Io got = run(rig, c);
            EXPECT_EQ("", compare_exact(rig.fetch(got.experts), ref.fetch(want.experts)));
            EXPECT_EQ("", compare(rig.fetch(got.weights), ref.fetch(want.weights),
                                  tolerance(c.weights, c.A, 1)));
            EXPECT_EQ("", rig.check_guards());
            const Io again = run(rig, c);
            EXPECT_EQ("", compare_exact(rig.fetch(again.weights), rig.fetch(got.weights)));
        }
    }
}

TEST(MoeRoute, RowAloneEqualsRowInBatch) {
    for (const MoeRouteCase& c : kMoeRouteCases) {
        if (c.T < 2) continue;
        SCOPED_TRACE(c.name);
        for (Backend backend : every_backend()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Io batch = run(rig, c);
            for (int64_t t : {int64_t{0}, c.T / 2, c.T - 1}) {
                const Io one = route(rig, batch.logits.rows(t, t + 1), c.A, c.weights);
                EXPECT_EQ("", compare_exact(rig.fetch(one.experts),
                                            rig.fetch(batch.experts.rows(t, t + 1))));
                EXPECT_EQ("", compare_exact(rig.fetch(one.weights),
                                            rig.fetch(batch.weights.rows(t, t + 1))));
            }
        }
    }
}

void expect_route(const std::vector<float>& logits, const std::vector<double>& experts,
                  const std::vector<double>& weights) {
    const int64_t E = static_cast<int64_t>(logits.size()), A = static_cast<int64_t>(experts.size());
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend);
        const Io io = route(rig, rig.of(logits, {1, E}), A, DType::f32);
        EXPECT_EQ("", compare_exact(rig.fetch(io.experts), experts));
        EXPECT_EQ("", compare(rig.fetch(io.weights), weights, tolerance(DType::f32, A, 1)));
    }
}

TEST(MoeRoute, TiesGoToTheLowerExpert) {
    expect_route({1, 2, 2, 1, 2}, {1, 2, 4}, {1 / 3.0, 1 / 3.0, 1 / 3.0});
    expect_route({0, 0, 0, 0}, {0, 1}, {0.5, 0.5});
    expect_route({-0.0f, 0.0f, -1}, {0, 1}, {0.5, 0.5});
    expect_route({5, 1, 1, 1, 5}, {0, 4, 1},
                 {1 / (2 + std::exp(-4.0)), 1 / (2 + std::exp(-4.0)),
                  std::exp(-4.0) / (2 + std::exp(-4.0))});
}

// Weights that underflow to 0 still rank by their logits, and -infinity is a plain smallest logit.
TEST(MoeRoute, ExtremeLogits) {
    expect_route({-200, -150, 300, -160}, {2, 1, 3}, {1, 0, 0});
    expect_route({-INFINITY, 3, -INFINITY}, {1, 0}, {1, 0});
    expect_route({3e38f, -3e38f, 3e38f}, {0, 2, 1}, {0.5, 0.5, 0});
}

TEST(MoeRoute, RowsWithoutASoftmaxGetTheFirstExperts) {
    expect_route({1, NAN, 3, 4}, {0, 1}, {NAN, NAN});
    expect_route({1, 2, 3, NAN}, {0, 1}, {NAN, NAN});
    expect_route({NAN, 2, 3, 1}, {0, 1}, {NAN, NAN});
    expect_route({1, INFINITY, 3, 4}, {0, 1}, {NAN, NAN});
    expect_route({-INFINITY, -INFINITY, -INFINITY}, {0, 1}, {NAN, NAN});
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend);
        const std::vector<float> logits = {1, 2, 3, NAN, 2, 1, 5, 4, 6};
        const Io io = route(rig, rig.of(logits, {3, 3}), 1, DType::bf16);
        EXPECT_EQ("", compare_exact(rig.fetch(io.experts), {2, 0, 2}));
        EXPECT_EQ("", compare_exact(rig.fetch(io.weights), {1, NAN, 1}));
    }
}

}  // namespace
}  // namespace saker
