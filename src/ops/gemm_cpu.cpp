// Dot products, vectors along Ci: R x Q sums of one vector each live in registers while R rows of x
// and Q weight rows stream past; then the lanes are joined in a fixed order. bf16 is widened at the
// load. What limits it: at few rows memory, which weights cross once; at many rows the two FMA
// units. On Zen 5, R = 3 and Q = 8 reach 0.88 of their peak straight from row-major memory; packing
// x, or widening by even and odd halves, gained nothing over it.
//
// Rows are summed in segments in which a lane adds up 128 products: short enough for the x rows of
// a tile to stay in L1 while the column block's weights come from L2, and for f32 sums to stay
// exact to a few units. Each weight is read from memory once a row block.
#include "ops/gemm_cpu.h"

#include "ops/fetch_ahead.h"
#include "ops/gemm_native_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/gemm_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

constexpr int64_t kSegment = 128 * static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<float>()));

// Weight rows a tile: with 3 rows of x, the sums fill most of 32 or of 16 registers.
#if HWY_TARGET <= HWY_AVX3
constexpr int kWide = 8;
#else
constexpr int kWide = 4;
#endif

// at[0..3] = the sums of the lanes of a, b, c and e, plus what is there if `add`.
#if HWY_TARGET == HWY_SCALAR
template <class D, class V>
HWY_INLINE void StoreFour(D, V a, V b, V c, V e, bool add, float* at) {
    const float sums[4] = {hn::GetLane(a), hn::GetLane(b), hn::GetLane(c), hn::GetLane(e)};
    for (int q = 0; q < 4; ++q) at[q] = add ? at[q] + sums[q] : sums[q];
}
#else
// Blocks of four lanes, summed by halves down to one block.
template <class D, class V>
HWY_INLINE hn::Vec<hn::Full128<float> > JoinBlocks(D d, V v) {
    if constexpr (hn::MaxLanes(d) == 4) {
        return v;
    } else {
        const hn::Half<D> half;
        return JoinBlocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    }
}

template <class D, class V>
HWY_INLINE void StoreFour(D d, V a, V b, V c, V e, bool add, float* at) {
    const hn::Repartition<double, D> d2;
    const hn::Full128<float> d4;
    const auto ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
    const auto ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
    const auto low = hn::InterleaveLower(d2, hn::BitCast(d2, ab), hn::BitCast(d2, ce));
    const auto high = hn::InterleaveUpper(d2, hn::BitCast(d2, ab), hn::BitCast(d2, ce));
    auto sums = JoinBlocks(d, hn::Add(hn::BitCast(d, low), hn::BitCast(d, high)));
    if (add) sums = hn::Add(hn::LoadU(d4, at), sums);
    hn::StoreU(sums, d4, at);
}
#endif

template <int R, int Q, class V>
HWY_INLINE void Step(V (&acc)[R][Q], const V (&x)[R], V w, int q) {
    for (int r = 0; r < R; ++r) acc[r][q] = hn::MulAdd(x[r], w, acc[r][q]);
}

// R rows times Q weight rows over elements [begin, end); Q is 1 or a multiple of 4.
template <int R, int Q, class X, class W, class Fetch>
HWY_INLINE void Tile(const X* const* x_rows, int64_t begin, int64_t end, const W* weight,
                     int64_t Ci, float* sums, Fetch& fetch) {
    const hn::ScalableTag<float> d;
    using V = hn::Vec<decltype(d)>;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    V acc[R][Q];
    for (int r = 0; r < R; ++r)
        for (int q = 0; q < Q; ++q) acc[r][q] = hn::Zero(d);
    const auto step = [&](int64_t i) HWY_ATTR {
        V x[R];
        for (int r = 0; r < R; ++r) x[r] = LoadF32(d, x_rows[r] + i);
        for (int q = 0; q < Q; ++q) Step(acc, x, LoadF32(d, weight + q * Ci + i), q);
    };
    int64_t i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
        fetch.take(2 * Q * lanes * static_cast<int64_t>(sizeof(W)));
        step(i);
        step(i + lanes);
    }
    if (i + lanes <= end) {
        step(i);
        i += lanes;
    }
    if (i < end) {
        V x[R];
        for (int r = 0; r < R; ++r) x[r] = LoadPart(d, x_rows[r] + i, end - i);
        for (int q = 0; q < Q; ++q) Step(acc, x, LoadPart(d, weight + q * Ci + i, end - i), q);
    }
    for (int r = 0; r < R; ++r) {
        float* at = sums + r * cpu::kGemmColumns;
        if constexpr (Q == 1) {
            const V zero = hn::Zero(d);
            float four[4];
            StoreFour(d, acc[r][0], zero, zero, zero, false, four);
            *at = begin > 0 ? *at + four[0] : four[0];
        } else {
            for (int q = 0; q < Q; q += 4)
                StoreFour(d, acc[r][q], acc[r][q + 1], acc[r][q + 2], acc[r][q + 3], begin > 0,
                          at + q);
        }
    }
}

// Few rows: weights come from memory, so each weight row is read to its end, Q at a time.
template <int R, int Q, class X, class W>
void FewRows(const X* const* x_rows, const W* weight, int64_t num_columns, int64_t Ci,
             float* sums) {
    int64_t o = 0;
    while (o < num_columns) {
        const bool whole = o + Q <= num_columns;
        const W* at = weight + o * Ci;
        cpu::FetchAhead fetch{reinterpret_cast<const char*>(at + (whole ? Q : 1) * Ci)};
        int64_t begin = 0;
        do {
            const int64_t end = std::min(Ci, begin + kSegment);
            if (whole)
                Tile<R, Q>(x_rows, begin, end, at, Ci, sums + o, fetch);
            else
                Tile<R, 1>(x_rows, begin, end, at, Ci, sums + o, fetch);
            begin = end;
        } while (begin < Ci);
        o += whole ? Q : 1;
    }
}

// Tiles over all columns of a segment whose weights are in L2 after the first rows.
template <int R, class X, class W>
void Columns(const X* const* x_rows, int64_t begin, int64_t end, const W* weight,
             int64_t num_columns, int64_t Ci, float* sums) {
    cpu::FetchNothing nothing;
    int64_t o = 0;
    for (; o + kWide <= num_columns; o += kWide)
        Tile<R, kWide>(x_rows, begin, end, weight + o * Ci, Ci, sums + o, nothing);
    for (; o < num_columns; ++o)
        Tile<R, 1>(x_rows, begin, end, weight + o * Ci, Ci, sums + o, nothing);
}

template <class X, class W>
void Rows(const void* const* rows, int64_t num_rows, const W* weight, int64_t num_columns,
          int64_t Ci, float* sums) {
    const X* x[cpu::kGemmRows];
    for (int64_t r = 0; r < num_rows; ++r) x[r] = static_cast<const X*>(rows[r]);
    if (num_rows == 1) return FewRows<1, 4>(x, weight, num_columns, Ci, sums);
    if (num_rows == 2) return FewRows<2, 4>(x, weight, num_columns, Ci, sums);
    if (num_rows == 3) return FewRows<3, kWide>(x, weight, num_columns, Ci, sums);
    if (num_rows == 4) return FewRows<4, 4>(x, weight, num_columns, Ci, sums);
    int64_t begin = 0;
    do {
        const int64_t end = std::min(Ci, begin + kSegment);
        Columns<3>(x, begin, end, weight, num_columns, Ci, sums);
        float* rest = sums + 3 * cpu::kGemmColumns;
        if (num_rows == 6)
            Columns<3>(x + 3, begin, end, weight, num_columns, Ci, rest);
        else
            Columns<2>(x + 3, begin, end, weight, num_columns, Ci, rest);
        begin = end;
    } while (begin < Ci);
}

template <class X>
void Weights(const void* const* x_rows, int64_t num_rows, const Tensor& weight, int64_t column,
             int64_t num_columns, float* sums) {
    const int64_t Ci = weight.dim(1);
    if (weight.dtype() == DType::f32)
        return Rows<X>(x_rows, num_rows, weight.row<float>(column), num_columns, Ci, sums);
    return Rows<X>(x_rows, num_rows, weight.row<Bf16>(column), num_columns, Ci, sums);
}

// Highway has no target for AVX512_BF16; it comes with the AVX-512 of this one, or not at all.
bool IsNative(DType x_dtype, DType weight_dtype) {
    return HWY_TARGET <= HWY_AVX3 && x_dtype == DType::bf16 && weight_dtype == DType::bf16 &&
           cpu::has_native_bf16();
}

void GemmTile(DType x_dtype, const void* const* x_rows, int64_t num_rows, const Tensor& weight,
              int64_t column, int64_t num_columns, float* sums) {
    if (IsNative(x_dtype, weight.dtype())) {
        const Bf16* x[cpu::kGemmRows];
        for (int64_t r = 0; r < num_rows; ++r) x[r] = static_cast<const Bf16*>(x_rows[r]);
        return cpu::gemm_native(x, num_rows, weight.row<Bf16>(column), num_columns, weight.dim(1),
                                sums);
    }
    if (x_dtype == DType::f32)
        return Weights<float>(x_rows, num_rows, weight, column, num_columns, sums);
    return Weights<Bf16>(x_rows, num_rows, weight, column, num_columns, sums);
}

const char* Variant(DType x_dtype, DType weight_dtype) {
    return IsNative(x_dtype, weight_dtype) ? "AVX512_BF16" : hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(GemmTile);
HWY_EXPORT(Variant);

namespace cpu {
namespace {

// Weights of one column block that stay in half of a core's L2 while rows of x pass by.
constexpr int64_t kBlockElements = int64_t{1} << 18;
// Tasks a thread, so that the last to finish is waited for briefly.
constexpr int64_t kTasksPerThread = 12;

int64_t ceil_div(int64_t n, int64_t by) {
    return (n + by - 1) / by;
}

}  // namespace

void gemm_tile(DType x_dtype, const void* const* x_rows, int64_t num_rows, const Tensor& weight,
               int64_t column, int64_t num_columns, float* sums) {
    DCHECK(num_rows >= 1 && num_rows <= kGemmRows, "a tile has 1 to kGemmRows rows");
    DCHECK(num_columns <= kGemmColumns, "a tile has at most kGemmColumns columns");
    HWY_DYNAMIC_DISPATCH(GemmTile)
    (x_dtype, x_rows, num_rows, weight, column, num_columns, sums);
}

const char* gemm_variant(DType x_dtype, DType weight_dtype) {
    return HWY_DYNAMIC_DISPATCH(Variant)(x_dtype, weight_dtype);
}

int64_t gemm_column_step(int64_t Co, int64_t Ci, int64_t num_blocks, int num_threads) {
    const int64_t fits =
        std::clamp<int64_t>(kBlockElements / std::max<int64_t>(Ci, 1), 16, kGemmColumns);
    const int64_t spread = Co * num_blocks / (kTasksPerThread * num_threads);
    return std::clamp<int64_t>(spread, 16, fits) / 8 * 8;
}

GemmGrid plan_gemm(int64_t N, int64_t Co, int64_t Ci, int num_threads) {
    GemmGrid grid;
    grid.column_step = gemm_column_step(Co, Ci, 1, num_threads);
    grid.num_column_blocks = ceil_div(Co, grid.column_step);
    // Rows are split only where columns give too few tasks: each row block reads all weights again.
    const int64_t row_blocks = std::clamp<int64_t>(
        kTasksPerThread * num_threads / grid.num_column_blocks, 1, ceil_div(N, 8 * kGemmRows));
    grid.row_step = ceil_div(ceil_div(N, row_blocks), kGemmRows) * kGemmRows;
    grid.num_row_blocks = ceil_div(N, grid.row_step);
    return grid;
}

}  // namespace cpu
}  // namespace saker
#endif
