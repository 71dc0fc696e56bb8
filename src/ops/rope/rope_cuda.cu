// rope on a GPU: rotates pairs (j, j + D/2) of each head in place.
//
// Mapping: a thread turns E successive pairs of one head: it reads E numbers of each half and of
// both tables, and writes both halves back. Threads run over pieces, then heads, then tokens, so a
// token's tables come from L1 for all heads but the first. A bf16 pair costs 8 bytes of traffic and
// 6 flops: bound by memory, by launch latency for few tokens. E is 8 where halves are multiples of
// 16 bytes (head width 128, 64), 4 for the vision tower's 72, else 2 numbers one by one; arithmetic
// is by pair, so the bits are the same.
//
// Measured on an H200, [65536, 32, 128] bf16: 272 us, 99 % of the speed of a copy; 16 heads of 72
// with tables of f32, 90 %. Blocks of 128 threads: 1 % faster on the former, 4 % slower on the
// latter.
#include <algorithm>

#include "ops/cuda-inl.h"
#include "ops/rope/rope_backends.h"

namespace saker::cuda {
namespace {

constexpr int kThreads = 256;

template <class T, class Table, int E, bool ALIGNED>
__global__ void __launch_bounds__(kThreads)
    rope_pairs(T* x, const Table* cos, const Table* sin, int64_t num_pieces, int heads, int half,
               int64_t x_stride, int64_t cos_stride, int64_t sin_stride) {
    const int64_t piece = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (piece >= num_pieces) return;
    const int pieces_a_head = (half + E - 1) / E, pieces_a_token = pieces_a_head * heads;
    const int64_t t = piece / pieces_a_token;
    const int in_token = static_cast<int>(piece - t * pieces_a_token);
    const int h = in_token / pieces_a_head, j = (in_token - h * pieces_a_head) * E;
    T* low = x + t * x_stride + int64_t{h} * 2 * half + j;
    T* high = low + half;

    Piece<T, E> a, b;
    Piece<Table, E> c, s;
    if constexpr (ALIGNED) {
        a.load(low);
        b.load(high);
        c.load(cos + t * cos_stride + j);
        s.load(sin + t * sin_stride + j);
    } else {
        a.load_some(low, half - j);
        b.load_some(high, half - j);
        c.load_some(cos + t * cos_stride + j, half - j);
        s.load_some(sin + t * sin_stride + j, half - j);
    }
    // Products rounded to the table's dtype, each sum once to T.
    const auto turned_low = [&](int e) {
        return rounded<Table>(a[e] * c[e]) - rounded<Table>(b[e] * s[e]);
    };
    const auto turned_high = [&](int e) {
        return rounded<Table>(b[e] * c[e]) + rounded<Table>(a[e] * s[e]);
    };
    Piece<T, E> out_low, out_high;
#pragma unroll
    for (int e = 0; e < E; e += 2) {
        out_low.set_two(e, turned_low(e), turned_low(e + 1));
        out_high.set_two(e, turned_high(e), turned_high(e + 1));
    }
    if constexpr (ALIGNED) {
        out_low.store(low);
        out_high.store(high);
    } else {
        out_low.store_some(low, half - j);
        out_high.store_some(high, half - j);
    }
}

template <class T, class Table, int E, bool ALIGNED>
void run(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    const int64_t heads = x.dim(1), half = x.dim(2) / 2;
    const int64_t num_pieces = x.dim(0) * heads * ceil_div(half, E);
    CUDA_CHECK(launch(rope_pairs<T, Table, E, ALIGNED>, ceil_div(num_pieces, kThreads), kThreads,
                      ex.stream, x.as<T>(), cos.as<Table>(), sin.as<Table>(), num_pieces, heads,
                      half, x.row_stride(), cos.row_stride(), sin.row_stride()));
}

template <class T, class Table>
void pick(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    const auto fits = [&](int64_t numbers) {
        const auto aligned = [&](const Tensor& t) {
            return rows_aligned(t, std::min<int64_t>(16, numbers * size_of(t.dtype())));
        };
        return x.dim(2) / 2 % numbers == 0 && aligned(x) && aligned(cos) && aligned(sin);
    };
    if (fits(8)) return run<T, Table, 8, true>(ex, x, cos, sin);
    if (fits(4)) return run<T, Table, 4, true>(ex, x, cos, sin);
    return run<T, Table, 2, false>(ex, x, cos, sin);
}

}  // namespace

void rope(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    CHECK(x.row_elements() <= INT32_MAX, "a row of rope has more numbers than the kernel counts");
    if (x.dtype() == DType::f32) return pick<float, float>(ex, x, cos, sin);
    if (cos.dtype() == DType::f32) return pick<Bf16, float>(ex, x, cos, sin);
    return pick<Bf16, Bf16>(ex, x, cos, sin);
}

}  // namespace saker::cuda
