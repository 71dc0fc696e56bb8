// Shapes that rope_table is tested on: both text models' and the vision tower's, odd and empty
// ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct RopeTableCase {
    const char* name;
    int64_t T, J, X;
    int64_t position_stride;  // 0: dense
    int32_t max_position;
    float theta, scale;
    DType dtype;
};

inline constexpr RopeTableCase kRopeTableCases[] = {
    {"30B, decode", 3, 64, 3, 0, 262144, 5e6f, 1.0f, DType::bf16},
    {"30B, prefill", 130, 64, 3, 512, 262144, 5e6f, 1.0f, DType::bf16},
    {"30B, f32", 17, 64, 3, 0, 262144, 5e6f, 1.0f, DType::f32},
    {"long context with YaRN's scale", 9, 64, 3, 0, 1000000, 5e6f, 1.1098612f, DType::f32},
    {"vision, 72 wide", 64, 36, 2, 0, 128, 1e4f, 1.0f, DType::f32},
    {"tiny vision", 7, 6, 2, 16, 32, 1e4f, 1.0f, DType::f32},
    {"one axis, one frequency", 5, 1, 1, 0, 4096, 1e4f, 1.0f, DType::bf16},
    {"no tokens", 0, 64, 3, 0, 16, 5e6f, 1.0f, DType::bf16},
};

}  // namespace saker
