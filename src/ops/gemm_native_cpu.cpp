// vdpbf16ps: 32 products of bf16 an instruction, each exact, added to 16 f32 sums in two rounding
// steps; denormal inputs and sums count as zero. Tiles of up to 6 x 4 sums live in registers (24 of
// 32); on Zen 5 this reaches 0.9 of the instruction's own peak of two a cycle, more than 4 x 4,
// 4 x 6, 8 x 3 and 3 x 8 do.
#include "ops/gemm_native_cpu.h"

#include <hwy/base.h>

#include "base/check.h"
#include "ops/fetch_ahead.h"
#include "ops/gemm_cpu.h"

#if HWY_ARCH_X86
#include <immintrin.h>

// GCC 12 takes the undefined vectors inside its own intrinsics for uninitialised ones.
HWY_DIAGNOSTICS(push)
#if HWY_COMPILER_GCC_ACTUAL
HWY_DIAGNOSTICS_OFF(disable : 4701, ignored "-Wmaybe-uninitialized")
#endif
HWY_PUSH_ATTRIBUTES("avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")
namespace saker::cpu {
namespace {

constexpr int64_t kLanes = 32;      // products an instruction
constexpr int64_t kSegment = 2048;  // elements of a row that are summed before the lanes are joined

struct LoadAll {
    HWY_INLINE __m512bh operator()(const Bf16* p) const {
        return reinterpret_cast<__m512bh>(_mm512_loadu_si512(p));
    }
};
struct LoadPart {
    __mmask32 mask;
    HWY_INLINE __m512bh operator()(const Bf16* p) const {
        return reinterpret_cast<__m512bh>(_mm512_maskz_loadu_epi16(mask, p));
    }
};

// The lanes of four vectors summed, as one vector of four.
HWY_INLINE __m128 join(__m512 a, __m512 b, __m512 c, __m512 d) {
    const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    const __m512d ab2 = _mm512_castps_pd(ab), cd2 = _mm512_castps_pd(cd);
    const __m512 abcd = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(ab2, cd2)),
                                      _mm512_castpd_ps(_mm512_unpackhi_pd(ab2, cd2)));
    const __m256 half =
        _mm256_add_ps(_mm512_castps512_ps256(abcd), _mm512_extractf32x8_ps(abcd, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
}

// Adds 32 products to each sum, fewer under a mask. A row of x is loaded when its turn comes: all
// of them and the weights at once would not fit into the registers beside the sums.
template <int R, int Q, class Load>
HWY_INLINE void step(__m512 (&acc)[R][4], const Bf16* const* x_rows, const Bf16* weight, int64_t Ci,
                     int64_t i, Load load) {
    __m512bh w[Q];
    for (int q = 0; q < Q; ++q) w[q] = load(weight + q * Ci + i);
    for (int r = 0; r < R; ++r) {
        const __m512bh x = load(x_rows[r] + i);
        for (int q = 0; q < Q; ++q) acc[r][q] = _mm512_dpbf16_ps(acc[r][q], x, w[q]);
    }
}

// R rows times Q weight rows over one segment; Q is 4, 2 or 1.
template <int R, int Q, class Fetch>
HWY_INLINE void tile(const Bf16* const* x_rows, int64_t begin, int64_t end, const Bf16* weight,
                     int64_t Ci, float* sums, Fetch& fetch) {
    __m512 acc[R][4];
    for (int r = 0; r < R; ++r)
        for (int q = 0; q < 4; ++q) acc[r][q] = _mm512_setzero_ps();
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
        fetch.take(Q * kLanes * static_cast<int64_t>(sizeof(Bf16)));
        step<R, Q>(acc, x_rows, weight, Ci, i, LoadAll{});
    }
    if (i < end) step<R, Q>(acc, x_rows, weight, Ci, i, LoadPart{(__mmask32{1} << (end - i)) - 1});
    for (int r = 0; r < R; ++r) {
        float* at = sums + r * kGemmColumns;
        float four[4];
        _mm_storeu_ps(four, join(acc[r][0], acc[r][1], acc[r][2], acc[r][3]));
        for (int q = 0; q < Q; ++q) at[q] = begin > 0 ? at[q] + four[q] : four[q];
    }
}

// The end of the segment that starts at `begin`.
int64_t segment_end(int64_t begin, int64_t Ci) {
    return Ci - begin <= kSegment ? Ci : begin + kSegment;
}

// Few rows: weights come from memory, so each weight row is read to its end, two at a time.
template <int R>
void few_rows(const Bf16* const* x_rows, const Bf16* weight, int64_t num_columns, int64_t Ci,
              float* sums) {
    constexpr int Q = 2;
    for (int64_t o = 0; o < num_columns; o += Q) {
        const Bf16* at = weight + o * Ci;
        FetchAhead fetch{reinterpret_cast<const char*>(at + Q * Ci)};
        int64_t begin = 0;
        do {
            const int64_t end = segment_end(begin, Ci);
            if (o + Q <= num_columns)
                tile<R, Q>(x_rows, begin, end, at, Ci, sums + o, fetch);
            else
                tile<R, 1>(x_rows, begin, end, at, Ci, sums + o, fetch);
            begin = end;
        } while (begin < Ci);
    }
}

// More rows: the segments of x stay in L1 while the weights come from L2.
template <int R>
void rows(const Bf16* const* x_rows, const Bf16* weight, int64_t num_columns, int64_t Ci,
          float* sums) {
    constexpr int Q = 4;
    FetchNothing nothing;
    int64_t begin = 0;
    do {
        const int64_t end = segment_end(begin, Ci);
        int64_t o = 0;
        for (; o + Q <= num_columns; o += Q)
            tile<R, Q>(x_rows, begin, end, weight + o * Ci, Ci, sums + o, nothing);
        for (; o < num_columns; ++o)
            tile<R, 1>(x_rows, begin, end, weight + o * Ci, Ci, sums + o, nothing);
        begin = end;
    } while (begin < Ci);
}

}  // namespace

void gemm_native(const Bf16* const* x_rows, int64_t num_rows, const Bf16* weight,
                 int64_t num_columns, int64_t Ci, float* sums) {
    switch (num_rows) {
        case 1:
            return few_rows<1>(x_rows, weight, num_columns, Ci, sums);
        case 2:
            return few_rows<2>(x_rows, weight, num_columns, Ci, sums);
        case 3:
            return few_rows<3>(x_rows, weight, num_columns, Ci, sums);
        case 4:
            return few_rows<4>(x_rows, weight, num_columns, Ci, sums);
        case 5:
            return rows<5>(x_rows, weight, num_columns, Ci, sums);
        case 6:
            return rows<6>(x_rows, weight, num_columns, Ci, sums);
        default:
            CHECK(false, "a tile has 1 to kGemmRows rows");
    }
}

}  // namespace saker::cpu
HWY_POP_ATTRIBUTES
HWY_DIAGNOSTICS(pop)

namespace saker::cpu {
bool has_native_bf16() {
    static const bool has =
        __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return has;
}
}  // namespace saker::cpu

#else

namespace saker::cpu {
bool has_native_bf16() {
    return false;
}
void gemm_native(const Bf16* const*, int64_t, const Bf16*, int64_t, int64_t, float*) {
    CHECK(false, "this machine has no AVX512_BF16");
}
}  // namespace saker::cpu

#endif
