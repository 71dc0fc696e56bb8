// attention and vision_attention on the cpu backend at the shapes of Qwen3-VL-30B-A3B: prefill and
// pictures, where multiply-adds are the limit, and decode, where keys and values must cross from
// memory.
#include "ops/attention/attention.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/room.h"
#include "ops/vision_attention/vision_attention.h"

namespace saker::bench {
namespace {

constexpr int64_t kHeads = 32, kKvHeads = 4, kWidth = 128, kPage = 64;

// S sequences, the last `tokens` of `context` each are queries. Decodes take different pages in
// turn, as layers do, so that nothing is found in a cache.
void attend(benchmark::State& state, int64_t S, int64_t tokens, int64_t context, DType dtype) {
    Room room;
    const int64_t P = (context + kPage - 1) / kPage, T = S * tokens;
    const int64_t page_bytes = kKvHeads * kPage * kWidth * size_of(dtype);
    const int64_t layers = tokens > 1 ? 1 : 1 + (int64_t{256} << 20) / (S * P * page_bytes);
    const Tensor k = room.numbers(dtype, {layers * S * P, kKvHeads, kPage, kWidth});
    const Tensor v = room.numbers(dtype, {layers * S * P, kKvHeads, kPage, kWidth});
    const Tensor q = room.numbers(dtype, {T, kHeads, kWidth});
    const Tensor out = room.numbers(dtype, {T, kHeads, kWidth});
    std::vector<int32_t> starts, contexts, pages(static_cast<size_t>(layers * S * P));
    for (int64_t s = 0; s <= S; ++s) starts.push_back(static_cast<int32_t>(s * tokens));
    for (int64_t s = 0; s < S; ++s) contexts.push_back(static_cast<int32_t>(context));
    for (size_t i = 0; i < pages.size(); ++i)  // scattered: 7,919 is prime
        pages[i] = static_cast<int32_t>(i * 7919 % pages.size());
    const Tensor tables = Tensor::of(std::span(pages), {layers * S, P});
    int64_t layer = 0;
    for (auto _ : state) {
        attention(room.ex, out, q, k, v, Tensor::of(std::span(starts), {S + 1}),
                  Tensor::of(std::span(contexts), {S}), tables.rows(layer * S, (layer + 1) * S),
                  1.0f / std::sqrt(float{kWidth}));
        layer = (layer + 1) % layers;
    }
    if (tokens == 1)
        return report_bytes(
            state, static_cast<double>(2 * S * context * kKvHeads * kWidth * size_of(dtype)));
    const double pairs = static_cast<double>(tokens) *
                         (2.0 * static_cast<double>(context) - static_cast<double>(tokens) + 1) / 2;
    report_flops(state, 4.0 * pairs * static_cast<double>(S * kHeads * kWidth), DType::f32);
}

// Segments of M patches in all.
void look(benchmark::State& state, int64_t M, int64_t S, int64_t D, DType dtype) {
    Room room;
    const int64_t H = 16, C = H * D;
    const Tensor qkv = room.numbers(dtype, {M, 3 * C}), out = room.numbers(dtype, {M, H, D});
    std::vector<int32_t> starts;
    for (int64_t s = 0; s <= S; ++s) starts.push_back(static_cast<int32_t>(s * M / S));
    const auto part = [&](int64_t i) { return qkv.columns(i * C, (i + 1) * C).reshape({M, H, D}); };
    for (auto _ : state)
        vision_attention(room.ex, out, part(0), part(1), part(2),
                         Tensor::of(std::span(starts), {S + 1}),
                         1.0f / std::sqrt(static_cast<float>(D)));
    report_flops(state, 4.0 * static_cast<double>(M * M / S * C), DType::f32);
}

const bool registered = [] {
    const auto add = [](const std::string& name, auto body) {
        benchmark::RegisterBenchmark(name.c_str(), body)
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
    };
    struct Batch {
        int64_t S, tokens, context;
    };
    for (DType dtype : {DType::bf16, DType::f32}) {
        const std::string type(to_string(dtype));
        for (const Batch& b :
             {Batch{1, 1, 1024}, Batch{1, 1, 32768}, Batch{16, 1, 2048}, Batch{1, 64, 64},
              Batch{1, 512, 512}, Batch{1, 2048, 2048}, Batch{1, 512, 16384}})
            add("attention/" + type + "/sequences:" + std::to_string(b.S) +
                    "/tokens:" + std::to_string(b.tokens) + "/context:" + std::to_string(b.context),
                [=](benchmark::State& state) { attend(state, b.S, b.tokens, b.context, dtype); });
        struct Pictures {
            int64_t M, S, D;
        };
        for (const Pictures& p : {Pictures{1024, 1, 72}, Pictures{4096, 1, 72},
                                  Pictures{4096, 16, 72}, Pictures{4096, 1, 64}})
            add("vision_attention/" + type + "/patches:" + std::to_string(p.M) +
                    "/segments:" + std::to_string(p.S) + "/width:" + std::to_string(p.D),
                [=](benchmark::State& state) { look(state, p.M, p.S, p.D, dtype); });
    }
    return true;
}();

}  // namespace
}  // namespace saker::bench
