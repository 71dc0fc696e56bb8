// The register kernels under attend-inl.h: powers of two, packing of keys, queries and values, and
// the two products of attention. Included once per target, as simd-inl.h is.
//
// Both products are register tiles of rows x vectors in which each number is one chain of
// multiply-adds in the order of d, or of j: which rows share a tile never shows in the bits. Rows
// are packed side by side ([D][rows]) to be broadcast, keys as panels ([D][lanes]) to be loaded.
#if defined(SAKER_OPS_ATTEND_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAKER_OPS_ATTEND_BLOCKS_INL_H_
#undef SAKER_OPS_ATTEND_BLOCKS_INL_H_
#else
#define SAKER_OPS_ATTEND_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using FloatVec = hn::Vec<Floats>;
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(Floats()));
inline constexpr int64_t kTileKeys = 64;
// Rows of a register tile at most; kWide says how many vectors.
inline constexpr int64_t kBlockRows = kLanes >= 16 ? 8 : 4;

inline int64_t PaddedWidth(int64_t D) {
    return (D + kLanes - 1) / kLanes * kLanes;
}
/// The largest block of a kernel's sizes (1, 2, 4, 8) in `left` rows.
inline int64_t BlockOf(int64_t left) {
    int64_t rows = kBlockRows;
    while (rows > left) rows /= 2;
    return rows;
}

/// 2^x for x <= 0, to about one unit in the last place; 0 below -126 (and for -infinity), NaN for
/// NaN. A minimax polynomial of degree 6 on [-0.5, 0.5] (relative error 2e-9), times 2^round(x).
HWY_INLINE FloatVec Exp2Negative(FloatVec x) {
    const Floats d;
    const hn::RebindToSigned<Floats> d32;
    // Adding this leaves round(x) + 127, an f32's exponent, in the lowest bits of the sum.
    const auto magic = hn::Set(d, 0x1.8p23f + 127);
    const auto shifted = hn::Add(x, magic);
    const auto r = hn::Sub(x, hn::Sub(shifted, magic));
    auto y = hn::Set(d, 0.000153533209f);
    y = hn::MulAdd(y, r, hn::Set(d, 0.00133989261f));
    y = hn::MulAdd(y, r, hn::Set(d, 0.00961843785f));
    y = hn::MulAdd(y, r, hn::Set(d, 0.0555033235f));
    y = hn::MulAdd(y, r, hn::Set(d, 0.240226479f));
    y = hn::MulAdd(y, r, hn::Set(d, 0.693147203f));
    y = hn::MulAdd(y, r, hn::Set(d, 1.0f));
    const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(d32, shifted)));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0f)), hn::Mul(y, power));
}

// ---- packing ------------------------------------------------------------------------------------

#if HWY_TARGET != HWY_SCALAR
/// One vector of 32-bit lanes whose 128-bit block b is read at rows[4 b] + column.
template <class D32, class T>
HWY_INLINE hn::Vec<D32> LoadBlocks(D32 d, const T* const* rows, int64_t column) {
    if constexpr (hn::MaxLanes(D32()) <= 4) {
        using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
        const hn::Repartition<Bits, D32> narrow;
        return hn::BitCast(d, hn::LoadU(narrow, reinterpret_cast<const Bits*>(*rows + column)));
    } else {
        const hn::Half<D32> half;
        const size_t upper = hn::MaxLanes(half);
        return hn::Combine(d, LoadBlocks(half, rows + upper, column),
                           LoadBlocks(half, rows, column));
    }
}

/// Transposes each 4 x 4 square of 32-bit lanes, block by block.
template <class D32, class V = hn::Vec<D32>>
HWY_INLINE void TransposeSquares(D32 d, V& a, V& b, V& c, V& e) {
    const hn::Repartition<uint64_t, D32> d64;
    const auto ab_lower = hn::BitCast(d64, hn::InterleaveLower(d, a, b));
    const auto ab_upper = hn::BitCast(d64, hn::InterleaveUpper(d, a, b));
    const auto ce_lower = hn::BitCast(d64, hn::InterleaveLower(d, c, e));
    const auto ce_upper = hn::BitCast(d64, hn::InterleaveUpper(d, c, e));
    a = hn::BitCast(d, hn::InterleaveLower(d64, ab_lower, ce_lower));
    b = hn::BitCast(d, hn::InterleaveUpper(d64, ab_lower, ce_lower));
    c = hn::BitCast(d, hn::InterleaveLower(d64, ab_upper, ce_upper));
    e = hn::BitCast(d, hn::InterleaveUpper(d64, ab_upper, ce_upper));
}
#endif

/// As many rows as `d` has lanes, as a panel [D][lanes] of f32: lane j is row j.
template <class DF, class T>
void PackPanel(DF, const T* const* rows, int64_t D, float* panel) {
    constexpr int64_t N = static_cast<int64_t>(hn::MaxLanes(DF()));
    int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::RebindToUnsigned<DF> d;
    constexpr int64_t kColumns = 16 / sizeof(T);  // of one 128-bit block
    for (; i + kColumns <= D; i += kColumns) {
        auto v0 = LoadBlocks(d, rows, i), v1 = LoadBlocks(d, rows + 1, i);
        auto v2 = LoadBlocks(d, rows + 2, i), v3 = LoadBlocks(d, rows + 3, i);
        TransposeSquares(d, v0, v1, v2, v3);
        uint32_t* to = reinterpret_cast<uint32_t*>(panel + i * N);
        if constexpr (sizeof(T) == 4) {
            hn::StoreU(v0, d, to);
            hn::StoreU(v1, d, to + N);
            hn::StoreU(v2, d, to + 2 * N);
            hn::StoreU(v3, d, to + 3 * N);
        } else {
            // A lane holds two bf16 columns: the even one in its lower half.
            const auto odd = hn::Set(d, 0xFFFF0000u);
            hn::StoreU(hn::ShiftLeft<16>(v0), d, to);
            hn::StoreU(hn::And(v0, odd), d, to + N);
            hn::StoreU(hn::ShiftLeft<16>(v1), d, to + 2 * N);
            hn::StoreU(hn::And(v1, odd), d, to + 3 * N);
            hn::StoreU(hn::ShiftLeft<16>(v2), d, to + 4 * N);
            hn::StoreU(hn::And(v2, odd), d, to + 5 * N);
            hn::StoreU(hn::ShiftLeft<16>(v3), d, to + 6 * N);
            hn::StoreU(hn::And(v3, odd), d, to + 7 * N);
        }
    }
#endif
    for (; i < D; ++i)
        for (int64_t j = 0; j < N; ++j) panel[i * N + j] = static_cast<float>(rows[j][i]);
}

/// One row of v, widened to f32 and filled up with zeros to `padded` columns.
template <class T>
HWY_INLINE void PackRow(const T* v, int64_t D, int64_t padded, float* to) {
    const Floats d;
    int64_t i = 0;
    for (; i + kLanes <= D; i += kLanes) hn::StoreU(LoadF32(d, v + i), d, to + i);
    for (; i < D; ++i) to[i] = static_cast<float>(v[i]);
    for (; i < padded; ++i) to[i] = 0;
}

// ---- the two products ---------------------------------------------------------------------------

/// scores[r, j] = q[r] . k[j] for R rows, q packed [D][R], and C panels of keys.
template <int R, int C>
HWY_INLINE void ScoreBlock(const float* HWY_RESTRICT q, const float* HWY_RESTRICT k, int64_t D,
                           float* HWY_RESTRICT scores) {
    const Floats d;
    FloatVec acc[R * C];
    for (int i = 0; i < R * C; ++i) acc[i] = hn::Zero(d);
    for (int64_t column = 0; column < D; ++column) {
        FloatVec keys[C];
        for (int c = 0; c < C; ++c) keys[c] = hn::Load(d, k + (c * D + column) * kLanes);
        for (int i = 0; i < R * C; ++i)
            acc[i] = hn::MulAdd(hn::Set(d, q[column * R + i / C]), keys[i % C], acc[i]);
    }
    for (int i = 0; i < R * C; ++i)
        hn::Store(acc[i], d, scores + i / C * kTileKeys + i % C * kLanes);
}

/// Vectors beside R rows in a register tile: 8 x 2 and 4 x 4 accumulators on AVX-512 (32
/// registers), 4 x 3 elsewhere (16); with few rows four, to hide the latency of a multiply-add.
template <int R>
inline constexpr int kWide = std::min<int>(4, (kLanes >= 16 ? 16 : 12) / R);

template <int R>
void ScoreRows(const float* q, const float* k, int64_t panels, int64_t D, float* scores) {
    int64_t p = 0;
    for (; p + kWide<R> <= panels; p += kWide<R>)
        ScoreBlock<R, kWide<R>>(q, k + p * D * kLanes, D, scores + p * kLanes);
    for (; p + 2 <= panels; p += 2) ScoreBlock<R, 2>(q, k + p * D * kLanes, D, scores + p * kLanes);
    if (p < panels) ScoreBlock<R, 1>(q, k + p * D * kLanes, D, scores + p * kLanes);
}

/// acc[r] = acc[r] decay[r] + sum_j p[r, j] v[j] over C vectors of columns.
template <int R, int C, class T>
HWY_INLINE void ValueBlock(const float* HWY_RESTRICT p, const T* HWY_RESTRICT v, int64_t v_stride,
                           int64_t keys, const float* decay, float* HWY_RESTRICT acc,
                           int64_t width) {
    const Floats d;
    FloatVec sum[R * C];
    for (int i = 0; i < R * C; ++i)
        sum[i] =
            hn::Mul(hn::Load(d, acc + i / C * width + i % C * kLanes), hn::Set(d, decay[i / C]));
    for (int64_t j = 0; j < keys; ++j) {
        FloatVec columns[C];
        for (int c = 0; c < C; ++c) columns[c] = LoadF32(d, v + j * v_stride + c * kLanes);
        for (int i = 0; i < R * C; ++i)
            sum[i] = hn::MulAdd(hn::Set(d, p[i / C * kTileKeys + j]), columns[i % C], sum[i]);
    }
    for (int i = 0; i < R * C; ++i) hn::Store(sum[i], d, acc + i / C * width + i % C * kLanes);
}

template <int R, class T>
void ValueRows(const float* p, const T* v, int64_t v_stride, int64_t keys, const float* decay,
               float* acc, int64_t width) {
    int64_t i = 0;
    for (; i + kWide<R> * kLanes <= width; i += kWide<R> * kLanes)
        ValueBlock<R, kWide<R>>(p, v + i, v_stride, keys, decay, acc + i, width);
    for (; i + 2 * kLanes <= width; i += 2 * kLanes)
        ValueBlock<R, 2>(p, v + i, v_stride, keys, decay, acc + i, width);
    if (i < width) ValueBlock<R, 1>(p, v + i, v_stride, keys, decay, acc + i, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#endif  // SAKER_OPS_ATTEND_BLOCKS_INL_H_
