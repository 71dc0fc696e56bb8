// Shapes that add is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct AddCase {
    const char* name;
    int64_t N, C;
    int64_t out_stride, a_stride, b_stride;  // 0: dense
    DType dtype;
};

inline constexpr AddCase kAddCases[] = {
    {"30B hidden, decode", 1, 2048, 0, 0, 0, DType::bf16},
    {"30B hidden, prefill", 300, 2048, 0, 0, 0, DType::bf16},
    {"patches, f32", 33, 1152, 0, 0, 0, DType::f32},
    {"tiny model", 19, 64, 0, 0, 0, DType::f32},
    {"strided", 5, 48, 64, 50, 48, DType::bf16},
    {"odd width", 3, 37, 0, 41, 39, DType::bf16},
    {"odd width, f32", 3, 37, 38, 0, 0, DType::f32},
    {"width 1", 4, 1, 0, 0, 0, DType::f32},
    {"no rows", 0, 64, 0, 0, 0, DType::bf16},
};

}  // namespace saker
