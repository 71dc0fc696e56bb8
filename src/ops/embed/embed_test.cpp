// Cases x backends against ref, to the bit.
#include "ops/embed/embed.h"

#include <gtest/gtest.h>

#include "ops/embed/embed_cases.h"
#include "ops/harness.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const EmbedCase& c, Pick pick) {
    const Tensor ids = pick(rig.random_ids("ids", c.T, c.V));
    const Tensor out = rig.output(c.out, {ids.dim(0), c.C});
    embed(rig.ex, out, ids, rig.random("table", c.table, {c.V, c.C}));
    return out;
}

TEST(Embed, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kEmbedCases, run, [](const EmbedCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(Embed, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kEmbedCases, run));
}

TEST(Embed, FirstAndLastRowOfTheTable) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor table = rig.of<float>({1, 2, 3, 4, 5, 6}, {3, 2}),
                     out = rig.output(DType::f32, {3, 2});
        embed(rig.ex, out, rig.of<int32_t>({2, 0, 2}, {3}), table);
        EXPECT_EQ("", compare_exact(rig.fetch(out), {5, 6, 1, 2, 5, 6})) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
