// Shapes that normalize is tested and timed on: the models' own, and odd and empty ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct NormalizeCase {
    const char* name;
    int64_t M, N;
    DType out;
};

inline constexpr NormalizeCase kNormalizeCases[] = {
    {"patches", 64, 1536, DType::bf16},      {"patches, f32", 64, 1536, DType::f32},
    {"one patch", 1, 1536, DType::f32},      {"odd third", 5, 111, DType::f32},
    {"odd third, bf16", 5, 21, DType::bf16}, {"one pixel a patch", 7, 3, DType::f32},
    {"no patches", 0, 1536, DType::bf16},
};

}  // namespace saker
