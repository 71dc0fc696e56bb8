// The cpu backend's matrix product: a few rows of x times a block of weight rows, sums in f32.
//
// linear and moe_experts call gemm_tile from the tasks of a thread pool and do their own rounding
// and storing. Weights are read where they lie, in Linear order [Co, Ci], by unaligned loads and
// never past a row's end, so they may be the last bytes of a mapped file; nothing is packed.
// The bits of one sum depend on the dtypes, Ci, the two rows and the machine's instruction set
// alone: not on the other rows, the other columns, or how the work was split.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace saker::cpu {

inline constexpr int64_t kGemmRows = 6;       // most rows of x that one tile takes
inline constexpr int64_t kGemmColumns = 128;  // most weight rows; also the pitch of `sums`

/// sums[r * kGemmColumns + o] = sum over i of x_rows[r][i] * weight[column + o, i], for r in
/// [0, num_rows) and o in [0, num_columns). x_rows: pointers to rows of Ci numbers of x_dtype, f32
/// or bf16. weight: [Co, Ci] f32 or bf16, dense. Runs on the calling thread.
void gemm_tile(DType x_dtype, const void* const* x_rows, int64_t num_rows, const Tensor& weight,
               int64_t column, int64_t num_columns, float* sums);

/// Which instructions gemm_tile uses for these dtypes on this machine, for the start-up print.
const char* gemm_variant(DType x_dtype, DType weight_dtype);

/// Weight rows a task: a multiple of 8, at most kGemmColumns, few enough for rows of Ci elements to
/// fit into a core's L2 and for the num_blocks row blocks to make several tasks a thread.
int64_t gemm_column_step(int64_t Co, int64_t Ci, int64_t num_blocks, int num_threads);

/// How a product of [N, Ci] and [Co, Ci] is cut into tasks: (row block, column block), the column
/// block running fastest.
struct GemmGrid {
    int64_t row_step, column_step;  // multiples of kGemmRows and of 8
    int64_t num_row_blocks, num_column_blocks;

    int64_t num_tasks() const { return num_row_blocks * num_column_blocks; }
};
GemmGrid plan_gemm(int64_t N, int64_t Co, int64_t Ci, int num_threads);

}  // namespace saker::cpu
