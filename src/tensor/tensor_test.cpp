// Views: rows, columns, entries and reshapes of dense and strided tensors, and their bugs.
#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace saker {
namespace {

/// 0, 1, 2, ... as i32 of the given shape, over `numbers`, which it fills.
Tensor counting(std::vector<int32_t>& numbers, std::initializer_list<int64_t> dims) {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    numbers.resize(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return Tensor::of(std::span<int32_t>(numbers), dims);
}

TEST(Tensor, DescribesItself) {
    std::vector<int32_t> numbers;
    const Tensor t = counting(numbers, {2, 3, 4});
    EXPECT_EQ(t.rank(), 3);
    EXPECT_EQ(t.dim(1), 3);
    EXPECT_EQ(t.num_elements(), 24);
    EXPECT_EQ(t.size_bytes(), 96);
    EXPECT_EQ(t.row_elements(), 12);
    EXPECT_EQ(t.row_stride(), 12);
    EXPECT_TRUE(t.is_dense());
    EXPECT_EQ(t.dtype(), DType::i32);
    EXPECT_EQ(t.describe(), "[2, 3, 4] i32 on host");
    EXPECT_EQ(std::vector<int64_t>(t.dims().begin(), t.dims().end()),
              (std::vector<int64_t>{2, 3, 4}));
    EXPECT_EQ(Tensor(nullptr, DType::bf16, {5}, Place::cuda(1)).describe(), "[5] bf16 on device 1");
}

TEST(Tensor, AbsentIsFalse) {
    const Tensor none;
    EXPECT_FALSE(none.exists());
    EXPECT_FALSE(static_cast<bool>(none));
    EXPECT_EQ(none.num_elements(), 0);
    EXPECT_EQ(none.rank(), 0);
    EXPECT_TRUE(Tensor(nullptr, DType::f32, {0}).exists());
}

TEST(Tensor, RowsAndEntries) {
    std::vector<int32_t> numbers;
    const Tensor t = counting(numbers, {4, 2, 3});
    const Tensor middle = t.rows(1, 3);
    EXPECT_EQ(middle.dim(0), 2);
    EXPECT_EQ(middle.row<int32_t>(0)[0], 6);
    EXPECT_EQ(middle.row<int32_t>(1)[5], 17);
    EXPECT_EQ(t.rows(4, 4).num_elements(), 0);
    const Tensor entry = t.at(2);
    EXPECT_EQ(entry.rank(), 2);
    EXPECT_EQ(entry.dim(0), 2);
    EXPECT_EQ(entry.row<int32_t>(1)[2], 17);
    EXPECT_EQ(entry.at(1).rank(), 1);
    EXPECT_EQ(entry.at(1).as<int32_t>()[0], 15);
    EXPECT_TRUE(entry.is_dense());
}

TEST(Tensor, ColumnsKeepTheStride) {
    std::vector<int32_t> numbers;
    const Tensor fused = counting(numbers, {3, 10});
    const Tensor k = fused.columns(4, 8);
    EXPECT_EQ(k.dim(1), 4);
    EXPECT_EQ(k.row_stride(), 10);
    EXPECT_EQ(k.row_elements(), 4);
    EXPECT_FALSE(k.is_dense());
    EXPECT_EQ(k.row<int32_t>(2)[3], 27);
    EXPECT_EQ(k.describe(), "[3, 4] i32 with rows 10 apart on host");
    EXPECT_EQ(k.columns(1, 2).row<int32_t>(1)[0], 15);
    EXPECT_EQ(k.rows(1, 3).row<int32_t>(0)[0], 14);
    EXPECT_EQ(k.rows(1, 2).row_stride(), 10);
    const Tensor heads = k.reshape({3, 2, 2});
    EXPECT_EQ(heads.row_stride(), 10);
    EXPECT_EQ(heads.at(1).row<int32_t>(1)[1], 17);
    EXPECT_EQ(heads.reshape({3, 4}).row<int32_t>(2)[0], 24);
    EXPECT_TRUE(fused.columns(0, 10).is_dense());
}

TEST(Tensor, ReshapesDenseFreely) {
    std::vector<int32_t> numbers;
    const Tensor t = counting(numbers, {4, 6});
    EXPECT_EQ(t.reshape({24}).as<int32_t>()[23], 23);
    EXPECT_EQ(t.reshape({2, 3, 2, 2, 1}).at(1).at(0).row<int32_t>(1)[1], 15);
    EXPECT_EQ(t.reshape({2, 12}).row_stride(), 12);
    EXPECT_EQ(counting(numbers, {0, 5}).reshape({0, 1, 5}).num_elements(), 0);
}

TEST(Tensor, OfConstNumbersAndOfEachType) {
    const std::vector<float> floats = {1, 2, 3};
    EXPECT_EQ(Tensor::of(std::span<const float>(floats), {3}).dtype(), DType::f32);
    std::vector<Bf16> halves(2);
    std::vector<int64_t> longs(2);
    std::vector<uint8_t> bytes(2);
    EXPECT_EQ(Tensor::of(std::span<Bf16>(halves), {2}).dtype(), DType::bf16);
    EXPECT_EQ(Tensor::of(std::span<int64_t>(longs), {2}).dtype(), DType::i64);
    EXPECT_EQ(Tensor::of(std::span<uint8_t>(bytes), {2, 1}).dtype(), DType::u8);
}

TEST(Place, HostAndDevices) {
    EXPECT_TRUE(Place::host().is_host());
    EXPECT_FALSE(Place::cuda(0).is_host());
    EXPECT_EQ(Place::cuda(2).device, 2);
    EXPECT_FALSE(Place::cuda(0) == Place::cuda(1));
}

TEST(TensorDeathTest, WrongShapesAreBugs) {
    std::vector<int32_t> numbers;
    const Tensor t = counting(numbers, {4, 6});
    EXPECT_DEATH(Tensor::of(std::span<int32_t>(numbers), {5, 5}), "numbers do not fill the shape");
    EXPECT_DEATH(Tensor(nullptr, DType::f32, {1, 1, 1, 1, 1, 1}), "one to five dimensions");
    EXPECT_DEATH(Tensor(nullptr, DType::f32, {2, -1}), "a dimension is negative");
    EXPECT_DEATH(t.reshape({5, 5}), "reshape to another number of elements");
    EXPECT_DEATH(t.columns(0, 3).reshape({12}), "must keep dimension 0");
}

}  // namespace
}  // namespace saker
