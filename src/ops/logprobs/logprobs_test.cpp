// Cases x backends against ref; batch invariance; by hand; rows and ids that are not fit for use.
#include "ops/logprobs/logprobs.h"

#include <gtest/gtest.h>

#include "ops/harness.h"
#include "ops/logprobs/logprobs_cases.h"

namespace saker {
namespace {

struct Io {
    Tensor chosen, ids, top;
};

Io run(Rig& rig, const LogprobsCase& c, Pick pick) {
    const Tensor wide =
        rig.random("logits", c.is_tied ? DType::bf16 : DType::f32, {c.S, c.V}, c.scale);
    const std::vector<double> numbers = rig.fetch(wide);
    const Tensor logits =
        pick(rig.of(std::vector<float>(numbers.begin(), numbers.end()), {c.S, c.V}));
    Io io;
    io.chosen = rig.output(DType::f32, {logits.dim(0)});
    if (c.A > 0) {
        io.ids = rig.output(DType::i32, {logits.dim(0), c.A});
        io.top = rig.output(DType::f32, {logits.dim(0), c.A});
    }
    logprobs(rig.ex, io.chosen, io.ids, io.top, logits, pick(rig.random_ids("id", c.S, c.V)));
    return io;
}
Tensor chosen_of(Rig& rig, const LogprobsCase& c, Pick pick) {
    return run(rig, c, pick).chosen;
}
Tensor ids_of(Rig& rig, const LogprobsCase& c, Pick pick) {
    const Io io = run(rig, c, pick);
    return c.A > 0 ? io.ids : io.chosen.rows(0, 0);
}
Tensor top_of(Rig& rig, const LogprobsCase& c, Pick pick) {
    const Io io = run(rig, c, pick);
    return c.A > 0 ? io.top : io.chosen.rows(0, 0);
}

// A sum of 150,000 exp is one of short runs in f32: a backend that adds them up one after the other
// is not good enough.
Tolerance close(const LogprobsCase&) {
    return tolerance(DType::f32, 64, 1);
}

TEST(Logprobs, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kLogprobsCases, chosen_of, close));
    EXPECT_EQ("", agrees_with_ref(kLogprobsCases, top_of, close));
    EXPECT_EQ("", agrees_with_ref(kLogprobsCases, ids_of, [](const LogprobsCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(Logprobs, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kLogprobsCases, chosen_of));
    EXPECT_EQ("", row_alone_equals_row_in_batch(kLogprobsCases, top_of));
}

TEST(Logprobs, ByHand) {
    const double log_sum = std::log(std::exp(1.0) + 2 * std::exp(3.0) + std::exp(2.0));
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor chosen = rig.output(DType::f32, {1}), ids = rig.output(DType::i32, {1, 4}),
                     top = rig.output(DType::f32, {1, 4});
        logprobs(rig.ex, chosen, ids, top, rig.of<float>({1, 3, -HUGE_VALF, 2, 3}, {1, 5}),
                 rig.of<int32_t>({3}, {1}));
        const Tolerance near = tolerance(DType::f32, 5, 1);
        EXPECT_EQ("", compare_exact(rig.fetch(ids), {1, 4, 3, 0})) << to_string(backend);
        EXPECT_EQ("", compare(rig.fetch(chosen), {2 - log_sum}, near));
        EXPECT_EQ("", compare(rig.fetch(top), {3 - log_sum, 3 - log_sum, 2 - log_sum, 1 - log_sum},
                              near));
    }
}

TEST(Logprobs, FaultyRowsAndIds) {
    const float inf = HUGE_VALF;
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor chosen = rig.output(DType::f32, {6}), ids = rig.output(DType::i32, {6, 2}),
                     top = rig.output(DType::f32, {6, 2});
        logprobs(rig.ex, chosen, ids, top,
                 rig.of<float>({1, NAN, inf, 0, -inf, -inf, -inf, 0, 0, 0, 0, 0}, {6, 2}),
                 rig.of<int32_t>({0, 1, 0, 0, -1, 2}, {6}));
        const double half = std::log(0.5);
        EXPECT_EQ("", compare_exact(rig.fetch(ids), {-1, -1, -1, -1, -1, -1, 1, 0, 0, 1, 0, 1}))
            << to_string(backend);
        EXPECT_EQ("", compare(rig.fetch(chosen), {NAN, NAN, NAN, -HUGE_VAL, NAN, NAN}, {0, 0}));
        EXPECT_EQ("", compare(rig.fetch(top),
                              {NAN, NAN, NAN, NAN, NAN, NAN, 0, -HUGE_VAL, half, half, half, half},
                              {1e-6, 0}));
    }
}

}  // namespace
}  // namespace saker
