// Times the cuda ops on the GPU of this machine, beside the ceilings measured in the same run:
// copying, reading, and the largest matrix product.
//
//   cuda_bench [part of a name]      prints CSV: one line an op and shape, the median of the
//   replays
//
// Each line is a graph of launches that rotate through inputs of at least a gigabyte, so that
// nothing comes from the 60 MB of L2, filled with random numbers (zeros are faster and tell
// nothing). A plain main: the machines with a GPU have no Google Benchmark. Built wherever CUDA is.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "ops/cuda-inl.h"
#include "ops/cuda_lane.h"
#include "ops/embed/embed.h"
#include "ops/linear/linear.h"
#include "ops/rms_norm/rms_norm.h"
#include "ops/rope/rope.h"
#include "tensor/device.h"
#include "tensor/graph.h"

namespace saker {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20, kGiB = int64_t{1} << 30;

/// Uniform in [-1, 1), a new number each index (the finaliser of SplitMix64).
template <class T>
__global__ void fill_random(T* out, int64_t n, uint64_t seed) {
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        uint64_t z = seed + static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        out[i] = cuda::narrow<T>(static_cast<float>(z >> 40) * 0x1p-23f - 1.0f);
    }
}

__global__ void fill_ids(int32_t* out, int64_t n, uint32_t below, uint64_t seed) {
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        uint64_t z = seed + static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        out[i] = static_cast<int32_t>((z >> 33) % below);
    }
}

/// Copies everything; 32 KB a block, 8 loads of 16 bytes a thread in flight.
__global__ void __launch_bounds__(256) copy_all(const uint4* from, uint4* to) {
    const int64_t at = static_cast<int64_t>(blockIdx.x) * 2048 + threadIdx.x;
    uint4 v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = from[at + i * 256];
#pragma unroll
    for (int i = 0; i < 8; ++i) to[at + i * 256] = v[i];
}

/// Reads everything, in the same way.
__global__ void __launch_bounds__(256) read_all(const uint4* from, uint32_t* out) {
    const uint4* at = from + static_cast<int64_t>(blockIdx.x) * 2048 + threadIdx.x;
    uint4 v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = at[i * 256];
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    if (sum == 0x12345678u) *out = sum;  // keeps the loads
}

class Bench {
  public:
    Bench(std::string wanted, int64_t arena_bytes)
        : wanted_(std::move(wanted)),
          arena_(arena_bytes, Place::cuda(0)),
          scratch_(kGiB, Place::cuda(0)),
          stream_(0),
          lane_(0) {
        ex.backend = Backend::cuda;
        ex.scratch = &scratch_;
        ex.stream = stream_.raw();
        ex.cuda = &lane_;
    }

    Tensor random(DType dtype, std::initializer_list<int64_t> dims) {
        const Tensor t = arena_.take(dtype, dims);
        const int64_t n = t.num_elements();
        if (dtype == DType::bf16)
            CUDA_CHECK(
                cuda::launch(fill_random<Bf16>, 4096, 256, ex.stream, t.as<Bf16>(), n, ++seed_));
        else
            CUDA_CHECK(
                cuda::launch(fill_random<float>, 4096, 256, ex.stream, t.as<float>(), n, ++seed_));
        return t;
    }
    Tensor ids(int64_t n, int64_t below) {
        const Tensor t = arena_.take(DType::i32, {n});
        CUDA_CHECK(cuda::launch(fill_ids, 64, 256, ex.stream, t.as<int32_t>(), n, below, ++seed_));
        return t;
    }
    Tensor output(DType dtype, std::initializer_list<int64_t> dims) {
        return arena_.take(dtype, dims);
    }

    bool wants(const std::string& name) const { return name.find(wanted_) != std::string::npos; }
    void forget_tensors() {
        stream_.synchronize();
        arena_.reset();
    }

    /// Median microseconds of one of `launches` calls of `run(i)`, replayed as one graph.
    double time_us(int launches, FunctionRef<void(int)> run) {
        const auto step = [&] {
            for (int i = 0; i < launches; ++i) run(i);
        };
        step();
        stream_.synchronize();
        Graph graph;
        graph.capture(ex, step);
        graph.replay(ex);
        Event start, end;
        std::vector<double> times;
        double total_ms = 0;
        while (times.size() < 7 || (total_ms < 60 && times.size() < 200)) {
            start.record(ex.stream);
            graph.replay(ex);
            end.record(ex.stream);
            end.synchronize();
            times.push_back(end.elapsed_ms_since(start));
            total_ms += times.back();
        }
        std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
        return times[times.size() / 2] * 1e3 / launches;
    }

    /// One line: bytes that must be moved and operations, against what they are bound by.
    void report(const std::string& name, double us, double bytes, double flops,
                double ceiling_gbps) {
        const double gbps = bytes / us / 1e3, tflops = flops / us / 1e6;
        std::printf("%s,%.2f,%.0f,%.1f,%.0f%%,%.0f%%\n", name.c_str(), us, gbps, tflops,
                    ceiling_gbps > 0 ? 100 * gbps / ceiling_gbps : 0,
                    peak_tflops > 0 ? 100 * tflops / peak_tflops : 0);
        std::fflush(stdout);
    }

    void measure_ceilings();
    void rms_norms();
    void embeds();
    void ropes();
    void linears();
    void host_costs();

    Exec ex;
    double copy_gbps = 0, read_gbps = 0, peak_tflops = 0;

  private:
    void rms_norm_of(const char* name, DType dtype, int64_t N, int64_t H, int64_t C,
                     int64_t stride);
    void linear_of(const char* name, int64_t N, int64_t Ci, int64_t Co, bool bias, DType dtype);

    std::string wanted_;
    Arena arena_, scratch_;
    Stream stream_;
    CudaLane lane_;
    uint64_t seed_ = 0;
};

/// How many inputs of `bytes` make a gigabyte, within reason.
int sets_of(int64_t bytes) {
    return static_cast<int>(std::clamp<int64_t>(kGiB / std::max<int64_t>(bytes, 1) + 1, 2, 64));
}

void Bench::measure_ceilings() {
    const int64_t bytes = 4 * kGiB;
    const Tensor a = random(DType::f32, {bytes / 4}), b = output(DType::f32, {bytes / 4});
    const double copy_us = time_us(1, [&](int) {
        CUDA_CHECK(cuda::launch(copy_all, bytes / 32768, 256, ex.stream,
                                static_cast<const uint4*>(a.raw()), static_cast<uint4*>(b.raw())));
    });
    copy_gbps = 2.0 * bytes / copy_us / 1e3;
    report("ceiling copy 4 GiB", copy_us, 2.0 * bytes, 0, copy_gbps);
    // A graph gives its copies to a copy engine, which is slower than a kernel.
    report("copy node of a graph, 4 GiB", time_us(1, [&](int) { copy(b, a, ex.stream); }),
           2.0 * bytes, 0, copy_gbps);
    const double read_us = time_us(1, [&](int) {
        CUDA_CHECK(cuda::launch(read_all, bytes / 32768, 256, ex.stream,
                                static_cast<const uint4*>(a.raw()),
                                static_cast<uint32_t*>(b.raw())));
    });
    read_gbps = 1.0 * bytes / read_us / 1e3;
    report("ceiling read 4 GiB", read_us, 1.0 * bytes, 0, read_gbps);
    forget_tensors();
    const int64_t n = 8192;
    const Tensor x = random(DType::bf16, {n, n}), w = random(DType::bf16, {n, n}),
                 y = output(DType::bf16, {n, n});
    const double us = time_us(10, [&](int) { lane_.matmul(ex, y, x, w, {}); });
    peak_tflops = 2.0 * n * n * n / us / 1e6;
    report("ceiling product 8192^3 bf16", us, 6.0 * n * n, 2.0 * n * n * n, read_gbps);
    forget_tensors();
}

void Bench::rms_norm_of(const char* name, DType dtype, int64_t N, int64_t H, int64_t C,
                        int64_t stride) {
    const std::string title = "rms_norm " + std::string(name);
    if (!wants(title)) return;
    const int64_t bytes = N * H * C * size_of(dtype);
    const int sets = sets_of(2 * bytes);
    std::vector<Tensor> x, out;
    for (int i = 0; i < sets; ++i) {
        x.push_back(random(dtype, {N, stride}).columns(0, H * C).reshape({N, H, C}));
        out.push_back(output(dtype, {N, stride}).columns(0, H * C).reshape({N, H, C}));
    }
    const Tensor weight = random(DType::bf16, {C});
    const double us = time_us(sets, [&](int i) { rms_norm(ex, out[i], x[i], weight, 1e-6f); });
    report(title, us, 2.0 * bytes, 4.0 * N * H * C, copy_gbps);
    forget_tensors();
}

void Bench::rms_norms() {
    rms_norm_of("[1 2048] bf16", DType::bf16, 1, 1, 2048, 2048);
    rms_norm_of("[64 2048] bf16", DType::bf16, 64, 1, 2048, 2048);
    rms_norm_of("[4096 2048] bf16", DType::bf16, 4096, 1, 2048, 2048);
    rms_norm_of("[65536 2048] bf16", DType::bf16, 65536, 1, 2048, 2048);
    rms_norm_of("[32768 4096] bf16", DType::bf16, 32768, 1, 4096, 4096);
    rms_norm_of("[65536 2048] f32", DType::f32, 65536, 1, 2048, 2048);
    rms_norm_of("[1 32 128] of 5120 bf16", DType::bf16, 1, 32, 128, 5120);
    rms_norm_of("[4096 32 128] of 5120 bf16", DType::bf16, 4096, 32, 128, 5120);
    rms_norm_of("[65536 32 128] of 5120 bf16", DType::bf16, 65536, 32, 128, 5120);
    rms_norm_of("[32768 32 128] of 5120 f32", DType::f32, 32768, 32, 128, 5120);
}

void Bench::embeds() {
    const int64_t V = 151936, C = 2048;
    for (int64_t T : {1, 64, 4096, 65536}) {
        const std::string title = "embed [" + std::to_string(T) + " 2048] of 151936 bf16";
        if (!wants(title)) continue;
        const int sets = sets_of(4 * T * C);
        const Tensor table = random(DType::bf16, {V, C});
        std::vector<Tensor> from, out;
        for (int i = 0; i < sets; ++i) {
            from.push_back(ids(T, V));
            out.push_back(output(DType::bf16, {T, C}));
        }
        const double us = time_us(sets, [&](int i) { embed(ex, out[i], from[i], table); });
        report(title, us, 4.0 * T * C, 0, copy_gbps);
        forget_tensors();
    }
}

void Bench::ropes() {
    struct Shape {
        const char* name;
        int64_t T, H, D, stride;
        DType table;
    };
    for (const Shape& s : {Shape{"[1 32 128] bf16", 1, 32, 128, 5120, DType::bf16},
                           Shape{"[4096 32 128] bf16", 4096, 32, 128, 5120, DType::bf16},
                           Shape{"[65536 32 128] bf16", 65536, 32, 128, 5120, DType::bf16},
                           Shape{"[65536 16 72] vision", 65536, 16, 72, 3456, DType::f32}}) {
        const std::string title = "rope " + std::string(s.name);
        if (!wants(title)) continue;
        const int64_t bytes = s.T * s.H * s.D * 2, tables = s.T * s.D * size_of(s.table);
        const int sets = sets_of(bytes);
        std::vector<Tensor> x;
        for (int i = 0; i < sets; ++i)
            x.push_back(random(DType::bf16, {s.T, s.stride})
                            .columns(0, s.H * s.D)
                            .reshape({s.T, s.H, s.D}));
        const Tensor cos = random(s.table, {s.T, s.D / 2}), sin = random(s.table, {s.T, s.D / 2});
        const double us = time_us(sets, [&](int i) { rope(ex, x[i], cos, sin); });
        report(title, us, 2.0 * bytes + tables, 3.0 * s.T * s.H * s.D, copy_gbps);
        forget_tensors();
    }
}

void Bench::linear_of(const char* name, int64_t N, int64_t Ci, int64_t Co, bool bias, DType dtype) {
    const std::string title = "linear " + std::string(name) + " [" + std::to_string(N) + " " +
                              std::to_string(Ci) + "] x [" + std::to_string(Co) + "]";
    if (!wants(title)) return;
    const int64_t weight_bytes = 2 * Co * Ci, row_bytes = size_of(dtype) * N * (Ci + Co);
    const int sets = sets_of(weight_bytes + row_bytes);
    std::vector<Tensor> x, w, y;
    for (int i = 0; i < sets; ++i) {
        x.push_back(random(dtype, {N, Ci}));
        w.push_back(random(DType::bf16, {Co, Ci}));
        y.push_back(output(dtype, {N, Co}));
    }
    const Tensor b = bias ? random(DType::bf16, {Co}) : Tensor();
    const double us = time_us(sets, [&](int i) { linear(ex, y[i], x[i], w[i], b); });
    report(title, us, static_cast<double>(weight_bytes + row_bytes), 2.0 * N * Co * Ci, read_gbps);
    forget_tensors();
}

void Bench::linears() {
    linear_of("prefill", 4096, 2048, 6144, false, DType::bf16);
    linear_of("prefill qkv", 4096, 2048, 5120, false, DType::bf16);
    linear_of("prefill o_proj", 4096, 4096, 2048, false, DType::bf16);
    linear_of("prefill qkv, 1000 rows", 1000, 2048, 5120, false, DType::bf16);
    linear_of("vision qkv", 4096, 1152, 3456, true, DType::bf16);
    linear_of("vision fc1", 4096, 1152, 4304, true, DType::bf16);
    linear_of("vision fc2", 4096, 4304, 1152, true, DType::bf16);
    for (int64_t N : {1, 2, 8, 64, 256}) {
        linear_of("qkv", N, 2048, 5120, false, DType::bf16);
        linear_of("o_proj", N, 4096, 2048, false, DType::bf16);
        linear_of("router", N, 2048, 128, false, DType::bf16);
        linear_of("head", N, 2048, 151936, false, DType::bf16);
    }
    linear_of("f32", 64, 2048, 5120, true, DType::f32);
    linear_of("f32", 1024, 2048, 5120, true, DType::f32);
}

/// What the host pays: for a launch, and for the first product of a shape.
void Bench::host_costs() {
    if (!wants("host")) return;
    const auto since_us = [](std::chrono::steady_clock::time_point start) {
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count();
    };
    const Tensor x = random(DType::bf16, {4096, 2048}), y = output(DType::bf16, {4096, 2048});
    const Tensor w = random(DType::bf16, {2048, 2048});
    const auto median = [&](FunctionRef<void(int)> run) {
        std::vector<double> times;
        for (int i = 0; i < 101; ++i) {
            stream_.synchronize();
            const auto start = std::chrono::steady_clock::now();
            run(i);
            times.push_back(since_us(start));
        }
        std::nth_element(times.begin(), times.begin() + 50, times.end());
        return times[50];
    };
    report("host launch of rms_norm", median([&](int) {
               rms_norm(ex, y.rows(0, 1), x.rows(0, 1), w.reshape({2048 * 2048}).rows(0, 2048),
                        1e-6f);
           }),
           0, 0, 0);
    report("host launch of a product",
           median([&](int) { linear(ex, y.rows(0, 8), x.rows(0, 8), w); }), 0, 0, 0);
    report("host first product of a shape",
           median([&](int i) { linear(ex, y.rows(0, 1001 + i), x.rows(0, 1001 + i), w); }), 0, 0,
           0);
    forget_tensors();
}

}  // namespace
}  // namespace saker

int main(int argc, char** argv) {
    using namespace saker;
    if (num_devices() == 0) {
        std::fprintf(stderr, "cuda_bench: no GPU here\n");
        return 3;
    }
    const DeviceFacts facts = device_facts(0);
    std::printf("# %s, %d multiprocessors, %lld MiB, L2 %lld MiB\n", facts.name.c_str(),
                facts.num_multiprocessors, static_cast<long long>(facts.total_bytes / kMiB),
                static_cast<long long>(facts.l2_bytes / kMiB));
    std::printf("name,us,GB/s,TFLOP/s,of copy or read,of product\n");
    Bench bench(argc > 1 ? argv[1] : "", 24 * kGiB);
    bench.measure_ceilings();
    bench.rms_norms();
    bench.embeds();
    bench.ropes();
    bench.linears();
    bench.host_costs();
    return 0;
}
