// Each peak is the best of several repetitions: on a shared machine the others are interference.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/machine.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace saker::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rounds of 16 independent chains of multiply-adds; returns the flops done. `out` keeps them alive.
double MultiplyAdds(int64_t rounds, float* out) {
    const hn::ScalableTag<float> d;
    const auto factor = hn::Set(d, 0.999f);
    hn::Vec<decltype(d)> chain[16];
    for (int i = 0; i < 16; ++i) chain[i] = hn::Set(d, static_cast<float>(i));
    for (int64_t round = 0; round < rounds; ++round)
        for (int i = 0; i < 16; ++i) chain[i] = hn::MulAdd(chain[i], factor, factor);
    for (int i = 1; i < 16; ++i) chain[0] = hn::Add(chain[0], chain[i]);
    *out = hn::GetLane(chain[0]);
    return static_cast<double>(rounds) * 16 * 2 * static_cast<double>(hn::Lanes(d));
}

// Reads [begin, end) of 64-bit words once; returns a value that depends on all of it.
uint64_t ReadAll(const uint64_t* begin, const uint64_t* end) {
    const hn::ScalableTag<uint64_t> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (; begin + 4 * lanes <= end; begin += 4 * lanes) {
        a = hn::Xor(a, hn::LoadU(d, begin));
        b = hn::Xor(b, hn::LoadU(d, begin + lanes));
        c = hn::Xor(c, hn::LoadU(d, begin + 2 * lanes));
        e = hn::Xor(e, hn::LoadU(d, begin + 3 * lanes));
    }
    return hn::GetLane(hn::Xor(hn::Xor(a, b), hn::Xor(c, e)));
}

}  // namespace HWY_NAMESPACE
}  // namespace saker::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "bench/machine.h"
#include "tensor/arena.h"

namespace saker::bench {
HWY_EXPORT(MultiplyAdds);
HWY_EXPORT(ReadAll);

namespace {

// Best of `repetitions` seconds of `body`, after one call to warm up.
template <class Body>
double best_seconds(int repetitions, Body body) {
    body();
    double best = 1e30;
    for (int i = 0; i < repetitions; ++i) {
        const Stopwatch watch;
        body();
        best = std::min(best, static_cast<double>(watch.elapsed_ns()) * 1e-9);
    }
    return best;
}

double measure_read(ThreadPool& pool) {
    constexpr int64_t kBytes = int64_t{1} << 30;
    Arena arena(kBytes, Place::host());
    const Tensor buffer = arena.take(DType::u8, {kBytes});
    std::memset(buffer.raw(), 1, kBytes);
    const uint64_t* words = static_cast<const uint64_t*>(buffer.raw());
    constexpr int64_t kChunk = int64_t{1} << 17;  // words a task: 1 MiB
    std::atomic<uint64_t> sum = 0;
    const double seconds = best_seconds(8, [&] {
        pool.run(kBytes / 8 / kChunk, [&](int64_t i) {
            sum ^= HWY_DYNAMIC_DISPATCH(ReadAll)(words + i * kChunk, words + (i + 1) * kChunk);
        });
    });
    return static_cast<double>(kBytes) / seconds * 1e-9;
}

double measure_fma(ThreadPool& pool) {
    std::vector<float> out(static_cast<size_t>(pool.num_threads()) * 16);
    std::atomic<int64_t> flops = 0;
    const double seconds = best_seconds(8, [&] {
        flops = 0;
        pool.run(pool.num_threads(), [&](int64_t i) {
            flops += static_cast<int64_t>(
                HWY_DYNAMIC_DISPATCH(MultiplyAdds)(5'000'000, &out[static_cast<size_t>(i) * 16]));
        });
    });
    return static_cast<double>(flops) / seconds * 1e-9;
}

struct GemmShape {
    int64_t N, Ci, Co;
};
constexpr GemmShape kGemmShapes[] = {{512, 2048, 4096}, {2048, 2048, 2048}, {1024, 4096, 2048}};

double measure_sgemm() {
    double best = 0;
    for (const auto& [N, Ci, Co] : kGemmShapes) {
        std::vector<float> x(static_cast<size_t>(N * Ci), 1.0f), out(static_cast<size_t>(N * Co));
        std::vector<float> weight(static_cast<size_t>(Ci * Co), 0.5f);
        const double seconds = best_seconds(6, [&, n = N, i = Ci, o = Co] {
            dnnl::sgemm('N', 'T', n, o, i, 1.0f, x.data(), i, weight.data(), i, 0.0f, out.data(),
                        o);
        });
        best = std::max(best, 2e-9 * static_cast<double>(N * Ci * Co) / seconds);
    }
    return best;
}

double measure_bf16_gemm() {
    using Memory = dnnl::memory;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    double best = 0;
    for (const auto& [N, Ci, Co] : kGemmShapes) {
        const auto bf16 = Memory::data_type::bf16;
        const Memory::desc x({N, Ci}, bf16, Memory::format_tag::ab);
        const Memory::desc weight({Ci, Co}, bf16, Memory::format_tag::any);
        const Memory::desc out({N, Co}, bf16, Memory::format_tag::ab);
        const dnnl::matmul::primitive_desc chosen(dnnl::matmul::desc(x, weight, out), engine);
        Memory x_memory(x, engine), out_memory(out, engine);
        Memory weight_memory(chosen.weights_desc(), engine);
        // 0x3F80 is 1 in bf16; a zero would do as well, the units take no shortcuts.
        for (Memory* memory : {&x_memory, &weight_memory})
            std::fill_n(static_cast<uint16_t*>(memory->get_data_handle()),
                        memory->get_desc().get_size() / 2, uint16_t{0x3F80});
        const dnnl::matmul matmul(chosen);
        const double seconds = best_seconds(6, [&] {
            matmul.execute(stream, {{DNNL_ARG_SRC, x_memory},
                                    {DNNL_ARG_WEIGHTS, weight_memory},
                                    {DNNL_ARG_DST, out_memory}});
            stream.wait();
        });
        best = std::max(best, 2e-9 * static_cast<double>(N * Ci * Co) / seconds);
    }
    return best;
}

}  // namespace

std::string Machine::describe() const {
    char line[256];
    std::snprintf(
        line, sizeof line,
        "%d threads; read %.1f GB/s; f32 multiply-add %.0f GFLOP/s; oneDNN gemm f32 %.0f, "
        "bf16 %.0f GFLOP/s",
        num_threads, read_gb_s, fma_gflop_s, gemm_f32_gflop_s, gemm_bf16_gflop_s);
    return line;
}

const Machine& machine() {
    static const Machine measured = [] {
        ThreadPool pool;
        Machine m;
        m.num_threads = pool.num_threads();
        m.read_gb_s = measure_read(pool);
        m.fma_gflop_s = measure_fma(pool);
        m.gemm_f32_gflop_s = measure_sgemm();
        m.gemm_bf16_gflop_s = measure_bf16_gemm();
        return m;
    }();
    return measured;
}

// Rates are amounts over real time, so benchmarks that report them use UseRealTime().
void report_bytes(benchmark::State& state, double bytes) {
    const auto rate = benchmark::Counter::kIsIterationInvariantRate;
    state.counters["GB_s"] = benchmark::Counter(bytes * 1e-9, rate);
    state.counters["of_bandwidth"] = benchmark::Counter(bytes * 1e-9 / machine().read_gb_s, rate);
}

void report_flops(benchmark::State& state, double flops, DType dtype) {
    const auto rate = benchmark::Counter::kIsIterationInvariantRate;
    state.counters["GFLOP_s"] = benchmark::Counter(flops * 1e-9, rate);
    state.counters["of_gemm_peak"] =
        benchmark::Counter(flops * 1e-9 / machine().gemm_gflop_s(dtype), rate);
}

}  // namespace saker::bench
#endif
