// Shapes that embed is tested and timed on: the models' own, and odd and empty ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct EmbedCase {
    const char* name;
    int64_t T, V, C;
    DType table, out;
};

inline constexpr EmbedCase kEmbedCases[] = {
    {"30B, decode", 1, 200, 2048, DType::bf16, DType::bf16},
    {"30B, prefill", 300, 200, 2048, DType::bf16, DType::bf16},
    {"f32 run of a bf16 model", 40, 200, 2048, DType::bf16, DType::f32},
    {"tiny model", 19, 512, 64, DType::f32, DType::f32},
    {"odd width", 33, 7, 37, DType::bf16, DType::f32},
    {"narrowing", 5, 3, 21, DType::f32, DType::bf16},
    {"one token in the vocabulary", 4, 1, 3, DType::bf16, DType::bf16},
    {"no tokens", 0, 8, 64, DType::bf16, DType::bf16},
};

}  // namespace saker
