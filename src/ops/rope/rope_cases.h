// Shapes that rope is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct RopeCase {
    const char* name;
    int64_t T, H, D;
    int64_t row_stride;  // 0: dense
    DType dtype, table;
};

inline constexpr RopeCase kRopeCases[] = {
    {"30B q, decode", 1, 32, 128, 5120, DType::bf16, DType::bf16},
    {"30B q, prefill", 65, 32, 128, 5120, DType::bf16, DType::bf16},
    {"30B k, f32", 9, 4, 128, 5120, DType::f32, DType::f32},
    {"vision q", 24, 16, 72, 3456, DType::bf16, DType::f32},
    {"vision q, 64 wide", 24, 16, 64, 3072, DType::bf16, DType::f32},
    {"tiny text", 19, 4, 32, 0, DType::bf16, DType::bf16},
    {"tiny vision", 16, 2, 12, 72, DType::f32, DType::f32},
    {"odd width", 3, 5, 38, 0, DType::bf16, DType::bf16},
    {"one pair", 4, 1, 2, 7, DType::bf16, DType::f32},
    {"no tokens", 0, 4, 32, 0, DType::bf16, DType::bf16},
};

}  // namespace saker
