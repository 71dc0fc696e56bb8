// Shapes that gelu is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "ops/gelu/gelu.h"
#include "tensor/dtype.h"

namespace saker {

struct GeluCase {
    const char* name;
    int64_t N, C;
    int64_t row_stride;  // 0: dense
    DType dtype;
    Gelu kind;
};

inline constexpr GeluCase kGeluCases[] = {
    {"vision block", 48, 4304, 0, DType::bf16, Gelu::tanh},
    {"vision block, f32", 12, 4304, 0, DType::f32, Gelu::tanh},
    {"merger", 24, 4608, 0, DType::bf16, Gelu::erf},
    {"merger, f32", 7, 4608, 0, DType::f32, Gelu::erf},
    {"tiny block", 19, 96, 0, DType::f32, Gelu::tanh},
    {"tiny merger", 19, 96, 0, DType::f32, Gelu::erf},
    {"strided", 5, 48, 64, DType::bf16, Gelu::erf},
    {"odd width, tanh", 3, 37, 41, DType::bf16, Gelu::tanh},
    {"odd width, erf", 3, 37, 0, DType::f32, Gelu::erf},
    {"width 1", 4, 1, 0, DType::f32, Gelu::tanh},
    {"no rows", 0, 64, 0, DType::bf16, Gelu::erf},
};

}  // namespace saker
