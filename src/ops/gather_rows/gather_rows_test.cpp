// Cases x backends against ref, to the bit.
#include "ops/gather_rows/gather_rows.h"

#include <gtest/gtest.h>

#include "ops/gather_rows/gather_rows_cases.h"
#include "ops/harness.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const GatherRowsCase& c, Pick pick) {
    const Tensor rows = pick(rig.random_ids("rows", c.N, c.T));
    const Tensor out = rig.output(c.dtype, {rows.dim(0), c.C});
    gather_rows(rig.ex, out, rig.random("x", c.dtype, {c.T, c.C}), rows);
    return out;
}

TEST(GatherRows, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kGatherRowsCases, run, [](const GatherRowsCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(GatherRows, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kGatherRowsCases, run));
}

TEST(GatherRows, OrderAndRepeats) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor x = rig.of<float>({1, 2, 3, 4, 5, 6}, {3, 2}),
                     out = rig.output(DType::f32, {4, 2});
        gather_rows(rig.ex, out, x, rig.of<int32_t>({2, 0, 0, 1}, {4}));
        EXPECT_EQ("", compare_exact(rig.fetch(out), {5, 6, 1, 2, 1, 2, 3, 4}))
            << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
