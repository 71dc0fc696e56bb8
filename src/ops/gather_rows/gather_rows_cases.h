// Shapes that gather_rows is tested and timed on: the models' own, and odd and empty ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct GatherRowsCase {
    const char* name;
    int64_t N, T, C;
    DType dtype;
};

inline constexpr GatherRowsCase kGatherRowsCases[] = {
    {"last rows of 64 sequences", 64, 400, 2048, DType::bf16},
    {"one prompt, f32", 1, 96, 2048, DType::f32},
    {"tiny model", 19, 30, 64, DType::f32},
    {"more rows than there are", 33, 7, 37, DType::bf16},
    {"width 1", 4, 3, 1, DType::bf16},
    {"no rows", 0, 8, 64, DType::bf16},
};

}  // namespace saker
