// Shapes at the door: letters bind and must agree, and each failure names op, argument and numbers.
#include "tensor/expect.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

Tensor shaped(DType dtype, std::initializer_list<int64_t> dims) {
    static float numbers[1024];
    return Tensor(numbers, dtype, dims);
}

TEST(Expect, BindsLettersAndAgrees) {
    const Exec ex;
    const Expect expect("op", ex);
    Dim T{"T"}, C{"C"};
    EXPECT_EQ(T, -1);
    expect(shaped(DType::f32, {3, 8}), "x", {T, C}, {DType::f32, DType::bf16});
    EXPECT_EQ(T, 3);
    EXPECT_EQ(C, 8);
    expect(shaped(DType::bf16, {8}), "weight", {C}, {DType::bf16});
    expect(shaped(DType::f32, {3, 2, 4}), "y", {T, 2, int64_t{4}}, {DType::f32});
    expect.dense(shaped(DType::f32, {3, 8}), "x", {T, C}, {DType::f32});
}

TEST(Expect, ZeroIsASizeLikeAnother) {
    const Exec ex;
    const Expect expect("op", ex);
    Dim T{"T"};
    expect(shaped(DType::f32, {0}), "x", {T}, {DType::f32});
    EXPECT_EQ(T, 0);
    expect(shaped(DType::f32, {0}), "y", {T}, {DType::f32});
}

TEST(ExpectDeathTest, NamesWhatIsWrong) {
    const Exec ex;
    const Expect expect("rms_norm", ex);
    Dim T{"T"}, C{"C"};
    expect(shaped(DType::f32, {3, 8}), "x", {T, C}, {DType::f32});
    EXPECT_DEATH(expect(shaped(DType::bf16, {9}), "weight", {C}, {DType::bf16}),
                 "rms_norm: weight is .9. bf16 on host, which has the wrong size; expected .C=8.");
    EXPECT_DEATH(expect(shaped(DType::f32, {3}), "x", {T, C}, {DType::f32}),
                 "wrong rank; expected .T=3, C=8.");
    EXPECT_DEATH(expect(shaped(DType::f32, {3, 8}), "x", {T, 4}, {DType::f32}),
                 "wrong size; expected .T=3, 4.");
    EXPECT_DEATH(expect(shaped(DType::i32, {3, 8}), "x", {T, C}, {DType::f32, DType::bf16}),
                 "x is .3, 8. i32 on host, which has the wrong dtype");
    EXPECT_DEATH(
        expect(Tensor(nullptr, DType::f32, {3, 8}, Place::cuda(0)), "x", {T, C}, {DType::f32}),
        "wrong place");
    EXPECT_DEATH(expect.dense(shaped(DType::f32, {3, 16}).columns(0, 8), "x", {T, C}, {DType::f32}),
                 "with rows 16 apart on host, which has the wrong row stride");
    Dim N{"N"};
    EXPECT_DEATH(expect(Tensor(), "bias", {N}, {DType::f32}), "bias is .*wrong rank; expected .N.");
}

TEST(ExpectDeathTest, ABackendThatIsNotThereIsNamed) {
    Exec ex;
    ex.backend = Backend::cuda;
    EXPECT_DEATH(backend_missing(ex, "rms_norm"), "rms_norm has no code for backend cuda");
}

}  // namespace
}  // namespace saker
