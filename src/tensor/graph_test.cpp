// A graph records without running, replays what was recorded with the numbers of the moment, can be
// captured anew, moves, and does nothing on other backends.
#include "tensor/graph.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tensor/arena.h"
#include "tensor/device.h"

namespace saker {
namespace {

TEST(Graph, OtherBackendsCaptureNothing) {
    Exec ex;
    Graph graph;
    int calls = 0;
    graph.capture(ex, [&] { ++calls; });
    EXPECT_FALSE(graph.captured());
    EXPECT_EQ(0, calls);
    EXPECT_DEATH(graph.replay(ex), "not captured");
}

class GraphOnDevice : public ::testing::Test {
  protected:
    void SetUp() override {
        if (num_devices() == 0) GTEST_SKIP() << "no GPU here";
        stream_ = std::make_unique<Stream>(0);
        arena_ = std::make_unique<Arena>(1 << 20, Place::cuda(0));
        ex_.backend = Backend::cuda;
        ex_.stream = stream_->raw();
        ex_.scratch = arena_.get();
    }
    void put(const Tensor& t, int32_t value) {
        copy(t, Tensor(&value, DType::i32, {1}), ex_.stream);
        stream_->synchronize();
    }
    int32_t get(const Tensor& t) {
        int32_t value = 0;
        copy(Tensor(&value, DType::i32, {1}), t, ex_.stream);
        stream_->synchronize();
        return value;
    }

    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Arena> arena_;
    Exec ex_;
};

TEST_F(GraphOnDevice, ReplaysWithTheNumbersOfTheMoment) {
    const Tensor a = arena_->take(DType::i32, {1}), b = arena_->take(DType::i32, {1}),
                 c = arena_->take(DType::i32, {1});
    put(a, 1);
    put(c, 0);
    Graph graph;
    EXPECT_FALSE(graph.captured());
    graph.capture(ex_, [&] {
        copy(b, a, ex_.stream);
        copy(c, b, ex_.stream);
    });
    EXPECT_TRUE(graph.captured());
    EXPECT_EQ(0, get(c)) << "capture must not run the step";
    graph.replay(ex_);
    EXPECT_EQ(1, get(c));
    put(a, 2);
    graph.replay(ex_);
    EXPECT_EQ(2, get(c));

    // On another stream of the device.
    Stream other(0);
    Exec elsewhere = ex_;
    elsewhere.stream = other.raw();
    put(a, 3);
    graph.replay(elsewhere);
    other.synchronize();
    EXPECT_EQ(3, get(c));
}

TEST_F(GraphOnDevice, CapturesAnewAndMoves) {
    const Tensor a = arena_->take(DType::i32, {1});
    Graph graph;
    graph.capture(ex_, [&] { fill_bytes(a, 1, ex_.stream); });
    graph.capture(ex_, [&] { fill_bytes(a, 2, ex_.stream); });
    graph.replay(ex_);
    EXPECT_EQ(0x02020202, get(a));

    std::vector<Graph> graphs;
    graphs.push_back(std::move(graph));
    graphs.emplace_back();
    graphs[1].capture(ex_, [&] { fill_bytes(a, 3, ex_.stream); });
    EXPECT_FALSE(graph.captured());
    graphs[0].replay(ex_);
    EXPECT_EQ(0x02020202, get(a));
    std::swap(graphs[0], graphs[1]);
    graphs[0].replay(ex_);
    EXPECT_EQ(0x03030303, get(a));
}

TEST_F(GraphOnDevice, ReplayAllocatesNothing) {
    const Tensor a = arena_->take(DType::i32, {1});
    Graph graph;
    const int64_t before = num_device_allocations();
    graph.capture(ex_, [&] { fill_bytes(a, 1, ex_.stream); });
    for (int i = 0; i < 10; ++i) graph.replay(ex_);
    stream_->synchronize();
    EXPECT_EQ(before, num_device_allocations());
}

}  // namespace
}  // namespace saker
