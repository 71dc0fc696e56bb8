// One stored order of the expert weights of Qwen3-VL-30B-A3B for every batch size? Times the
// fragment order at 1 to 16,384 tokens beside what would like another order, on the GPU of this
// machine.
//
//   expert_layout                             checks, ceilings, then every regime
//   expert_layout decode|streaming|prefill    the same, one regime
//   expert_layout check [experts [tokens]]    the checks alone, of a model with so many experts and
//                                             at most so many tokens
//   expert_layout profile                     a few launches, for a profiler
//
// Each check compares one layer's output with the slow twin in double, from poisoned buffers, with
// even and skewed routing and with experts that nobody chose. Each time is the median of graph
// replays that rotate through six layers (7 GB) and fresh routings; shares are of the bytes of the
// touched experts at the read ceiling, or of the arithmetic at the product ceiling, whichever is
// longer. The list of tiles is made on the host and not timed; gather and combine are, apart.
//
// Needs the CUDA toolkit and nothing else. The kernels are in bench/expert_layout/, the two orders
// of the grouped product in a source of their own each, which compile side by side.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "bench/expert_layout/ceilings.cuh"
#include "bench/expert_layout/decode.cuh"
#include "bench/expert_layout/launch.cuh"
#include "bench/expert_layout/reference.cuh"
#include "bench/expert_layout/routing.h"
#include "bench/expert_layout/rows.cuh"
#include "bench/expert_layout/tokens.cuh"
#include "ops/cuda_lane.h"
#include "tensor/cuda_check.h"
#include "tensor/device.h"
#include "tensor/graph.h"

namespace saker::expert_layout {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20, kGiB = int64_t{1} << 30;
constexpr int kMostTokens = 16384, kLayers = 6, kRounds = 5;
constexpr int kReadOnceTokens = 4096;  // beyond, weights had better stay in the cache
constexpr double kExpertBytes = 6.0 * kC * kF, kExpertNumbers = 3.0 * kC * kF;

/// What is compared: an order, and how many strips of 16 rows a block of it has.
struct Stored {
    Order order;
    int together;
    const char* name;
};
constexpr Stored kStored[] = {{Order::fragment, 2, "fragment 32"},
                              {Order::fragment, 4, "fragment 64"},
                              {Order::fragment, 8, "fragment 128"},
                              {Order::swizzled, 4, "swizzled 64"},
                              {Order::swizzled, 8, "swizzled 128"}};

constexpr int kWhole = 2;  // fragment 128

/// A routing on the device, ready for every kernel.
struct Plan {
    int tokens = 0, touched = 0, busiest = 0, num_tiles = 0, num_slots = 0;
    double padded = 0;  // columns multiplied for a used one
    int *experts = nullptr, *pairs = nullptr, *counts = nullptr;  // choices; tiles of each kind
    float* weights = nullptr;
    Choice* choices = nullptr;
    TokenTile* tiles = nullptr;
    Slot* slots = nullptr;
    int* slot_of_pair = nullptr;
};

class Trial {
  public:
    Trial(int experts, int layers, int most_checked)
        : experts_(experts),
          most_checked_(most_checked),
          arena_(layers * int64_t{1 + std::size(kStored)} * experts *
                         static_cast<int64_t>(kExpertBytes) +
                     6 * kGiB,
                 Place::cuda(0)),
          scratch_(64 * kMiB, Place::cuda(0)),
          stream_(0),
          lane_(0) {
        ex_.backend = Backend::cuda;
        ex_.scratch = &scratch_;
        ex_.stream = stream_.raw();
        ex_.cuda = &lane_;
        multiprocessors_ = device_facts(0).num_multiprocessors;
        sink_ = take<uint32_t>(64);
        for (int l = 0; l < layers; ++l) layers_.push_back(make_layer());
        // A tile pads by less than 16 columns; there are few beyond one an expert.
        const int64_t pairs = int64_t{kMostTokens} * kChosen,
                      slots = pairs + (experts + pairs / kMostTileColumns) * 16;
        x_ = take<Bf16>(int64_t{kMostTokens} * kC);
        tokens_ = take<Bf16>(slots * kC);
        h_ = take<Bf16>(slots * kF);
        rows_ = take<Bf16>(slots * kC);
        out_ = take<Bf16>(int64_t{kMostTokens} * kC);
        for (uint32_t*& words : words_) {
            constexpr int kWords = kMostDecodeTokens * kChosen * kF;
            words = take<uint32_t>(kWords);
            CUDA_CHECK(cudaMemsetAsync(words, 0, kWords * sizeof(uint32_t), stream()));
        }
        product_[0] = take<Bf16>(8192 * 8192);
        product_[1] = take<Bf16>(8192 * 8192);
        product_[2] = take<Bf16>(8192 * 8192);
        fill(x_, int64_t{kMostTokens} * kC, 1.7f);
        fill(product_[0], 8192 * 8192, 1.7f);
        fill(product_[1], 8192 * 8192, 0.04f);
        CUDA_CHECK(cudaFuncSetAttribute(read_through_rings,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
        stream_.synchronize();
    }

    bool check();
    /// `part`: decode, streaming, prefill, or empty for all.
    void measure(const std::string& part);
    void profile();

  private:
    struct Layer {
        Bf16 *up_rows, *down_rows;
        Ready up[std::size(kStored)], down[std::size(kStored)];
    };
    struct Rings {
        int up_depth, down_depth;
    };
    struct Parts {
        bool up = true, down = true, around = false, dependent = true;
        int read_once = -1;  // by the number of tokens
    };

    template <class T>
    T* take(int64_t n) {
        return static_cast<T*>(const_cast<void*>(static_cast<const void*>(
            arena_.take(DType::u8, {n * static_cast<int64_t>(sizeof(T))}).raw())));
    }
    template <class T>
    T* take_copy(const std::vector<T>& numbers) {
        T* const at = take<T>(static_cast<int64_t>(numbers.size()));
        CUDA_CHECK(cudaMemcpyAsync(at, numbers.data(), numbers.size() * sizeof(T),
                                   cudaMemcpyHostToDevice, stream()));
        stream_.synchronize();
        return at;
    }
    cudaStream_t stream() const { return static_cast<cudaStream_t>(ex_.stream); }
    /// Launches a kernel that may start while the one before it ends.
    template <class... P, class... A>
    void launch(void (*kernel)(P...), int64_t blocks, int threads, int shared_bytes, A... a) {
        launch_dependent(kernel, blocks, threads, shared_bytes, 1, true, stream(),
                         static_cast<P>(a)...);
    }
    void fill(Bf16* at, int64_t n, float size) {
        fill_random<<<4096, 256, 0, stream()>>>(at, n, size, ++seed_ << 40);
        CUDA_CHECK(cudaGetLastError());
    }
    void poison(void* at, int64_t bytes) {
        CUDA_CHECK(cudaMemsetAsync(at, 0xFF, static_cast<size_t>(bytes), stream()));
    }

    Layer make_layer();
    template <bool UP>
    Ready make_order(const Stored& stored, const Bf16* from);
    Plan make_plan(const Routing& routing);

    void run_decode(const Plan& p, const Plan& next, const Layer& l, int stored, Rings r);
    void run_decode_both(const Plan& p, const Plan& next, const Layer& l, int stored, int depth,
                         int step, long long* trace = nullptr);
    void run_rows(const Plan& p, const Plan& next, const Layer& l, int down_threads);
    void trace_decode_both();
    void run_grouped(const Plan& p, const Layer& l, int stored) { run_grouped(p, l, stored, {}); }
    void run_grouped(const Plan& p, const Layer& l, int stored, Parts parts);
    void run_gather(const Plan& p);
    void run_combine(const Plan& p);

    int error_of(const Plan& p, const char* what, FunctionRef<void()> run);
    double time_us(int steps, FunctionRef<void(int)> run, double total_ms = 250);
    void measure_reading();
    double product_tflops(double total_ms);
    void measure_decode(int tokens);
    void measure_grouped(int tokens, Taste taste);

    int experts_, most_checked_, multiprocessors_ = 0;
    Arena arena_, scratch_;
    Stream stream_;
    CudaLane lane_;
    Exec ex_;
    uint64_t seed_ = 0;
    int checks_ = 0;
    std::vector<Layer> layers_;
    Bf16 *x_, *tokens_, *h_, *rows_, *out_, *product_[3];
    uint32_t* words_[2];
    uint32_t* sink_;
    double read_tbps_ = 0, peak_tflops_ = 0;
};

template <bool UP>
Ready Trial::make_order(const Stored& stored, const Bf16* from) {
    const int64_t numbers = int64_t{experts_} * kRows<UP> * kColumns<UP>, pieces = numbers / 8;
    Bf16* const to = take<Bf16>(numbers);
    poison(to, numbers * 2);
    const auto make = stored.order == Order::fragment ? make_ready<Order::fragment, UP>
                                                      : make_ready<Order::swizzled, UP>;
    make<<<static_cast<unsigned>(pieces / 256), 256, 0, stream()>>>(to, from, stored.together,
                                                                    pieces);
    CUDA_CHECK(cudaGetLastError());
    int* const lost = reinterpret_cast<int*>(sink_);
    CUDA_CHECK(cudaMemsetAsync(lost, 0, sizeof(int), stream()));
    count_lost<UP><<<static_cast<unsigned>(numbers / 256), 256, 0, stream()>>>(
        to, from, stored.order, stored.together, numbers, lost);
    CUDA_CHECK(cudaGetLastError());
    int count = -1;
    CUDA_CHECK(cudaMemcpyAsync(&count, lost, sizeof count, cudaMemcpyDeviceToHost, stream()));
    stream_.synchronize();
    CHECK(count == 0, "a stored order loses numbers");
    return {to, std::countr_zero(static_cast<unsigned>(stored.together))};
}

Trial::Layer Trial::make_layer() {
    const int64_t up = int64_t{experts_} * 2 * kF * kC, down = up / 2;
    Layer l = {};
    l.up_rows = take<Bf16>(up);
    l.down_rows = take<Bf16>(down);
    fill(l.up_rows, up, 0.04f);
    fill(l.down_rows, down, 0.06f);
    for (size_t i = 0; i < std::size(kStored); ++i) {
        l.up[i] = make_order<true>(kStored[i], l.up_rows);
        l.down[i] = make_order<false>(kStored[i], l.down_rows);
    }
    return l;
}

Plan Trial::make_plan(const Routing& r) {
    std::vector<std::vector<int>> pairs_of(experts_);
    const int num_pairs = r.tokens * kChosen;
    for (int p = 0; p < num_pairs; ++p) pairs_of[r.experts[p]].push_back(p);
    Plan plan;
    plan.tokens = r.tokens;
    for (const auto& pairs : pairs_of) {
        plan.touched += !pairs.empty();
        plan.busiest = std::max(plan.busiest, static_cast<int>(pairs.size()));
    }

    std::vector<Choice> choices;
    std::vector<int> pairs;
    std::vector<TokenTile> tiles;
    for (int e = 0; e < experts_; ++e) {
        const int count = static_cast<int>(pairs_of[e].size());
        if (count == 0) continue;
        choices.push_back({e, static_cast<int>(pairs.size()), count});
        pairs.insert(pairs.end(), pairs_of[e].begin(), pairs_of[e].end());
        const int parts = (count + kMostTileColumns - 1) / kMostTileColumns;
        const int columns = ((count + parts - 1) / parts + 15) / 16 * 16;
        for (int done = 0; done < count; done += columns)
            tiles.push_back({e, columns, done, std::min(columns, count - done), 0, 0, 0});
    }
    // Wide tiles first: clusters take items in turn, and the last ones should be short.
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const TokenTile& a, const TokenTile& b) { return a.columns > b.columns; });
    std::vector<Slot> slots;
    std::vector<int> slot_of_pair(static_cast<size_t>(num_pairs));
    std::vector<int> counts = {static_cast<int>(choices.size()), 0, 0, 0};
    for (TokenTile& tile : tiles) {
        choose_ring(tile);
        ++counts[tile.height == 2 ? 2 : tile.columns > 16 ? 1 : 3];
        const int done = tile.first, first = static_cast<int>(slots.size());
        for (int row = 0; row < tile.columns; ++row) {
            const int pair = row < tile.count ? pairs_of[tile.expert][done + row] : -1;
            if (pair >= 0) slot_of_pair[pair] = static_cast<int>(slots.size());
            slots.push_back({pair, first, tile.columns, row});
        }
        tile.first = first;
    }
    plan.num_tiles = static_cast<int>(tiles.size());
    plan.num_slots = static_cast<int>(slots.size());
    plan.padded = 1.0 * plan.num_slots / num_pairs;
    plan.experts = take_copy(r.experts);
    plan.pairs = take_copy(pairs);
    plan.weights = take_copy(r.weights);
    plan.choices = take_copy(choices);
    plan.tiles = take_copy(tiles);
    plan.slots = take_copy(slots);
    plan.slot_of_pair = take_copy(slot_of_pair);
    plan.counts = take_copy(counts);
    return plan;
}

NextChoices next_of(const Plan& p) {
    return {p.choices, p.counts, p.pairs, p.weights};
}

void Trial::run_decode(const Plan& p, const Plan& next, const Layer& l, int stored, Rings r) {
    DecodeArgs a = {l.up[stored], nullptr, x_,       p.choices,  p.counts,     p.pairs,
                    p.weights,    h_,      p.tokens, r.up_depth, next_of(next)};
    launch(decode_up, multiprocessors_, kUpWarps * 32, decode_up_shared_bytes(r.up_depth, p.tokens),
           a);
    a.weights = l.down[stored];
    a.in = h_;
    a.out = out_;
    a.depth = r.down_depth;
    launch(decode_down, kC / 16, kDownWarps * 32, decode_down_shared_bytes(r.down_depth, p.tokens),
           a);
}

void Trial::run_decode_both(const Plan& p, const Plan& next, const Layer& l, int stored, int depth,
                            int step, long long* trace) {
    const DecodeBothArgs a = {
        l.up[stored],     l.down[stored],       x_,   p.choices, p.counts, p.pairs,       p.weights,
        words_[step % 2], words_[1 - step % 2], out_, p.tokens,  depth,    next_of(next), trace};
    launch(decode_both, multiprocessors_, kUpWarps * 32, decode_both_shared_bytes(depth, p.tokens),
           a);
}

void Trial::run_rows(const Plan& p, const Plan& next, const Layer& l, int down_threads) {
    DecodeArgs a = {{},        l.up_rows, x_,       p.choices, p.counts,     p.pairs,
                    p.weights, h_,        p.tokens, 0,         next_of(next)};
    launch(rows_up, 2 * multiprocessors_, 256, rows_up_shared_bytes(p.tokens), a);
    a.rows = l.down_rows;
    a.in = h_;
    a.out = out_;
    launch(rows_down, kC / 16, down_threads, rows_down_shared_bytes(p.tokens), a);
}

void Trial::run_grouped(const Plan& p, const Layer& l, int stored, Parts parts) {
    GroupedArgs a = {};
    a.tiles = p.tiles;
    a.num_tiles = p.counts + 1;

    a.read_once = parts.read_once < 0 ? p.tokens <= kReadOnceTokens : parts.read_once;
    a.dependent = parts.dependent;
    a.always = 1;
    const int blocks = multiprocessors_ / 2 * 2;
    const auto launch_grouped = kStored[stored].order == Order::fragment ? launch_grouped_fragment
                                                                         : launch_grouped_swizzled;
    if (parts.up) {
        a.weights = l.up[stored];
        a.tokens = tokens_;
        a.out = h_;
        launch_grouped(true, a, blocks, stream());
    }
    if (parts.down) {
        a.weights = l.down[stored];
        a.tokens = h_;
        a.out = rows_;
        launch_grouped(false, a, blocks, stream());
    }
}

void Trial::run_gather(const Plan& p) {
    launch(gather, (p.num_slots + 3) / 4, 256, 0, tokens_, x_, p.slots, p.num_slots);
}
void Trial::run_combine(const Plan& p) {
    launch(combine, p.tokens, 256, 0, out_, rows_, p.slot_of_pair, p.weights);
}

/// 1 where one run over poisoned buffers is wrong or leaves a number unwritten, else 0.
int Trial::error_of(const Plan& p, const char* what, FunctionRef<void()> run) {
    const int64_t mark = arena_.mark();
    const int64_t pairs = int64_t{p.tokens} * kChosen, numbers = int64_t{p.tokens} * kC;
    Bf16* const h = take<Bf16>(pairs * kF);
    float* const wanted = take<float>(numbers);
    double* const sums = take<double>(3);
    const Layer& l = layers_[0];
    reference_up<<<static_cast<unsigned>(pairs * kF / 8), 256, 0, stream()>>>(
        h, x_, p.experts, l.up_rows, pairs * kF);
    reference_down<<<static_cast<unsigned>(numbers / 8), 256, 0, stream()>>>(
        wanted, h, p.experts, p.weights, l.down_rows, numbers);
    CUDA_CHECK(cudaGetLastError());
    poison(out_, numbers * 2);
    poison(h_, p.num_slots * int64_t{kF} * 2 + 64 * 1024);
    poison(tokens_, p.num_slots * int64_t{kC} * 2);
    poison(rows_, p.num_slots * int64_t{kC} * 2);
    run();
    CUDA_CHECK(cudaMemsetAsync(sums, 0, 3 * sizeof(double), stream()));
    compare<<<256, 256, 0, stream()>>>(sums, out_, wanted, numbers);
    CUDA_CHECK(cudaGetLastError());
    double host[3] = {};
    CUDA_CHECK(cudaMemcpyAsync(host, sums, sizeof host, cudaMemcpyDeviceToHost, stream()));
    stream_.synchronize();
    arena_.rewind(mark);
    ++checks_;
    const double error = std::sqrt(host[0] / host[1]);
    std::printf("check %6d tokens, %3d experts, busiest %5d: %-18s error %.2e%s\n", p.tokens,
                p.touched, p.busiest, what, error,
                host[2] > 0     ? ", NUMBERS MISSING"
                : error <= 1e-2 ? ""
                                : ", WRONG");
    std::fflush(stdout);
    return host[2] > 0 || !(error <= 1e-2) ? 1 : 0;
}

constexpr int kChecked[] = {1, 2, 3, 8, 33, 64, 500, 1024, 4096};

bool Trial::check() {
    int wrong = 0;

    for (int tokens : kChecked)
        for (Taste taste : {Taste::even, Taste::skewed, Taste::unanimous}) {
            if (tokens > most_checked_ || (tokens > 1024 && taste == Taste::unanimous)) continue;
            const int64_t mark = arena_.mark();
            const Plan p = make_plan(make_routing(tokens, experts_, taste, 7 + tokens));
            const Layer& l = layers_[0];
            for (int i = 0; i < static_cast<int>(std::size(kStored)); ++i) {
                const std::string name = kStored[i].name;
                if (tokens <= kMostDecodeTokens && kStored[i].order == Order::fragment)
                    for (Rings r : {Rings{3, 3}, Rings{2, 4}, Rings{4, 2}})
                        if (decode_down_shared_bytes(r.down_depth, tokens) <= 227 * 1024)
                            wrong += error_of(p, ("decode " + name).c_str(),
                                              [&] { run_decode(p, p, l, i, r); });
                if (tokens <= kMostDecodeTokens && kStored[i].order == Order::fragment)
                    for (int depth : {2, 3, 4, 5})
                        if (decode_both_shared_bytes(depth, tokens) <= 227 * 1024)
                            wrong += error_of(p, ("decode both " + name).c_str(), [&] {
                                for (int step = 0; step < 2; ++step)
                                    run_decode_both(p, p, l, i, depth, step);
                            });
                wrong += error_of(p, ("grouped " + name).c_str(), [&] {
                    run_gather(p);
                    run_grouped(p, l, i);
                    run_combine(p);
                });
            }
            if (tokens <= kMostDecodeTokens)
                wrong += error_of(p, "decode rows", [&] { run_rows(p, p, l, 512); });
            arena_.rewind(mark);
        }
    std::printf("checks: %d wrong of %d\n", wrong, checks_);
    return wrong == 0;
}

/// Median microseconds of one of `steps` calls of `run(i)`, replayed as one graph.
double Trial::time_us(int steps, FunctionRef<void(int)> run, double total_ms) {
    const auto all = [&] {
        for (int i = 0; i < steps; ++i) run(i);
    };
    all();
    stream_.synchronize();
    Graph graph;
    graph.capture(ex_, all);
    graph.replay(ex_);
    Event start, end;
    std::vector<double> times;
    double total = 0;
    while (times.size() < 9 || (total < total_ms && times.size() < 500)) {
        start.record(ex_.stream);
        graph.replay(ex_);
        end.record(ex_.stream);
        end.synchronize();
        times.push_back(end.elapsed_ms_since(start));
        total += times.back();
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2] * 1e3 / steps;
}

void Trial::measure_reading() {
    const int64_t layer = int64_t{experts_} * 2 * kF * kC * 2;                // gate_up
    const int64_t all = layer / 2 * 3 * int64_t{1 + std::size(kStored)} * 2;  // of two layers
    const Bf16* const first = layers_[0].up_rows;
    const auto report = [&](const std::string& what, int64_t bytes, bool is_ceiling,
                            FunctionRef<void(int)> run) {
        const double tbps = static_cast<double>(bytes) / time_us(kLayers, run) / 1e6;
        if (is_ceiling) read_tbps_ = std::max(read_tbps_, tbps);
        std::printf("ceiling: read %-50s %.3f TB/s\n", what.c_str(), tbps);
    };
    const auto plainly = [&](const Bf16* from, int64_t bytes) {
        read_plainly<<<static_cast<unsigned>(bytes / 32768), 256, 0, stream()>>>(
            reinterpret_cast<const uint4*>(from), sink_);
        CUDA_CHECK(cudaGetLastError());
    };
    const auto by_rings = [&](const Bf16* from, int64_t bytes, int64_t wrap, int depth,
                              int side_by_side) {
        using Ring = WarpRing<kUpTiles>;
        read_through_rings<<<multiprocessors_, 256, 8 * depth*(Ring::kBytes + 8), stream()>>>(
            from, bytes / Ring::kBytes, std::min(bytes, wrap) / Ring::kBytes, depth, side_by_side,
            sink_);
        CUDA_CHECK(cudaGetLastError());
    };
    report("plainly, a layer", layer, true, [&](int i) { plainly(layers_[i].up_rows, layer); });
    report("plainly, 14 GB", all, true, [&](int) { plainly(first, all); });
    for (int depth : {2, 3, 6})
        for (int side_by_side : {0, 1}) {
            const std::string name = " by rings of " + std::to_string(depth) +
                                     (side_by_side ? ", blocks side by side" : ", blocks apart");
            report("a layer" + name, layer, true,
                   [&](int i) { by_rings(layers_[i].up_rows, layer, all, depth, side_by_side); });
            if (depth == 6)
                report("14 GB" + name, all, true,
                       [&](int) { by_rings(first, all, all, depth, side_by_side); });
        }
    for (int64_t mib : {8, 24})
        report(std::to_string(mib) + " MiB of L2 again and again", layer, false,
               [&](int) { by_rings(first, layer, mib * kMiB, 6, 1); });
    std::fflush(stdout);
}

double Trial::product_tflops(double total_ms) {
    const auto matrix = [&](Bf16* at) {
        return Tensor(at, DType::bf16, {8192, 8192}, Place::cuda(0));
    };
    const Tensor x = matrix(product_[0]), w = matrix(product_[1]), y = matrix(product_[2]);
    const double us = time_us(
        10, [&](int) { lane_.matmul(ex_, y, x, w, {}); }, total_ms);
    return 2.0 * 8192 * 8192 * 8192 / us / 1e6;
}

double median_of(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/// Where one token's time goes in decode_both: the blocks' mean and last times since the mean block
/// went on, over the last replay of a chain.
void Trial::trace_decode_both() {
    constexpr int kSteps = 48;
    const int64_t mark = arena_.mark();
    std::vector<Plan> plans;
    for (int i = 0; i < kSteps; ++i)
        plans.push_back(make_plan(make_routing(1, experts_, Taste::even, 1000 + i)));
    long long* const trace = take<long long>(int64_t{kSteps} * multiprocessors_ * 8);
    time_us(kSteps, [&](int i) {
        run_decode_both(plans[i], plans[(i + 1) % kSteps], layers_[i % kLayers], kWhole, 4, i,
                        trace + int64_t{i} * multiprocessors_ * 8);
    });
    std::vector<long long> times(static_cast<size_t>(kSteps * multiprocessors_ * 8));
    CUDA_CHECK(cudaMemcpyAsync(times.data(), trace, times.size() * sizeof times[0],
                               cudaMemcpyDeviceToHost, stream()));
    stream_.synchronize();
    const char* const names[] = {"began",      "may go on",    "asked for weights", "first piece",
                                 "up is done", "first h came", "down is done",      "written"};
    const int half = kC / 16;  // blocks with rows of down
    for (int i = 0; i < 8; ++i) {
        double mean = 0, last = 0;
        for (int step = 1; step < kSteps; ++step) {
            const long long* const of_step = times.data() + int64_t{step} * multiprocessors_ * 8;
            double from = 0, sum = 0;
            long long latest = INT64_MIN;
            for (int b = 0; b < half; ++b) {
                from += static_cast<double>(of_step[b * 8 + 1] - of_step[1]) / half;
                sum += static_cast<double>(of_step[b * 8 + i] - of_step[1]) / half;
                latest = std::max(latest, of_step[b * 8 + i] - of_step[1]);
            }
            mean += (sum - from) / (kSteps - 1);
            last += (static_cast<double>(latest) - from) / (kSteps - 1);
        }
        std::printf("one token, one kernel: %-18s mean %6.2f us, last block %6.2f us\n", names[i],
                    mean / 1e3, last / 1e3);
    }
    arena_.rewind(mark);
}

void Trial::measure_decode(int tokens) {
    constexpr int kSteps = 48;
    const int64_t mark = arena_.mark();
    std::vector<Plan> plans;
    double touched = 0;
    for (int i = 0; i < kSteps; ++i) {
        plans.push_back(make_plan(make_routing(tokens, experts_, Taste::even, 1000 + i)));
        touched += 1.0 * plans.back().touched / kSteps;
    }
    const double floor = touched * kExpertBytes / read_tbps_ / 1e6;
    const auto report = [&](const std::string& what, double share, double us) {
        std::printf("batch %d, %.1f experts: %-46s %7.2f us, floor %6.2f, %3.0f %%\n", tokens,
                    touched, what.c_str(), us, floor * share, 100 * floor * share / us);
        std::fflush(stdout);
    };
    const auto next = [&](int i) -> const Plan& { return plans[(i + 1) % kSteps]; };
    const auto layer = [&](int i) -> const Layer& { return layers_[i % kLayers]; };
    struct Row {
        std::string what;
        double share;
        std::function<void(int)> run;
        std::vector<double> us;
    };
    std::vector<Row> rows;
    for (int stored = 0; kStored[stored].order == Order::fragment; ++stored) {
        const std::string name = kStored[stored].name;
        for (Rings r : {Rings{2, 4}, Rings{3, 4}}) {
            if (decode_down_shared_bytes(r.down_depth, tokens) > 227 * 1024) continue;
            rows.push_back(
                {name + ", two kernels, rings of " + std::to_string(r.up_depth) + " and " +
                     std::to_string(r.down_depth),
                 1,
                 [&, stored, r](int i) { run_decode(plans[i], next(i), layer(i), stored, r); },
                 {}});
        }
        for (int depth : {2, 3, 4, 5})
            if (decode_both_shared_bytes(depth, tokens) <= 227 * 1024)
                rows.push_back({name + ", one kernel, rings of " + std::to_string(depth),
                                1,
                                [&, stored, depth](int i) {
                                    run_decode_both(plans[i], next(i), layer(i), stored, depth, i);
                                },
                                {}});
    }
    for (int threads : {256, 512})
        rows.push_back({"rows, down " + std::to_string(threads) + " threads",
                        1,
                        [&, threads](int i) { run_rows(plans[i], next(i), layer(i), threads); },
                        {}});
    if (tokens >= 4)
        for (int stored : {2, 4})
            rows.push_back(
                {std::string("grouped ") + kStored[stored].name + ", with gather and combine",
                 1,
                 [&, stored](int i) {
                     run_gather(plans[i]);
                     run_grouped(plans[i], layer(i), stored);
                     run_combine(plans[i]);
                 },
                 {}});
    for (int round = 0; round < kRounds; ++round)
        for (Row& row : rows)
            row.us.push_back(time_us(
                kSteps, [&](int i) { row.run(i); }, 100));
    for (const Row& row : rows) report(row.what, row.share, median_of(row.us));
    arena_.rewind(mark);
}

void Trial::measure_grouped(int tokens, Taste taste) {
    const int steps = tokens > 4096 ? kLayers : 2 * kLayers;
    const int64_t mark = arena_.mark();
    std::vector<Plan> plans;
    double touched = 0, padded = 0;
    for (int i = 0; i < steps; ++i) {
        plans.push_back(make_plan(make_routing(tokens, experts_, taste, 2000 + i)));
        touched += 1.0 * plans.back().touched / steps;
        padded += plans.back().padded / steps;
    }
    const double reading = touched * kExpertBytes / read_tbps_ / 1e6;
    const double flops = 2.0 * tokens * kChosen * kExpertNumbers;
    const double floor = std::max(reading, flops / peak_tflops_ / 1e6);
    const auto report = [&](const std::string& what, double share, double us) {
        std::printf(
            "%5d tokens%s, %.1f experts, padding %.2f: %-34s %8.1f us, floor %7.1f, %3.0f %%, "
            "%4.0f "
            "TFLOP/s\n",
            tokens, taste == Taste::even ? "" : " skewed", touched, padded, what.c_str(), us,
            floor * share, 100 * floor * share / us, flops * share / us / 1e6);
        std::fflush(stdout);
    };
    const auto layer = [&](int i) -> const Layer& { return layers_[i % kLayers]; };
    for (int i = 0; i < steps; ++i) run_gather(plans[i]);  // real numbers in every token tile
    // In turns, so that the clock is the same for all.
    struct Row {
        std::string what;
        double share;
        std::function<void(int)> run;
        std::vector<double> us;
    };
    std::vector<Row> rows;
    const auto add = [&](const std::string& what, double share, int stored, Parts parts) {
        rows.push_back({kStored[stored].name + what,
                        share,
                        [&, stored, parts](int i) {
                            if (parts.around) run_gather(plans[i]);
                            run_grouped(plans[i], layer(i), stored, parts);
                            if (parts.around) run_combine(plans[i]);
                        },
                        {}});
    };
    for (int stored = 1; stored < static_cast<int>(std::size(kStored)); ++stored) {
        add(", up", 2.0 / 3, stored, {.down = false});
        add(", down", 1.0 / 3, stored, {.up = false});
        add(", up and down", 1, stored, {});
    }
    if (tokens >= 1024)
        add(", other cache policy", 1, kWhole, {.read_once = tokens > kReadOnceTokens});
    add(", plain launches", 1, kWhole, {.dependent = false});
    add(", gather, combine", 1, kWhole, {.around = true});
    std::vector<double> peaks;
    for (int round = 0; round < kRounds; ++round) {
        for (Row& row : rows)
            row.us.push_back(time_us(
                steps, [&](int i) { row.run(i); }, 60));
        if (tokens >= 1024) peaks.push_back(product_tflops(100));
    }

    for (const Row& row : rows) report(row.what, row.share, median_of(row.us));
    if (!peaks.empty())
        std::printf("      product 8192^3 between these rounds: %.0f TFLOP/s\n", median_of(peaks));
    arena_.rewind(mark);
}

void Trial::measure(const std::string& part) {
    const auto wanted = [&](const char* name) { return part.empty() || part == name; };
    measure_reading();
    const double cold = product_tflops(50);
    product_tflops(3000);
    peak_tflops_ = product_tflops(300);
    std::printf("ceiling: product 8192^3 bf16, at first %.0f, after three seconds %.0f TFLOP/s\n",
                cold, peak_tflops_);
    const double stored_us = time_us(
        kLayers,
        [&](int i) {
            const int64_t pieces = int64_t{experts_} * 2 * kF * kC / 8;
            make_ready<Order::fragment, true>
                <<<static_cast<unsigned>(pieces / 256), 256, 0, stream()>>>(
                    const_cast<Bf16*>(layers_[i].up[kWhole].numbers), layers_[i].up_rows,
                    kStored[kWhole].together, pieces);
            CUDA_CHECK(cudaGetLastError());
        },
        100);
    std::printf("storing gate_up of a layer in fragment 128: %.0f us, %.2f TB/s read and written\n",
                stored_us, experts_ * 8.0 * kF * kC / stored_us / 1e6);
    if (wanted("decode")) {
        for (int tokens : {1, 2, 4, 8}) measure_decode(tokens);
        trace_decode_both();
    }
    if (wanted("streaming")) {
        for (int tokens : {4, 8, 16, 32, 64, 128, 256, 512}) measure_grouped(tokens, Taste::even);
        for (int tokens : {64, 256}) measure_grouped(tokens, Taste::skewed);
    }
    if (wanted("prefill")) {
        for (int tokens : {1024, 4096, 16384}) measure_grouped(tokens, Taste::even);
        measure_grouped(4096, Taste::skewed);
    }
    read_tbps_ = 0;
    measure_reading();
}

void Trial::profile() {
    for (int tokens : {64, 1024, 4096}) {
        const Plan p = make_plan(make_routing(tokens, experts_, Taste::even, 2000));
        run_gather(p);
        for (int stored : {2, 4}) run_grouped(p, layers_[0], stored);
        run_combine(p);
    }
    const Plan p = make_plan(make_routing(1, experts_, Taste::even, 1000));
    for (int stored : {0, 2}) run_decode(p, p, layers_[0], stored, {3, 4});
    stream_.synchronize();
}

}  // namespace
}  // namespace saker::expert_layout

int main(int argc, char** argv) {
    using namespace saker;
    if (num_devices() == 0) {
        std::fprintf(stderr, "expert_layout: no GPU here\n");
        return 3;
    }
    const std::string part = argc > 1 ? argv[1] : "";
    const bool check_alone = part == "check";
    const int experts = argc > 2 ? std::atoi(argv[2]) : 128;
    const DeviceFacts facts = device_facts(0);
    std::printf("# %s, %d multiprocessors\n", facts.name.c_str(), facts.num_multiprocessors);
    const bool one_layer = check_alone || part == "profile";
    const int most_checked = argc > 3 ? std::atoi(argv[3]) : expert_layout::kMostTokens;
    expert_layout::Trial trial(experts, one_layer ? 1 : expert_layout::kLayers, most_checked);
    if (part == "profile") {
        trial.profile();
        return 0;
    }
    if (!trial.check()) return 1;
    if (!check_alone) trial.measure(part);
    return 0;
}
