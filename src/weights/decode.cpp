// Works in tiles of 64 x 64, which lie inside one scale block and, decoded and transposed, in L1.
// Both sides that face memory, the stored rows and the rows of the result, are touched in runs of
// 64 numbers. Tiles of 256 either way, and rows of the result written through the caches, were
// tried on 1 to 16 cores and were slower by a half.
#include "weights/decode.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/check.h"

namespace saker {
namespace {

constexpr int64_t kTile = 64;
static_assert(kScaleBlock % kTile == 0, "a tile lies in one scale block");

template <class T>
T load(const std::byte* at, int64_t index) {
    T value;
    std::memcpy(&value, at + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
}

// Exact. Free of branches, and of subnormal operands, which take a hundred times as long.
float half_to_f32(uint16_t half) {
    const uint32_t magnitude = half & 0x7FFFu, exponent = half & 0x7C00u;
    const float subnormal = static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
    const uint32_t special =
        exponent == 0x7C00u ? 112u << 23 : 0u;  // the largest exponent stays so
    const uint32_t normal = (magnitude << 13) + (112u << 23) + special;
    const uint32_t bits = exponent == 0 ? std::bit_cast<uint32_t>(subnormal) : normal;
    return std::bit_cast<float>(bits | uint32_t{half & 0x8000u} << 16);
}

const std::array<float, 256>& f8_values() {
    static const auto values = [] {
        std::array<float, 256> v;
        for (int q = 0; q < 256; ++q)
            v[static_cast<size_t>(q)] = f8_e4m3_to_f32(static_cast<uint8_t>(q));
        return v;
    }();
    return values;
}

// A part of a matrix that lies within one tile.
struct Area {
    int64_t row, col, num_rows, num_cols;
};

// out: [num_rows, stride], of which the first num_cols columns are written.
void decode_tile(const StoredMatrix& m, const Area& area, uint16_t* out, int64_t stride) {
    if (m.dtype == DType::bf16) {
        for (int64_t r = 0; r < area.num_rows; ++r)
            std::memcpy(out + r * stride, m.at + ((area.row + r) * m.cols + area.col) * 2,
                        static_cast<size_t>(area.num_cols) * 2);
        return;
    }
    const int64_t scale_cols = (m.cols + kScaleBlock - 1) / kScaleBlock;
    const int64_t block = area.row / kScaleBlock * scale_cols + area.col / kScaleBlock;
    const float scale = m.scale_dtype == DType::f32 ? load<float>(m.scales, block)
                                                    : float{load<Bf16>(m.scales, block)};
    // All 256 codes under this scale, so that each number costs one look-up.
    std::array<uint16_t, 256> decoded;
    const std::array<float, 256>& values = f8_values();
    for (size_t q = 0; q < 256; ++q) decoded[q] = Bf16::from(values[q] * scale).bits;
    for (int64_t r = 0; r < area.num_rows; ++r) {
        const std::byte* from = m.at + (area.row + r) * m.cols + area.col;
        for (int64_t c = 0; c < area.num_cols; ++c)
            out[r * stride + c] = decoded[static_cast<uint8_t>(from[c])];
    }
}

void decode_tile(const StoredMatrix& m, const Area& area, float* out, int64_t stride) {
    for (int64_t r = 0; r < area.num_rows; ++r) {
        const int64_t first = (area.row + r) * m.cols + area.col;
        if (m.dtype == DType::f32)
            std::memcpy(out + r * stride, m.at + first * 4, static_cast<size_t>(area.num_cols) * 4);
        else
            for (int64_t c = 0; c < area.num_cols; ++c)
                out[r * stride + c] = half_to_f32(load<uint16_t>(m.at, first + c));
    }
}

// Sixteen bytes: the compilers turn these into the vectors of any machine.
using U16x8 [[gnu::vector_size(16)]] = uint16_t;
using F32x4 [[gnu::vector_size(16)]] = float;
template <class T>
using Vector = std::conditional_t<sizeof(T) == 2, U16x8, F32x4>;
template <class T>
constexpr int64_t kLanes = 16 / sizeof(T);

U16x8 zip_low(U16x8 a, U16x8 b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
U16x8 zip_high(U16x8 a, U16x8 b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
F32x4 zip_low(F32x4 a, F32x4 b) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
F32x4 zip_high(F32x4 a, F32x4 b) {
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

// out[c][r] = in[r][c] for one square of as many rows as a vector has lanes; `in` need not be
// aligned. Zipping each row with the one half the square below, log2(lanes) times, is the
// transposition.
template <class T>
void transpose_square(const std::byte* in, int64_t in_stride, T* out) {
    Vector<T> rows[kLanes<T>], zipped[kLanes<T>];
    for (int64_t r = 0; r < kLanes<T>; ++r) std::memcpy(&rows[r], in + r * in_stride, 16);
    for (int64_t step = 1; step < kLanes<T>; step *= 2) {
        for (int64_t r = 0; r < kLanes<T> / 2; ++r) {
            zipped[2 * r] = zip_low(rows[r], rows[r + kLanes<T> / 2]);
            zipped[2 * r + 1] = zip_high(rows[r], rows[r + kLanes<T> / 2]);
        }
        std::memcpy(rows, zipped, sizeof rows);
    }
    for (int64_t r = 0; r < kLanes<T>; ++r) std::memcpy(out + r * kTile, &rows[r], 16);
}

// out: [64, 64], aligned; in: 64 rows of 64, `in_stride` bytes apart.
template <class T>
void transpose_tile(const std::byte* in, int64_t in_stride, T* out) {
    for (int64_t c = 0; c < kTile; c += kLanes<T>)
        for (int64_t r = 0; r < kTile; r += kLanes<T>)
            transpose_square(in + r * in_stride + c * static_cast<int64_t>(sizeof(T)), in_stride,
                             out + c * kTile + r);
}

// Calls visit(area) for each tile of rows [row_begin, row_end) and columns [col_begin, col_end),
// cut where multiples of the tile lie.
template <class Visit>
void for_tiles(int64_t row_begin, int64_t row_end, int64_t col_begin, int64_t col_end,
               Visit visit) {
    for (int64_t row = row_begin; row < row_end;) {
        const int64_t next_row = std::min(row_end, (row / kTile + 1) * kTile);
        for (int64_t col = col_begin; col < col_end;) {
            const int64_t next_col = std::min(col_end, (col / kTile + 1) * kTile);
            visit(Area{row, col, next_row - row, next_col - col});
            col = next_col;
        }
        row = next_row;
    }
}

template <class T>
void rows_as(const StoredMatrix& m, int64_t row_begin, int64_t row_end, T* out) {
    for_tiles(row_begin, row_end, 0, m.cols, [&](const Area& area) {
        decode_tile(m, area, out + (area.row - row_begin) * m.cols + area.col, m.cols);
    });
}

// One row of a transposed tile, past the caches: a line that is fetched before it is overwritten
// costs as much as the copy itself, and with it half of the speed. Both 16-byte aligned.
template <class T>
void stream_row(const T* from, T* to) {
#if defined(__SSE2__)
    for (int64_t i = 0; i < kTile; i += kLanes<T>)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
    std::memcpy(to, from, kTile * sizeof(T));
#endif
}

// Makes streamed rows visible to other threads.
void flush_stream() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

template <class T>
void columns_as(const StoredMatrix& m, int64_t col_begin, int64_t col_end, T* out) {
    alignas(64) T tile[kTile * kTile] = {}, turned[kTile * kTile];
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    const bool is_as_stored = decoded_dtype(m.dtype) == m.dtype;
    const bool is_aligned = reinterpret_cast<uintptr_t>(out) % 16 == 0 && m.rows * kSize % 16 == 0;
    for_tiles(0, m.rows, col_begin, col_end, [&](const Area& area) {
        const bool is_whole = area.num_rows == kTile && area.num_cols == kTile;
        if (is_as_stored && is_whole) {
            transpose_tile(m.at + (area.row * m.cols + area.col) * kSize, m.cols * kSize, turned);
        } else {
            decode_tile(m, area, tile, kTile);
            transpose_tile(reinterpret_cast<const std::byte*>(tile), kTile * kSize, turned);
        }
        T* to = out + (area.col - col_begin) * m.rows + area.row;
        for (int64_t c = 0; c < area.num_cols; ++c, to += m.rows) {
            if (is_aligned && area.num_rows == kTile)
                stream_row(turned + c * kTile, to);
            else
                std::memcpy(to, turned + c * kTile, static_cast<size_t>(area.num_rows) * sizeof(T));
        }
    });
    flush_stream();
}

template <class T>
bool any_with_exponent(const std::byte* at, int64_t count, T exponent) {
    bool found = false;
    for (int64_t i = 0; i < count; ++i) found |= (load<T>(at, i) & exponent) == exponent;
    return found;
}

}  // namespace

std::optional<DType> decoded_dtype(DType stored) {
    switch (stored) {
        case DType::f32:
        case DType::f16:
            return DType::f32;
        case DType::bf16:
        case DType::f8_e4m3:
            return DType::bf16;
        default:
            return std::nullopt;
    }
}

void decode_rows(const StoredMatrix& m, int64_t row_begin, int64_t row_end, void* out) {
    if (row_begin >= row_end || m.cols == 0) return;
    if (m.dtype == DType::bf16 || m.dtype == DType::f32) {
        const int64_t row_bytes = m.cols * size_of(m.dtype);
        std::memcpy(out, m.at + row_begin * row_bytes,
                    static_cast<size_t>((row_end - row_begin) * row_bytes));
    } else if (decoded_dtype(m.dtype) == DType::f32) {
        rows_as(m, row_begin, row_end, static_cast<float*>(out));
    } else {
        rows_as(m, row_begin, row_end, static_cast<uint16_t*>(out));
    }
}

void decode_columns(const StoredMatrix& m, int64_t col_begin, int64_t col_end, void* out) {
    if (decoded_dtype(m.dtype) == DType::f32)
        columns_as(m, col_begin, col_end, static_cast<float*>(out));
    else
        columns_as(m, col_begin, col_end, static_cast<uint16_t*>(out));
}

bool holds_non_finite(const std::byte* at, DType dtype, int64_t count) {
    switch (dtype) {
        case DType::f32:
            return any_with_exponent<uint32_t>(at, count, 0x7F800000);
        case DType::bf16:
            return any_with_exponent<uint16_t>(at, count, 0x7F80);
        case DType::f16:
            return any_with_exponent<uint16_t>(at, count, 0x7C00);
        case DType::f8_e4m3:
            return any_with_exponent<uint8_t>(at, count, 0x7F);
        default:
            CHECK(false, "finiteness of a dtype that is not a float");
    }
}

}  // namespace saker
