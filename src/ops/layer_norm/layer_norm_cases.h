// Shapes that layer_norm is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct LayerNormCase {
    const char* name;
    int64_t N, C;
    int64_t row_stride;  // 0: dense
    DType dtype, weight, bias;
};

inline constexpr LayerNormCase kLayerNormCases[] = {
    {"patches", 96, 1152, 0, DType::bf16, DType::bf16, DType::bf16},
    {"patches, f32", 33, 1152, 0, DType::f32, DType::bf16, DType::bf16},
    {"patches of the small tower", 20, 1024, 0, DType::bf16, DType::bf16, DType::bf16},
    {"deepstack merger", 24, 4608, 0, DType::bf16, DType::bf16, DType::bf16},
    {"tiny model", 19, 64, 0, DType::f32, DType::f32, DType::f32},
    {"strided, f32 bias", 7, 64, 80, DType::bf16, DType::bf16, DType::f32},
    {"odd width", 3, 37, 41, DType::bf16, DType::f32, DType::bf16},
    {"odd width, f32", 3, 67, 0, DType::f32, DType::f32, DType::bf16},
    {"width 1", 4, 1, 3, DType::f32, DType::f32, DType::f32},
    {"no rows", 0, 64, 0, DType::bf16, DType::bf16, DType::bf16},
};

}  // namespace saker
