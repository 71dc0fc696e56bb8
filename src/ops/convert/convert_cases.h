// Shapes that convert is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct ConvertCase {
    const char* name;
    int64_t N, C;
    int64_t out_stride, x_stride;  // 0: dense
    DType out, x;
};

inline constexpr ConvertCase kConvertCases[] = {
    {"logits of 4 sequences", 4, 151936, 0, 0, DType::f32, DType::bf16},
    {"pixels", 40, 1536, 0, 0, DType::bf16, DType::f32},
    {"strided", 5, 48, 64, 50, DType::bf16, DType::f32},
    {"odd width", 3, 37, 39, 41, DType::f32, DType::bf16},
    {"same format, bf16", 3, 37, 0, 41, DType::bf16, DType::bf16},
    {"same format, f32", 3, 37, 38, 0, DType::f32, DType::f32},
    {"width 1", 4, 1, 0, 0, DType::bf16, DType::f32},
    {"no rows", 0, 64, 0, 0, DType::bf16, DType::f32},
};

}  // namespace saker
