// What stands around the grouped products: token tiles are gathered from x, rows are added up.
#pragma once

#include "bench/expert_layout/grouped.h"
#include "bench/expert_layout/ptx.cuh"

namespace saker::expert_layout {

/// Token tiles of x: four slots a block, 16 bytes a thread and slot.
static __global__ void __launch_bounds__(256)
    gather(Bf16* tiles, const Bf16* x, const Slot* slots, int num_slots) {
    launch_next();
    wait_for_previous();
    const int piece = static_cast<int>(threadIdx.x);
    uint4 values[4];
    Slot slot[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int s = static_cast<int>(blockIdx.x) * 4 + i;
        slot[i] = s < num_slots ? slots[s] : Slot{-1, 0, 0, 0};
        if (slot[i].pair >= 0)
            values[i] = *reinterpret_cast<const uint4*>(x + int64_t{slot[i].pair / kChosen} * kC +
                                                        piece * 8);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (slot[i].pair >= 0) {
            const int row = slot[i].row;
            Bf16* const to = tiles + int64_t{slot[i].first} * kC +
                             (piece / 8 * slot[i].columns + row) * 64 +
                             ((piece % 8) ^ (row % 8)) * 8;
            *reinterpret_cast<uint4*>(to) = values[i];
        }
}

/// out[t] = the eight rows of token t times their weights, each rounded, added in order, rounded
/// once. A block a token.
static __global__ void __launch_bounds__(256)
    combine(Bf16* out, const Bf16* rows, const int* slot_of_pair, const float* pair_weights) {
    const int first = static_cast<int>(blockIdx.x) * kChosen;
    int slots[kChosen];
    float weights[kChosen];
#pragma unroll
    for (int a = 0; a < kChosen; ++a) {
        slots[a] = slot_of_pair[first + a];
        weights[a] = pair_weights[first + a];
    }
    launch_next();
    wait_for_previous();
    uint4 v[kChosen];
#pragma unroll
    for (int a = 0; a < kChosen; ++a)
        v[a] = *reinterpret_cast<const uint4*>(rows + int64_t{slots[a]} * kC + threadIdx.x * 8);
    float sum[8] = {};
#pragma unroll
    for (int a = 0; a < kChosen; ++a) {
        const uint32_t words[4] = {v[a].x, v[a].y, v[a].z, v[a].w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const uint32_t weighed =
                pack(low_of(words[i]) * weights[a], high_of(words[i]) * weights[a]);
            sum[2 * i] += low_of(weighed);
            sum[2 * i + 1] += high_of(weighed);
        }
    }
    *reinterpret_cast<uint4*>(out + int64_t{blockIdx.x} * kC + threadIdx.x * 8) = make_uint4(
        pack(sum[0], sum[1]), pack(sum[2], sum[3]), pack(sum[4], sum[5]), pack(sum[6], sum[7]));
}

}  // namespace saker::expert_layout
