// How the weights of an expert may be stored, and how they get there from the checkpoint's rows.
//
// Every order stores "ready rows": row r of gate_up's 2 F is gate row 8 (r / 16) + r % 16 where
// r % 16 < 8, and up row 8 (r / 16) + r % 8 otherwise, so that a thread of a matrix instruction,
// which holds rows g and g + 8, has gate and up of one number side by side. down keeps its rows.
//
// The weights lie in blocks of R rows by 64 columns, R x 128 bytes in one piece; the blocks of the
// same rows follow each other. Within a block:
//
// - fragment: strips of 16 rows; in a strip, four tiles of 16 columns, each 512 bytes: the 16 bytes
//   that lane 0 of a warp wants in its registers as the left matrix of mma.m16n8k16 and of wgmma
//   (see ptx.cuh), then lane 1's.
// - swizzled: 64 rows by 64 columns, 8 KB, in the 128-byte swizzle that wgmma reads from shared
//   memory; the next 64 rows after them.
//
// R is 16 times `together`: how many strips of 2 KB a copy can take at once. Both orders are copied
// in bulk without a tensor map, and by the same code.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "tensor/dtype.h"

namespace saker::expert_layout {

constexpr int kC = 2048, kF = 768, kChosen = 8;  // Qwen3-VL-30B-A3B
constexpr int kStripNumbers = 16 * 64;           // of a strip in a block: 2 KB

/// Rows and columns of the two matrices of an expert.
template <bool UP>
constexpr int kRows = UP ? 2 * kF : kC;
template <bool UP>
constexpr int kColumns = UP ? kC : kF;

enum class Order { fragment, swizzled };

/// One layer of one matrix in a ready order.
struct Ready {
    const Bf16* numbers;
    int shift;  // of together, the strips of a block: 2, 4 or 8; swizzled: 4 or 8

    __host__ __device__ int together() const { return 1 << shift; }

    /// Strip `strip` of an expert's `rows` x `columns`, its 64 columns from 64 `block`.
    __device__ const Bf16* strip_at(int expert, int rows, int columns, int strip, int block) const {
        const int within = strip & (together() - 1);
        return numbers + (int64_t{expert} * rows + (strip - within) * 16) * columns +
               ((block << shift) + within) * kStripNumbers;
    }
};

/// The checkpoint's row that ready row `row` holds.
__host__ __device__ constexpr int checkpoint_row(bool up, int row) {
    if (!up) return row;
    return (row % 16 < 8 ? 0 : kF) + row / 16 * 8 + row % 8;
}

/// Where a number of a matrix of `columns` columns lies, by ready row.
__host__ __device__ constexpr int64_t place_of(Order order, int together, int row, int column,
                                               int columns) {
    const int rows = 16 * together, r = row % rows, c = column % 64;
    const int64_t block = int64_t{row / rows} * (columns / 64) + column / 64;
    const int64_t at = block * together * kStripNumbers;
    if (order == Order::swizzled)
        return at + r / 64 * 4096 + r % 64 * 64 + ((c / 8) ^ (r % 8)) * 8 + c % 8;
    const int lane = r % 8 * 4 + c % 8 / 2;
    return at + r / 16 * kStripNumbers + c / 16 * 256 + lane * 8 + c % 16 / 8 * 4 + r % 16 / 8 * 2 +
           c % 2;
}

/// Stores one layer of one matrix, [E, rows, columns], in a ready order: 16 bytes a thread.
template <Order ORDER, bool UP>
__global__ void __launch_bounds__(256)
    make_ready(Bf16* to, const Bf16* from, int together, int64_t pieces) {
    constexpr int kRow = kRows<UP>, kColumn = kColumns<UP>;
    const int64_t piece = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
    if (piece >= pieces) return;
    const int64_t expert = piece / (kRow * kColumn / 8);
    const int within = static_cast<int>(piece - expert * (kRow * kColumn / 8));
    const int of_block = together * (kStripNumbers / 8), block = within / of_block;
    const int i = within % of_block;
    const int first_row = block / (kColumn / 64) * together * 16;
    const int first_column = block % (kColumn / 64) * 64;
    const Bf16* const source = from + expert * kRow * kColumn;
    uint4 out;
    if (ORDER == Order::swizzled) {
        const int row = first_row + i / 8, column = first_column + ((i % 8) ^ (row % 8)) * 8;
        out = *reinterpret_cast<const uint4*>(source + int64_t{checkpoint_row(UP, row)} * kColumn +
                                              column);
    } else {
        const int row = first_row + i / 128 * 16 + i % 32 / 4;
        const int column = first_column + i % 128 / 32 * 16 + i % 4 * 2;
        const Bf16* const upper = source + int64_t{checkpoint_row(UP, row)} * kColumn + column;
        const Bf16* const lower = source + int64_t{checkpoint_row(UP, row + 8)} * kColumn + column;
        out.x = *reinterpret_cast<const uint32_t*>(upper);
        out.y = *reinterpret_cast<const uint32_t*>(lower);
        out.z = *reinterpret_cast<const uint32_t*>(upper + 8);
        out.w = *reinterpret_cast<const uint32_t*>(lower + 8);
    }
    reinterpret_cast<uint4*>(to)[piece] = out;
}

/// Counts the numbers that place_of does not find again, one by one from the checkpoint's side.
template <bool UP>
__global__ void __launch_bounds__(256) count_lost(const Bf16* ready, const Bf16* plain, Order order,
                                                  int together, int64_t numbers, int* lost) {
    constexpr int kRow = kRows<UP>, kColumn = kColumns<UP>;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i >= numbers) return;
    const int64_t expert = i / (kRow * kColumn);
    const int within = static_cast<int>(i - expert * (kRow * kColumn));
    const int row = within / kColumn, column = within % kColumn;  // ready row
    const Bf16 original = plain[(expert * kRow + checkpoint_row(UP, row)) * kColumn + column];
    const Bf16 found =
        ready[expert * kRow * kColumn + place_of(order, together, row, column, kColumn)];
    if (original.bits != found.bits) atomicAdd(lost, 1);
}

// Two numbers in one register, and the arithmetic that the specification asks for (3.6): gate, up,
// silu, the product and the weighted output are each rounded to bf16.

__device__ inline uint32_t pack(float low, float high) {
    const __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
    return uint32_t{__bfloat16_as_ushort(two.y)} << 16 | __bfloat16_as_ushort(two.x);
}
__device__ inline float low_of(uint32_t pair) {
    return __uint_as_float(pair << 16);
}
__device__ inline float high_of(uint32_t pair) {
    return __uint_as_float(pair & 0xFFFF0000u);
}
__device__ inline float widen(Bf16 x) {
    return __uint_as_float(uint32_t{x.bits} << 16);
}
__device__ inline Bf16 narrow(float x) {
    return {static_cast<uint16_t>(pack(x, 0.0f))};
}
__device__ inline float silu(float x) {
    return __fdividef(x, 1.0f + __expf(-x));
}
/// silu(gate) * up for two tokens.
__device__ inline uint32_t gated(float gate0, float gate1, float up0, float up1) {
    const uint32_t gate = pack(gate0, gate1), up = pack(up0, up1);
    const uint32_t opened = pack(silu(low_of(gate)), silu(high_of(gate)));
    return pack(low_of(opened) * low_of(up), high_of(opened) * high_of(up));
}

}  // namespace saker::expert_layout
