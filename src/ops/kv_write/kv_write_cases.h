// Shapes that kv_write is tested on: the models' own, and odd, empty and strided ones.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct KvWriteCase {
    const char* name;
    int64_t T, K, D;
    int64_t Np, B;       // pages, tokens a page
    int64_t row_stride;  // of k and v; 0: dense
    DType dtype;
};

inline constexpr KvWriteCase kKvWriteCases[] = {
    {"30B, decode", 1, 4, 128, 3, 64, 5120, DType::bf16},
    {"30B, prefill", 150, 4, 128, 4, 64, 5120, DType::bf16},
    {"tiny, f32", 37, 2, 32, 4, 16, 0, DType::f32},
    {"small pages", 12, 2, 32, 5, 4, 0, DType::bf16},
    {"odd width", 9, 3, 12, 2, 16, 40, DType::f32},
    {"no tokens", 0, 4, 128, 2, 64, 0, DType::bf16},
};

}  // namespace saker
