// Segments that vision_attention is tested on: the towers' heads, one patch grid of each size
// class, empty segments, columns of a fused row.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace saker {

struct VisionAttentionCase {
    const char* name;
    int64_t H, D;
    bool fused;  // q, k and v are columns of one [M, 3 H D]
    DType dtype;
    std::vector<int32_t> segments;  // patches each
};

inline const std::vector<VisionAttentionCase> kVisionAttentionCases = {
    {"30B tower, small picture", 16, 72, true, DType::bf16, {64, 64}},
    {"30B tower, uneven frames", 2, 72, true, DType::bf16, {4, 300, 36}},
    {"30B tower, f32", 2, 72, true, DType::f32, {130, 16}},
    {"2B tower", 4, 64, true, DType::bf16, {196}},
    {"2B tower, f32, dense", 2, 64, false, DType::f32, {63, 65}},
    {"tiny", 2, 12, true, DType::f32, {16, 24, 4}},
    {"tiny, bf16", 2, 12, false, DType::bf16, {16, 24, 4}},
    {"width 20", 3, 20, true, DType::bf16, {129}},
    {"many patches", 1, 12, true, DType::bf16, {2000}},
    {"empty segments", 2, 12, true, DType::f32, {0, 8, 0, 4, 0}},
    {"one patch", 2, 72, true, DType::bf16, {1}},
    {"no patches", 2, 72, true, DType::bf16, {0, 0}},
    {"no segments", 2, 72, true, DType::bf16, {}},
};

}  // namespace saker
