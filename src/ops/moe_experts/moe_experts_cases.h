// Shapes and routings that moe_experts is tested on: the models' own, and odd and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

enum class Routing {
    even,    // each token draws its experts uniformly
    skewed,  // low experts far more often; the last ones never
    single,  // every token has the experts 0..A-1
};

struct MoeExpertsCase {
    const char* name;
    int64_t T, A, E, C, F;
    Routing routing;
    DType dtype, weights, matrices;
    int64_t x_stride, out_stride;  // 0: dense
};

inline constexpr MoeExpertsCase kMoeExpertsCases[] = {
    {"30B, one expert's shape", 3, 2, 2, 2048, 48, Routing::even, DType::bf16, DType::bf16,
     DType::bf16, 0, 0},
    {"30B's numbers of experts", 5, 8, 128, 64, 48, Routing::even, DType::bf16, DType::bf16,
     DType::bf16, 0, 0},
    {"30B's numbers of experts, f32", 40, 8, 128, 48, 24, Routing::even, DType::f32, DType::f32,
     DType::bf16, 0, 0},
    {"one token", 1, 8, 32, 96, 160, Routing::even, DType::bf16, DType::bf16, DType::bf16, 0, 0},
    {"tiny model", 19, 2, 4, 64, 48, Routing::even, DType::bf16, DType::bf16, DType::bf16, 0, 0},
    {"tiny model, f32", 19, 2, 4, 64, 48, Routing::even, DType::f32, DType::f32, DType::f32, 0, 0},
    {"skewed, experts without tokens", 50, 3, 16, 40, 36, Routing::skewed, DType::bf16, DType::f32,
     DType::bf16, 0, 0},
    {"all tokens to one expert", 300, 1, 5, 32, 20, Routing::single, DType::bf16, DType::bf16,
     DType::bf16, 0, 0},
    {"all tokens to the same experts, f32", 270, 2, 5, 32, 20, Routing::single, DType::f32,
     DType::f32, DType::bf16, 0, 0},
    {"odd widths in strided rows", 11, 3, 7, 37, 41, Routing::even, DType::bf16, DType::bf16,
     DType::bf16, 40, 39},
    {"odd widths, f32", 11, 3, 7, 37, 41, Routing::even, DType::f32, DType::f32, DType::bf16, 40,
     39},
    {"no tokens", 0, 8, 16, 64, 48, Routing::even, DType::bf16, DType::bf16, DType::bf16, 0, 0},
};

}  // namespace saker
