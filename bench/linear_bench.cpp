// linear on the cpu backend at the shapes of Qwen3-VL-30B-A3B: few rows (decode), where the weights
// must cross from memory, and many (prefill), where the multiply-add units are the limit.
#include "ops/linear/linear.h"

#include <benchmark/benchmark.h>

#include <string>

#include "bench/machine.h"
#include "bench/room.h"

namespace saker::bench {
namespace {

struct Shape {
    const char* name;
    int64_t Ci, Co;
};
constexpr Shape kShapes[] = {
    {"qkv", 2048, 5120}, {"o_proj", 4096, 2048}, {"2048x4096", 2048, 4096}, {"fc2", 4304, 1152}};

void linear_rows(benchmark::State& state, Shape shape, int64_t N, DType dtype) {
    Room room;
    Weights weights;
    const Tensor x = room.numbers(dtype, {N, shape.Ci});
    const Tensor out = room.numbers(dtype, {N, shape.Co});
    linear(room.ex, out, x, weights.next({shape.Co, shape.Ci}));  // draws the weights
    for (auto _ : state) linear(room.ex, out, x, weights.next({shape.Co, shape.Ci}));
    if (N <= 8)
        report_bytes(state, 2.0 * static_cast<double>(shape.Ci * shape.Co));
    else
        report_flops(state, 2.0 * static_cast<double>(N * shape.Ci * shape.Co), dtype);
}

const bool registered = [] {
    for (DType dtype : {DType::bf16, DType::f32})
        for (const Shape& shape : kShapes)
            for (int64_t N : {1, 2, 4, 8, 32, 512}) {
                const std::string name = "linear/" + std::string(shape.name) + "/" +
                                         std::string(to_string(dtype)) +
                                         "/rows:" + std::to_string(N);
                benchmark::RegisterBenchmark(name.c_str(), linear_rows, shape, N, dtype)
                    ->UseRealTime()
                    ->Unit(benchmark::kMicrosecond);
            }
    return true;
}();

}  // namespace
}  // namespace saker::bench
