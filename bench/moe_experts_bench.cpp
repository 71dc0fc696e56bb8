// moe_experts on the cpu backend at the shape of one layer of Qwen3-VL-30B-A3B, experts drawn
// uniformly: few tokens, where each reads its own experts' weights, and many, where every expert's
// weights are read for some tokens.
#include "ops/moe_experts/moe_experts.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/room.h"

namespace saker::bench {
namespace {

constexpr int64_t C = 2048, F = 768, E = 128, A = 8;
constexpr int64_t kRoutings = 8;  // taken in turn, so that few tokens do not find theirs in cache

// Experts that the routing uses, each counted once.
int64_t num_used(const Tensor& experts) {
    std::vector<int32_t> ids(experts.as<int32_t>(), experts.as<int32_t>() + experts.num_elements());
    std::sort(ids.begin(), ids.end());
    return std::unique(ids.begin(), ids.end()) - ids.begin();
}

void moe_experts_tokens(benchmark::State& state, int64_t T, DType dtype) {
    Room room;
    Weights layer;
    const Tensor gate_up = layer.next({E, 2 * F, C}), down = layer.next({E, C, F});
    const Tensor x = room.numbers(dtype, {T, C}), out = room.numbers(dtype, {T, C});
    const Tensor weights = room.numbers(dtype, {T, A});
    std::vector<Tensor> routings;
    int64_t used = 0;
    for (int64_t i = 0; i < kRoutings; ++i) {
        routings.push_back(room.ids({T, A}, E));
        used += num_used(routings.back());
    }
    size_t turn = 0;
    for (auto _ : state)
        moe_experts(room.ex, out, x, routings[turn++ % kRoutings], weights, gate_up, down);
    if (T <= 8)
        report_bytes(state, 2.0 * 3 * C * F * static_cast<double>(used) / kRoutings);
    else
        report_flops(state, 2.0 * 3 * C * F * static_cast<double>(T * A), dtype);
}

const bool registered = [] {
    for (DType dtype : {DType::bf16, DType::f32})
        for (int64_t T : {1, 4, 64, 512, 2048}) {
            const std::string name =
                "moe_experts/" + std::string(to_string(dtype)) + "/tokens:" + std::to_string(T);
            benchmark::RegisterBenchmark(name.c_str(), moe_experts_tokens, T, dtype)
                ->UseRealTime()
                ->Unit(benchmark::kMicrosecond);
        }
    return true;
}();

}  // namespace
}  // namespace saker::bench
