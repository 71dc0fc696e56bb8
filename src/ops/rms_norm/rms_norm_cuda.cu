// rms_norm on a GPU: out = weight * bf(x * rsqrt(mean(x^2) + eps)), a group of threads a row.
//
// Mapping: a "line" is one row of C numbers to normalise (a head, for q_norm and k_norm). GROUP
// neighbouring threads share LINES lines; a thread holds VECTORS pieces of 16 bytes of each, with
// all its loads in flight before the first use. Lines wider than GROUP x VECTORS pieces are read
// twice, the second time from L1 or L2. The sum runs over a thread's numbers, then over lanes by
// exchange, then over warps in order: the choice of GROUP and VECTORS depends on C alone and
// unaligned lines take the same route number by number, so a line's bits depend on nothing else.
//
// A bf16 number costs 4 bytes of traffic and about 4 flops: bound by memory from some thousand
// lines up, by latency (launch, one load, one exchange) below.
//
// Measured on an H200 (bench/results/2026-11-30-h200-cuda-lane.md), [65536, 2048] bf16: 128 us, the
// speed of a copy. Tried and lost: 8 warps a line with one piece a thread (141 us, and 184 at C =
// 4096), one warp with eight pieces (131 us, but 2.2 us for one line instead of 1.6). For heads of
// 128: 8 or 4 lines a thread (2.2 and 1.7 us for one token instead of 1.4), 1 line (264 us for
// 65,536 tokens instead of 256).
#include "ops/cuda-inl.h"
#include "ops/rms_norm/rms_norm_backends.h"

namespace saker::cuda {
namespace {

constexpr int kThreads = 128;
constexpr int block_of(int group) {
    return group > kThreads ? group : kThreads;
}
// Threads a multiprocessor should hold, which gives it 48 to 64 KB in flight. Left to itself the
// compiler takes two registers more a thread, and rows of 4,096 take 5 % longer.
constexpr int resident_of(int pieces, bool is_long) {
    return is_long || pieces >= 4 ? 1024 : 1536;
}

// Of x, out: the first line, and from one row (a token) to the next.
template <class T>
struct Rows {
    T* at;
    int64_t stride;
};

/// Where a line lies: which row, and which of its heads.
struct Spot {
    uint32_t row, head;

    __device__ Spot(uint32_t line, uint32_t heads) : row(heads == 1 ? line : line / heads) {
        head = line - row * heads;
    }
    __device__ void next(uint32_t heads) {
        if (++head < heads) return;
        head = 0;
        ++row;
    }
    template <class T>
    __device__ T* in(const Rows<T>& rows, int C) const {
        return rows.at + row * rows.stride + int64_t{head} * C;
    }
};

/// Numbers past the end of the line read as 0.
template <bool ALIGNED, class T, int E>
__device__ void load_piece(Piece<T, E>& piece, const T* from, int num_left) {
    if constexpr (!ALIGNED) {
        piece.load_some(from, num_left);
    } else if (num_left > 0) {
        piece.load(from);
    } else {
        piece = {};
    }
}

template <class T, class W, int GROUP, int VECTORS, int LINES, bool ALIGNED, bool LONG>
__global__ void __launch_bounds__(block_of(GROUP),
                                  resident_of(VECTORS* LINES, LONG) / block_of(GROUP))
    rms_norm_lines(Rows<T> out, Rows<const T> x, const W* weight, uint32_t num_lines,
                   uint32_t heads, int C, float one_in_C, float eps) {
    static_assert(GROUP <= kWarp || LINES == 1, "warps of one group exchange one sum");
    constexpr int E = 16 / sizeof(T), kSpan = GROUP * VECTORS * E;
    const int lane = static_cast<int>(threadIdx.x) % GROUP;
    const uint32_t first = (blockIdx.x * (blockDim.x / GROUP) + threadIdx.x / GROUP) * LINES;

    const Spot spot_of_first(first, heads);

    Piece<T, E> own[LINES][VECTORS];
    Piece<W, E> scale_by[VECTORS];
    // Columns [begin, begin + kSpan) of the lines and of the weight.
    const auto load = [&](int begin) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
            const int c = begin + (v * GROUP + lane) * E;
            load_piece<ALIGNED>(scale_by[v], weight + c, C - c);
        }
        Spot spot = spot_of_first;
#pragma unroll
        for (int i = 0; i < LINES; ++i, spot.next(heads)) {
            if (first + i >= num_lines) continue;
            const T* from = spot.in(x, C);
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) {
                const int c = begin + (v * GROUP + lane) * E;
                load_piece<ALIGNED>(own[i][v], from + c, C - c);
            }
        }
    };

    float sum[LINES] = {};
    for (int begin = 0; begin < (LONG ? C : 1); begin += kSpan) {
        load(begin);
#pragma unroll
        for (int i = 0; i < LINES; ++i)
#pragma unroll
            for (int v = 0; v < VECTORS; ++v)
#pragma unroll
                for (int e = 0; e < E; ++e) sum[i] = fmaf(own[i][v][e], own[i][v][e], sum[i]);
    }

    float scale[LINES];
    if constexpr (GROUP <= kWarp) {
#pragma unroll
        for (int i = 0; i < LINES; ++i) sum[i] = sum_over_lanes<GROUP>(sum[i]);
    } else {
        __shared__ float of_warp[GROUP / kWarp];
        const float of_mine = sum_over_lanes<kWarp>(sum[0]);
        if (lane % kWarp == 0) of_warp[lane / kWarp] = of_mine;
        __syncthreads();
        sum[0] = 0;
#pragma unroll
        for (int w = 0; w < GROUP / kWarp; ++w) sum[0] += of_warp[w];
    }
#pragma unroll
    for (int i = 0; i < LINES; ++i) scale[i] = __frsqrt_rn(sum[i] * one_in_C + eps);

    for (int begin = 0; begin < (LONG ? C : 1); begin += kSpan) {
        if constexpr (LONG) load(begin);
        Spot spot = spot_of_first;
#pragma unroll
        for (int i = 0; i < LINES; ++i, spot.next(heads)) {
            if (first + i >= num_lines) continue;
            T* to = spot.in(out, C);
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) {
                const int c = begin + (v * GROUP + lane) * E;
                Piece<T, E> y;
#pragma unroll
                for (int e = 0; e < E; e += 2)
                    y.set_two(e, scale_by[v][e] * rounded<T>(own[i][v][e] * scale[i]),
                              scale_by[v][e + 1] * rounded<T>(own[i][v][e + 1] * scale[i]));
                if constexpr (!ALIGNED)
                    y.store_some(to + c, C - c);
                else if (c < C)
                    y.store(to + c);
            }
        }
    }
}

template <class T, class W, int GROUP, int VECTORS, int LINES, bool LONG = false>
void run(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight, float eps) {
    constexpr int kBlock = block_of(GROUP), E = 16 / sizeof(T);
    const int C = static_cast<int>(weight.dim(0));
    const int heads = static_cast<int>(x.row_elements() / C);
    const int64_t num_lines = x.dim(0) * heads;
    const bool aligned = C % E == 0 && rows_aligned(x, 16) && rows_aligned(out, 16) &&
                         rows_aligned(weight, Piece<W, E>::kAlignment);
    const auto kernel = aligned ? rms_norm_lines<T, W, GROUP, VECTORS, LINES, true, LONG>
                                : rms_norm_lines<T, W, GROUP, VECTORS, LINES, false, LONG>;
    CUDA_CHECK(launch(kernel, ceil_div(num_lines, kBlock / GROUP * LINES), kBlock, ex.stream,
                      Rows<T>{out.as<T>(), out.row_stride()},
                      Rows<const T>{x.as<T>(), x.row_stride()}, weight.as<W>(), num_lines, heads, C,
                      1.0f / static_cast<float>(C), eps));
}

template <class T, class W>
void pick(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight, float eps) {
    const int64_t pieces = ceil_div(weight.dim(0) * static_cast<int64_t>(sizeof(T)), 16);
    if (pieces <= 16) return run<T, W, 16, 1, 2>(ex, out, x, weight, eps);
    if (pieces <= 32) return run<T, W, 32, 1, 2>(ex, out, x, weight, eps);
    if (pieces <= 64) return run<T, W, 32, 2, 2>(ex, out, x, weight, eps);
    if (pieces <= 256) return run<T, W, 128, 2, 1>(ex, out, x, weight, eps);
    if (pieces <= 512) return run<T, W, 256, 2, 1>(ex, out, x, weight, eps);
    return run<T, W, 256, 2, 1, true>(ex, out, x, weight, eps);
}

}  // namespace

void rms_norm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight, float eps) {
    CHECK(x.row_elements() <= INT32_MAX,
          "a row of rms_norm has more numbers than the kernel counts");
    if (x.dtype() == DType::f32) {
        if (weight.dtype() == DType::f32) return pick<float, float>(ex, out, x, weight, eps);
        return pick<float, Bf16>(ex, out, x, weight, eps);
    }
    if (weight.dtype() == DType::f32) return pick<Bf16, float>(ex, out, x, weight, eps);
    return pick<Bf16, Bf16>(ex, out, x, weight, eps);
}

}  // namespace saker::cuda
