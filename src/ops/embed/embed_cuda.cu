// embed on a GPU: copies rows of the table, widened or rounded where out's dtype differs.
//
// Mapping: a warp copies one strip of a row, kPieces pieces of 8 numbers a lane, all loads in
// flight before the first store. A bf16 number costs 2 bytes read and 2 written and no arithmetic:
// bound by memory, by latency (launch, the id, the row) below some hundred tokens. One strip of
// 2,048 numbers holds a row of this model: one id is read a row.
//
// Measured on an H200, 65,536 random rows of 2,048 bf16: 132 us, the speed of a copy. Four pieces a
// lane instead of eight, and blocks of 256 instead of 128, made no difference there.
#include "ops/cuda-inl.h"
#include "ops/embed/embed_backends.h"

namespace saker::cuda {
namespace {

constexpr int kThreads = 128, kPieces = 8, E = 8, kStrip = kWarp * kPieces * E;

template <class Out, class In, bool ALIGNED>
__global__ void __launch_bounds__(kThreads)
    embed_rows(Out* out, const int32_t* ids, const In* table, int64_t num_strips, int strips_a_row,
               int C) {
    const int64_t strip =
        static_cast<int64_t>(blockIdx.x) * (kThreads / kWarp) + threadIdx.x / kWarp;
    if (strip >= num_strips) return;
    const int64_t t = strip / strips_a_row;
    const int begin = static_cast<int>(strip - t * strips_a_row) * kStrip +
                      static_cast<int>(threadIdx.x % kWarp) * E;
    const In* from = table + int64_t{ids[t]} * C;
    Out* to = out + t * C;
    Piece<In, E> pieces[kPieces];
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
        const int c = begin + p * kWarp * E;
        if constexpr (!ALIGNED)
            pieces[p].load_some(from + c, C - c);
        else if (c < C)
            pieces[p].load(from + c);
    }
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
        const int c = begin + p * kWarp * E;
        Piece<Out, E> piece;
#pragma unroll
        for (int e = 0; e < E; e += 2) piece.set_two(e, pieces[p][e], pieces[p][e + 1]);
        if constexpr (!ALIGNED)
            piece.store_some(to + c, C - c);
        else if (c < C)
            piece.store(to + c);
    }
}

template <class Out, class In>
void run(const Exec& ex, const Tensor& out, const Tensor& ids, const Tensor& table) {
    const int64_t T = out.dim(0), C = out.dim(1);
    const bool aligned = C % E == 0 && rows_aligned(out, 16) && rows_aligned(table, 16);
    const int64_t strips_a_row = ceil_div(C, kStrip), num_strips = T * strips_a_row;
    const auto kernel = aligned ? embed_rows<Out, In, true> : embed_rows<Out, In, false>;
    CUDA_CHECK(launch(kernel, ceil_div(num_strips, kThreads / kWarp), kThreads, ex.stream,
                      out.as<Out>(), ids.as<int32_t>(), table.as<In>(), num_strips, strips_a_row,
                      C));
}

}  // namespace

void embed(const Exec& ex, const Tensor& out, const Tensor& ids, const Tensor& table) {
    CHECK(table.dim(1) <= INT32_MAX - kStrip, "a row of embed is wider than the kernel counts");
    if (out.dtype() == DType::f32) {
        if (table.dtype() == DType::f32) return run<float, float>(ex, out, ids, table);
        return run<float, Bf16>(ex, out, ids, table);
    }
    if (table.dtype() == DType::f32) return run<Bf16, float>(ex, out, ids, table);
    return run<Bf16, Bf16>(ex, out, ids, table);
}

}  // namespace saker::cuda
