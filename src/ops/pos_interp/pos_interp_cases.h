// Shapes that pos_interp is tested and timed on: the models' own, and odd and empty ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct PosInterpCase {
    const char* name;
    int64_t M, Np, C;
    DType dtype, table;
};

inline constexpr PosInterpCase kPosInterpCases[] = {
    {"patches", 64, 256, 1152, DType::bf16, DType::bf16},
    {"patches, f32", 33, 256, 1152, DType::f32, DType::bf16},
    {"tiny model", 19, 16, 64, DType::f32, DType::f32},
    {"f32 table", 6, 16, 64, DType::bf16, DType::f32},
    {"odd width", 7, 9, 37, DType::bf16, DType::bf16},
    {"odd width, f32", 3, 4, 37, DType::f32, DType::f32},
    {"width 1", 5, 1, 1, DType::f32, DType::bf16},
    {"no patches", 0, 16, 64, DType::bf16, DType::bf16},
};

}  // namespace saker
