// The (token, expert) pairs of a step in the order of their experts, and how they are cut into
// tasks. Used by moe_experts_cpu.cpp alone.
#pragma once

#include <cstdint>

#include "ops/gemm_cpu.h"
#include "tensor/exec.h"

namespace saker::cpu {

/// Pair p is slot p % A of token p / A.
struct Pairs {
    const int32_t* order;   // [T * A] pairs, by expert, then by token
    const int32_t* blocks;  // [num_blocks, 3]: expert, begin and end in `order`; never empty
    int64_t num_blocks, A;

    int64_t token(int64_t i) const { return order[i] / A; }
};

/// Counting sort, into scratch. CHECKs that each of `experts` [T, A] i32 is in [0, E).
Pairs sort_pairs(ScratchScope& scratch, const Tensor& experts, int64_t E);

/// Pairs order[begin..end) of one expert, and some of the output columns.
struct PairTask {
    int64_t expert, begin, end;
    int64_t column, num_columns;  // at most kGemmColumns
};

/// Calls body on every thread of the pool for tasks that cover all pairs times num_columns columns.
/// weight_elements: weights that one column needs, so that a task's weights fit into a core's L2.
void run_pairs(const Exec& ex, const Pairs& pairs, int64_t num_columns, int64_t weight_elements,
               FunctionRef<void(const PairTask&)> body);

}  // namespace saker::cpu
