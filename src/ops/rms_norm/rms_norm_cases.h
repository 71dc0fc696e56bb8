// Shapes that rms_norm is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct RmsNormCase {
    const char* name;
    int64_t N, H, C;     // H = 0: rank 2
    int64_t row_stride;  // 0: dense
    DType dtype, weight;
};

inline constexpr RmsNormCase kRmsNormCases[] = {
    {"30B hidden, decode", 1, 0, 2048, 0, DType::bf16, DType::bf16},
    {"30B hidden, prefill", 96, 0, 2048, 0, DType::bf16, DType::bf16},
    {"30B hidden, f32", 33, 0, 2048, 0, DType::f32, DType::bf16},
    {"q heads in a fused row", 7, 32, 128, 5120, DType::bf16, DType::bf16},
    {"k heads in a fused row, f32", 5, 4, 128, 5120, DType::f32, DType::bf16},
    {"tiny model", 19, 0, 64, 0, DType::f32, DType::bf16},
    {"tiny heads", 19, 4, 32, 0, DType::bf16, DType::f32},
    {"odd width", 3, 0, 37, 41, DType::bf16, DType::bf16},
    {"width 1", 4, 0, 1, 3, DType::f32, DType::f32},
    {"no rows", 0, 0, 64, 0, DType::bf16, DType::bf16},
};

}  // namespace saker
