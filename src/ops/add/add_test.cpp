// Cases x backends against ref, to the bit; onto either operand.
#include "ops/add/add.h"

#include <gtest/gtest.h>

#include "ops/add/add_cases.h"
#include "ops/harness.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const AddCase& c, Pick pick) {
    const Tensor a = pick(rig.random("a", c.dtype, {c.N, c.C}, 1.0f, c.a_stride)),
                 b = pick(rig.random("b", c.dtype, {c.N, c.C}, 1.0f, c.b_stride));
    const Tensor out = rig.output(c.dtype, {a.dim(0), c.C}, c.out_stride);
    add(rig.ex, out, a, b);
    return out;
}

TEST(Add, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kAddCases, run, [](const AddCase&) { return Tolerance{0, 0}; }));
}

TEST(Add, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kAddCases, run));
}

TEST(Add, OntoEitherOperand) {
    for (Backend backend : every_backend()) {
        Rig rig(backend, "in place");
        const Tensor a = rig.random("a", DType::bf16, {5, 101}),
                     b = rig.random("b", DType::bf16, {5, 101}),
                     b2 = rig.random("b", DType::bf16, {5, 101}),
                     out = rig.output(DType::bf16, {5, 101});
        add(rig.ex, out, a, b);
        add(rig.ex, b2, a, b2);
        add(rig.ex, a, a, b);
        EXPECT_EQ("", compare_exact(rig.fetch(a), rig.fetch(out))) << to_string(backend);
        EXPECT_EQ("", compare_exact(rig.fetch(b2), rig.fetch(out))) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
