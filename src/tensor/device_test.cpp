// Copies and fills on the host; with a device also memory, streams, events, and the two ways in
// which a call of the runtime fails.
#include "tensor/device.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/check.h"
#include "tensor/arena.h"

namespace saker {
namespace {

TEST(Device, CopiesAndFillsOnTheHost) {
    std::vector<float> from = {1, 2, 3, 4, 5, 6}, to(6);
    copy(Tensor::of(std::span(to), {2, 3}), Tensor::of(std::span(from), {6}), nullptr);
    EXPECT_EQ(to, from);
    fill_bytes(Tensor::of(std::span(to), {6}).rows(1, 3), 0, nullptr);
    EXPECT_EQ(to, (std::vector<float>{1, 0, 0, 4, 5, 6}));
    copy(Tensor::of(std::span(to), {6}).rows(0, 0), Tensor::of(std::span(from), {6}).rows(3, 3),
         nullptr);
    EXPECT_EQ(to, (std::vector<float>{1, 0, 0, 4, 5, 6}));
}

TEST(Device, CopyRefusesOtherShapes) {
    std::vector<float> six(6), four(4);
    EXPECT_DEATH(copy(Tensor::of(std::span(six), {6}), Tensor::of(std::span(four), {4}), nullptr),
                 "equal dtype and size");
    const Tensor columns = Tensor::of(std::span(six), {2, 3}).columns(0, 2);
    EXPECT_DEATH(copy(columns, Tensor::of(std::span(four), {2, 2}), nullptr), "dense tensors");
    EXPECT_DEATH(fill_bytes(columns, 0, nullptr), "dense tensor");
}

TEST(Device, FactsAreThoseOfAGpu) {
    if (num_devices() == 0) GTEST_SKIP() << "no GPU here";
    const DeviceFacts facts = device_facts(0);
    EXPECT_FALSE(facts.name.empty());
    EXPECT_GE(facts.compute_major, 9);
    EXPECT_GE(facts.num_multiprocessors, 1);
    EXPECT_GT(facts.l2_bytes, 1 << 20);
    EXPECT_GT(facts.free_bytes, 0);
    EXPECT_LE(facts.free_bytes, facts.total_bytes);
}

TEST(Device, NumbersGoThereAndBack) {
    if (num_devices() == 0) GTEST_SKIP() << "no GPU here";
    Stream stream(0);
    Arena arena(1 << 20, Place::cuda(0));
    std::vector<int32_t> from(5000), back(5000);
    std::iota(from.begin(), from.end(), -17);
    const Tensor a = arena.take(DType::i32, {5000}), b = arena.take(DType::i32, {50, 100});
    copy(a, Tensor::of(std::span(from), {5000}), stream.raw());
    copy(b, a, stream.raw());
    fill_bytes(b.rows(1, 2), 0xFF, stream.raw());
    copy(Tensor::of(std::span(back), {5000}), b, stream.raw());
    stream.synchronize();
    std::fill(from.begin() + 100, from.begin() + 200, -1);
    EXPECT_EQ(back, from);
}

TEST(Device, AllocationsAreCounted) {
    if (num_devices() == 0) GTEST_SKIP() << "no GPU here";
    const int64_t before = num_device_allocations();
    {
        Arena arena(1 << 20, Place::cuda(0));
        EXPECT_EQ(before + 1, num_device_allocations());
        arena.take(DType::f32, {100});
        EXPECT_EQ(before + 1, num_device_allocations());
    }
    EXPECT_EQ(before + 1, num_device_allocations());
}

TEST(Device, TooLargeAnAllocationIsAFaultOfStartup) {
    if (num_devices() == 0) GTEST_SKIP() << "no GPU here";
    const int64_t bytes = int64_t{1} << 46;
    try {
        device_free(0, device_allocate(0, bytes));
        ADD_FAILURE() << "64 TiB were given";
    } catch (const StartupError& e) {
        const std::string said = e.what();
        EXPECT_NE(std::string::npos, said.find(std::to_string(bytes) + " bytes")) << said;
        EXPECT_NE(std::string::npos, said.find("are free")) << said;
    }
    // The failure leaves no error behind for the next call.
    device_free(0, device_allocate(0, 256));
}

TEST(Device, EventsMeasureTimeOnTheDevice) {
    if (num_devices() == 0) GTEST_SKIP() << "no GPU here";
    Stream stream(0);
    Arena arena(int64_t{1} << 28, Place::cuda(0));
    const Tensor t = arena.take(DType::u8, {int64_t{1} << 28});
    Event start, end;
    start.record(stream.raw());
    fill_bytes(t, 1, stream.raw());
    end.record(stream.raw());
    end.synchronize();
    const double ms = end.elapsed_ms_since(start);
    EXPECT_GT(ms, 0.01);  // 256 MiB at 26 TB/s
    EXPECT_LT(ms, 1000);
}

}  // namespace
}  // namespace saker
