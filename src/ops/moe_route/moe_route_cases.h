// Shapes that moe_route is tested on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct MoeRouteCase {
    const char* name;
    int64_t T, E, A;
    int64_t logits_stride;  // 0: dense
    DType logits, weights;
};

inline constexpr MoeRouteCase kMoeRouteCases[] = {
    {"30B, decode", 1, 128, 8, 0, DType::bf16, DType::bf16},
    {"30B, prefill", 300, 128, 8, 0, DType::bf16, DType::bf16},
    {"30B, f32", 77, 128, 8, 0, DType::f32, DType::f32},
    {"30B, f32 weights", 5, 128, 8, 0, DType::bf16, DType::f32},
    {"tiny model", 19, 4, 2, 0, DType::bf16, DType::bf16},
    {"strided logits", 9, 37, 5, 41, DType::bf16, DType::bf16},
    {"all experts", 6, 7, 7, 0, DType::f32, DType::f32},
    {"one expert", 3, 1, 1, 0, DType::bf16, DType::bf16},
    {"no tokens", 0, 128, 8, 0, DType::bf16, DType::bf16},
};

}  // namespace saker
