// Shapes that scatter_rows is tested and timed on: the models' own, and odd, empty and strided
// ones.
#pragma once

#include <cstdint>

#include "ops/scatter_rows/scatter_rows.h"
#include "tensor/dtype.h"

namespace saker {

struct ScatterRowsCase {
    const char* name;
    int64_t T, N, C;
    int64_t values_stride;  // 0: dense
    DType dtype;
    Scatter mode;
};

inline constexpr ScatterRowsCase kScatterRowsCases[] = {
    {"a picture's embeddings", 300, 256, 2048, 0, DType::bf16, Scatter::set},
    {"a picture's deepstack", 300, 256, 2048, 0, DType::bf16, Scatter::add},
    {"f32", 40, 16, 2048, 0, DType::f32, Scatter::add},
    {"tiny model", 19, 4, 64, 0, DType::f32, Scatter::set},
    {"values in a wider matrix", 9, 5, 64, 256, DType::bf16, Scatter::set},
    {"odd width", 7, 7, 37, 41, DType::bf16, Scatter::add},
    {"odd width, f32", 11, 3, 37, 0, DType::f32, Scatter::add},
    {"width 1", 5, 1, 1, 0, DType::f32, Scatter::set},
    {"nothing to put", 5, 0, 64, 0, DType::bf16, Scatter::add},
};

}  // namespace saker
