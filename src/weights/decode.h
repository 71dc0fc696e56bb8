// Decoding: from the number formats of files to those of models, straight or transposed.
//
// Used by loader.h alone. A stored matrix is read in its own orientation; its block scales
// (f8_e4m3) lie along its own axes. Each number is converted on its own, so the result does not
// depend on how the work is cut. To add a format: a case in decoded_dtype and a DecodeTile in
// decode.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tensor/dtype.h"

namespace saker {

/// Rows and columns that share one scale of an f8_e4m3 weight.
constexpr int64_t kScaleBlock = 128;

/// What a model sees of a stored dtype; nothing for one that is not a weight format.
///   f32 -> f32, bf16 -> bf16, f16 -> f32 (exact), f8_e4m3 -> bf16(f32(q) * f32(scale))
std::optional<DType> decoded_dtype(DType stored);

/// [rows, cols] as a file holds it; nothing need be aligned.
struct StoredMatrix {
    const std::byte* at = nullptr;
    DType dtype = DType::bf16;
    int64_t rows = 0, cols = 0;
    const std::byte* scales = nullptr;  // f8_e4m3: [ceil(rows / 128), ceil(cols / 128)]
    DType scale_dtype = DType::bf16;    // bf16 or f32
};

/// out: [row_end - row_begin, cols] of the decoded dtype, dense: those rows.
void decode_rows(const StoredMatrix& matrix, int64_t row_begin, int64_t row_end, void* out);

/// out: [col_end - col_begin, rows] of the decoded dtype, dense: those columns, as rows.
void decode_columns(const StoredMatrix& matrix, int64_t col_begin, int64_t col_end, void* out);

/// True where one of `count` numbers is a NaN or an infinity. Float formats only.
bool holds_non_finite(const std::byte* at, DType dtype, int64_t count);

}  // namespace saker
