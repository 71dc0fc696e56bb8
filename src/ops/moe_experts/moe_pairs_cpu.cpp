// One pass counts, one places. The sort is stable: an expert's pairs stand in the order of tokens.
#include "ops/moe_experts/moe_pairs_cpu.h"

#include <algorithm>

namespace saker::cpu {
namespace {

// Pairs a block: an expert with more is shared among threads, at the price of reading its weights
// once a block.
constexpr int64_t kBlockPairs = 42 * kGemmRows;

}  // namespace

Pairs sort_pairs(ScratchScope& scratch, const Tensor& experts, int64_t E) {
    const int64_t num_pairs = experts.num_elements();
    const int32_t* expert_of = experts.as<int32_t>();
    int32_t* starts = scratch.take(DType::i32, {E + 1}).as<int32_t>();
    int32_t* order = scratch.take(DType::i32, {num_pairs}).as<int32_t>();
    int32_t* blocks = scratch.take(DType::i32, {E + num_pairs / kBlockPairs, 3}).as<int32_t>();
    std::fill_n(starts, E + 1, 0);
    for (int64_t p = 0; p < num_pairs; ++p) {
        CHECK(expert_of[p] >= 0 && expert_of[p] < E, "moe_experts: an expert that does not exist");
        ++starts[expert_of[p] + 1];
    }
    int64_t num_blocks = 0;
    for (int64_t e = 0; e < E; ++e) {
        const int64_t first = starts[e], last = first + starts[e + 1];
        for (int64_t begin = first; begin < last; begin += kBlockPairs) {
            int32_t* block = blocks + 3 * num_blocks++;
            block[0] = static_cast<int32_t>(e);
            block[1] = static_cast<int32_t>(begin);
            block[2] = static_cast<int32_t>(std::min(last, begin + kBlockPairs));
        }
        starts[e + 1] = static_cast<int32_t>(last);
    }
    // From here on starts[e] is where the next pair of expert e goes.
    for (int64_t p = 0; p < num_pairs; ++p) order[starts[expert_of[p]]++] = static_cast<int32_t>(p);
    return {order, blocks, num_blocks, experts.dim(1)};
}

void run_pairs(const Exec& ex, const Pairs& pairs, int64_t num_columns, int64_t weight_elements,
               FunctionRef<void(const PairTask&)> body) {
    const int64_t step =
        gemm_column_step(num_columns, weight_elements, pairs.num_blocks, ex.pool->num_threads());
    const int64_t column_blocks = (num_columns + step - 1) / step;
    ex.pool->run(pairs.num_blocks * column_blocks, [&](int64_t i) {
        const int32_t* block = pairs.blocks + i / column_blocks * 3;
        const int64_t column = i % column_blocks * step;
        body({block[0], block[1], block[2], column, std::min(step, num_columns - column)});
    });
}

}  // namespace saker::cpu
