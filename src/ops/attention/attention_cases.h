// Ragged batches that attention is tested on: the models' own heads, odd widths, contexts at the
// borders of pages and spans, empty sequences. attention_bench times shapes of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace saker {

/// The last `tokens` of a sequence's `context` tokens are queries.
struct AttentionPart {
    int32_t tokens, context;
};

struct AttentionCase {
    const char* name;
    int64_t H, K, D;
    int64_t B;         // tokens a page
    int64_t q_stride;  // 0: dense
    DType dtype;
    std::vector<AttentionPart> parts;
};

inline const std::vector<AttentionCase> kAttentionCases = {
    {"30B, decodes at the borders of pages",
     32,
     4,
     128,
     64,
     5120,
     DType::bf16,
     {{1, 1}, {1, 63}, {1, 64}, {1, 65}, {1, 128}}},
    {"30B, chunks and decodes",
     32,
     4,
     128,
     64,
     5120,
     DType::bf16,
     {{37, 100}, {1, 129}, {0, 5}, {64, 64}, {1, 1}, {0, 0}}},
    {"30B, f32", 32, 4, 128, 64, 0, DType::f32, {{1, 200}, {9, 70}}},
    {"30B, long decodes", 32, 4, 128, 64, 0, DType::bf16, {{1, 1024}, {1, 1025}, {2, 3100}}},
    {"a chunk over the border of spans", 8, 2, 64, 64, 0, DType::f32, {{40, 1040}, {3, 2049}}},
    {"tiny, f32", 4, 2, 32, 16, 256, DType::f32, {{5, 5}, {1, 17}, {20, 33}, {1, 16}}},
    {"tiny, pages of 4", 4, 2, 32, 4, 0, DType::bf16, {{7, 9}, {1, 4}, {1, 5}, {64, 70}}},
    {"pages of 128", 4, 2, 32, 128, 0, DType::bf16, {{7, 130}, {1, 300}}},
    {"pages of 24", 4, 1, 32, 24, 0, DType::f32, {{7, 130}, {1, 100}}},
    {"a KV head for each query head", 6, 6, 64, 64, 0, DType::bf16, {{70, 80}, {1, 66}}},
    {"one KV head, 8 query heads", 8, 1, 64, 16, 0, DType::f32, {{11, 40}, {1, 80}}},
    {"one KV head, 80 query heads", 80, 1, 16, 16, 0, DType::f32, {{3, 40}, {1, 80}}},
    {"3 query heads a KV head", 6, 2, 32, 64, 0, DType::bf16, {{50, 90}, {1, 64}, {2, 65}}},
    {"width 12", 4, 2, 12, 16, 0, DType::bf16, {{9, 30}, {1, 33}}},
    {"width 20", 4, 2, 20, 16, 0, DType::f32, {{9, 30}, {1, 33}}},
    {"width 36", 4, 4, 36, 64, 0, DType::bf16, {{9, 30}, {1, 33}}},
    {"width 256", 2, 1, 256, 64, 0, DType::bf16, {{9, 30}, {1, 90}}},
    {"empty sequences first and last", 4, 2, 32, 16, 0, DType::f32, {{0, 9}, {2, 2}, {0, 0}}},
    {"no tokens", 4, 2, 32, 16, 0, DType::bf16, {{0, 3}, {0, 0}}},
    {"no sequences", 4, 2, 32, 16, 0, DType::bf16, {}},
};

}  // namespace saker
