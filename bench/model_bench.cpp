// Whole models on the cpu backend through the engine's Loop: decode against the read bandwidth,
// prefill against the GEMM peak, the vision tower against the same.
//
// Random bf16 weights in memory, far larger than the caches, in shapes of the family: a dense
// decoder of about 1 G parameters (2 GB), and two layers of Qwen3-VL-30B-A3B's experts.
#include <benchmark/benchmark.h>

#include <memory>

#include "base/rng.h"
#include "bench/machine.h"
#include "engine/loop.h"
#include "models/qwen3_vl.h"

namespace saker::bench {
namespace {

// Weights from an arena filled with one pattern of random numbers, over and over: nothing of it is
// in cache when it is read, and filling takes a second.
class RandomSource : public WeightSource {
  public:
    RandomSource() : arena_(int64_t{16} << 30, Place::host()), pattern_(1 << 20) {
        const Rng rng("model_bench");
        for (size_t i = 0; i < pattern_.size(); ++i)
            pattern_[i] = Bf16::from(0.02f * rng.normal(i));
    }
    Tensor tensor(const std::string&, std::initializer_list<int64_t> shape) override {
        const Tensor t = arena_.take(DType::bf16, shape);
        auto* at = t.as<Bf16>();
        for (int64_t i = 0; i < t.num_elements(); i += static_cast<int64_t>(pattern_.size()))
            std::copy_n(
                pattern_.data(),
                std::min<int64_t>(static_cast<int64_t>(pattern_.size()), t.num_elements() - i),
                at + i);
        return t;
    }
    Loader::Experts experts(const std::string& prefix, int64_t E, int64_t F, int64_t C) override {
        return {tensor(prefix, {E, 2 * F, C}), tensor(prefix, {E, C, F})};
    }
    bool has(const std::string&) override { return true; }

  private:
    Arena arena_;
    std::vector<Bf16> pattern_;
};

Qwen3VlConfig shape_of(bool moe) {
    Qwen3VlConfig c;
    c.model_type = moe ? "qwen3_vl_moe" : "qwen3_vl";
    Qwen3VlTextConfig& t = c.text;
    t.vocab_size = moe ? 32768 : 65536;
    t.hidden_size = 2048;
    t.num_layers = moe ? 2 : 14;
    t.num_heads = moe ? 32 : 16;
    t.num_kv_heads = moe ? 4 : 8;
    t.head_dim = 128;
    t.max_context = 8192;
    t.rms_norm_eps = 1e-6;
    t.rope.theta = 5e6;
    t.rope.section[0] = 24, t.rope.section[1] = 20, t.rope.section[2] = 20;
    t.intermediate_size = 6144;
    if (moe) {
        t.num_experts = 128;
        t.num_experts_per_token = 8;
        t.moe_intermediate_size = 768;
    }
    Qwen3VlVisionConfig& v = c.vision;
    v.depth = 6;
    v.hidden_size = 1152;
    v.num_heads = 16;
    v.intermediate_size = 4304;
    v.out_hidden_size = 2048;
    v.patch_size = 16;
    v.temporal_patch_size = 2;
    v.merge_size = 2;
    v.grid_side = 48;
    v.deepstack_indexes = {2, 4};
    return c;
}

/// Weights of the linear layers that one token meets, head left out.
double active_weights(const Qwen3VlTextConfig& t) {
    const double attention =
        static_cast<double>(t.hidden_size * t.head_dim * (2 * t.num_heads + 2 * t.num_kv_heads));
    const double mlp = t.num_experts > 0
                           ? static_cast<double>(t.num_experts * t.hidden_size +
                                                 3 * t.num_experts_per_token *
                                                     t.moe_intermediate_size * t.hidden_size)
                           : static_cast<double>(3 * t.intermediate_size * t.hidden_size);
    return static_cast<double>(t.num_layers) * (attention + mlp);
}

struct Setup {
    Setup(bool moe, DType compute, int64_t chunk)
        : config(shape_of(moe)), model(config, source, compute) {
        Exec ex;
        ex.backend = Backend::cpu;
        ex.pool = &pool;
        EngineLimits limits;
        limits.max_context = 8192;
        limits.num_pages = pages_for(limits.max_context);
        limits.max_sequences = 4;
        limits.chunk_tokens = chunk;
        loop = std::make_unique<Loop>(model, limits, ex);
    }
    TokenChannel::Reader ask(int64_t num_prompt, int64_t max_tokens) {
        Prompt prompt;
        const Rng rng("prompt");
        for (int64_t i = 0; i < num_prompt; ++i)
            prompt.ids.emplace_back(
                static_cast<int32_t>(rng.bits(static_cast<uint64_t>(i)) %
                                     static_cast<uint64_t>(config.text.vocab_size)));
        Sampling sampling;
        sampling.temperature = 0;
        sampling.ignore_eos = true;
        sampling.max_tokens = max_tokens;
        auto [writer, reader] = TokenChannel::make();
        loop->add(std::move(prompt), sampling, std::move(writer));
        return std::move(reader);
    }
    ThreadPool pool;
    RandomSource source;
    Qwen3VlConfig config;
    Qwen3Vl model;
    std::unique_ptr<Loop> loop;
};

void decode(benchmark::State& state, bool moe) {
    Setup setup(moe, DType::bf16, 512);
    const auto reader = setup.ask(256, 7000);
    setup.loop->step();
    for (auto _ : state) setup.loop->step();
    const Qwen3VlTextConfig& t = setup.config.text;
    report_bytes(state,
                 2 * (active_weights(t) + static_cast<double>(t.vocab_size * t.hidden_size)));
    state.counters["tokens_s"] =
        benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
}

void prefill(benchmark::State& state, bool moe, DType compute) {
    constexpr int64_t kTokens = 512;
    Setup setup(moe, compute, kTokens);
    for (auto _ : state) {
        const auto reader = setup.ask(kTokens, 1);
        while (setup.loop->step()) {
        }
    }
    const Qwen3VlTextConfig& t = setup.config.text;
    const auto T = static_cast<double>(kTokens);
    const double attention =
        static_cast<double>(t.num_layers * t.num_heads * t.head_dim) * 2 * T * T;
    report_flops(state,
                 2 * T * active_weights(t) + attention +
                     2 * static_cast<double>(t.vocab_size * t.hidden_size),
                 compute);
    state.counters["tokens_s"] =
        benchmark::Counter(T, benchmark::Counter::kIsIterationInvariantRate);
}

void vision(benchmark::State& state, DType compute) {
    Setup setup(true, compute, 512);
    const Grid grid{32, 32};
    const int64_t M = grid.num_patches();
    const Qwen3VlVisionConfig& v = setup.config.vision;
    Arena scratch(int64_t{4} << 30, Place::host());
    Exec ex;
    ex.backend = Backend::cpu;
    ex.pool = &setup.pool;
    ex.scratch = &scratch;
    VisionBatch batch;
    batch.grids = std::span(&grid, 1);
    batch.pixels = scratch.take(DType::u8, {M, v.patch_elements()});
    std::fill_n(batch.pixels.as<uint8_t>(), batch.pixels.num_elements(), uint8_t{100});
    std::vector<Tensor> features;
    for (int level = 0; level < 3; ++level)
        features.push_back(scratch.take(compute, {M / 4, v.out_hidden_size}));
    for (auto _ : state) setup.model.encode(ex, batch, features);
    const double C = static_cast<double>(v.hidden_size),
                 F = static_cast<double>(v.intermediate_size);
    const double merged = 4 * C, rows = static_cast<double>(M);
    const double block = 4 * C * C + 2 * C * F + 2 * rows * C;
    report_flops(state,
                 2 * rows *
                         (static_cast<double>(v.depth) * block +
                          C * static_cast<double>(v.patch_elements())) +
                     2 * rows / 4 * 3 * merged * (merged + static_cast<double>(v.out_hidden_size)),
                 compute);
}

BENCHMARK_CAPTURE(decode, dense, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decode, experts, true)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prefill, dense_bf16, false, DType::bf16)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prefill, dense_f32, false, DType::f32)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prefill, experts_bf16, true, DType::bf16)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(vision, bf16, DType::bf16)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(vision, f32, DType::f32)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace saker::bench
