// Shapes that swiglu is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct SwigluCase {
    const char* name;
    int64_t N, F;
    int64_t out_stride, in_stride;  // 0: dense
    DType dtype;
};

inline constexpr SwigluCase kSwigluCases[] = {
    {"experts of 30B, decode", 8, 768, 0, 0, DType::bf16},
    {"experts of 30B, prefill", 300, 768, 0, 0, DType::bf16},
    {"dense 8B", 9, 12288, 0, 0, DType::bf16},
    {"dense 2B, f32", 17, 6144, 0, 0, DType::f32},
    {"tiny model", 19, 96, 0, 0, DType::f32},
    {"strided", 5, 48, 64, 128, DType::bf16},
    {"odd width", 3, 37, 41, 75, DType::bf16},
    {"odd width, f32", 3, 37, 0, 0, DType::f32},
    {"width 1", 4, 1, 0, 0, DType::f32},
    {"no rows", 0, 64, 0, 0, DType::bf16},
};

}  // namespace saker
