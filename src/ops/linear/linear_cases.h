// Shapes that linear is tested and timed on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct LinearCase {
    const char* name;
    int64_t N, Ci, Co;
    int64_t x_stride, out_stride;  // 0: dense
    DType dtype, weight;
    bool bias;
};

inline constexpr LinearCase kLinearCases[] = {
    {"30B o_proj, decode", 1, 4096, 320, 0, 0, DType::bf16, DType::bf16, false},
    {"30B k_proj, four sequences, f32", 4, 2048, 264, 0, 0, DType::f32, DType::bf16, false},
    {"30B router", 7, 2048, 128, 0, 0, DType::bf16, DType::bf16, false},
    {"30B vision fc2", 3, 4304, 130, 0, 0, DType::bf16, DType::bf16, true},
    {"30B vision patch embedding, f32", 5, 1536, 144, 0, 0, DType::f32, DType::bf16, true},
    {"30B merger", 2, 4608, 256, 0, 0, DType::f32, DType::bf16, true},
    {"tiny 64 to 96", 19, 64, 96, 0, 0, DType::bf16, DType::bf16, true},
    {"tiny 96 to 64, f32", 19, 96, 64, 0, 0, DType::f32, DType::f32, true},
    {"tiny 40 to 160", 6, 40, 160, 0, 0, DType::bf16, DType::bf16, false},
    {"tiny 100 to 48, f32", 9, 100, 48, 0, 0, DType::f32, DType::bf16, false},
    {"columns of a fused row", 13, 64, 40, 200, 90, DType::bf16, DType::bf16, true},
    {"columns of a fused row, f32", 13, 64, 40, 200, 90, DType::f32, DType::bf16, true},
    {"odd 37 to 41", 11, 37, 41, 39, 43, DType::bf16, DType::bf16, true},
    {"odd 41 to 37, f32", 11, 41, 37, 0, 0, DType::f32, DType::bf16, false},
    {"f32 weight under bf16", 8, 70, 33, 0, 0, DType::bf16, DType::f32, true},
    {"width 1", 3, 1, 1, 2, 2, DType::bf16, DType::bf16, false},
    {"many rows, few columns", 150, 72, 5, 0, 0, DType::bf16, DType::bf16, false},
    {"many rows, few columns, f32", 150, 72, 5, 0, 0, DType::f32, DType::bf16, false},
    {"two segments and a tail", 5, 2057, 19, 0, 0, DType::bf16, DType::bf16, true},
    {"two segments and a tail, f32", 7, 2057, 19, 0, 0, DType::f32, DType::bf16, true},
    {"no rows", 0, 64, 32, 0, 0, DType::bf16, DType::bf16, true},
    {"no columns", 3, 64, 0, 0, 0, DType::f32, DType::bf16, false},
};

}  // namespace saker
