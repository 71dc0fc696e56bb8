// What decode.cuh is compared with: experts of 1 to 8 tokens from the checkpoint's own rows, by
// plain loads of 16 bytes and the ordinary units. A warp takes gate and up row of a number, or four
// rows of down.
#pragma once

#include "bench/expert_layout/decode.cuh"

namespace saker::expert_layout {

/// Adds eight products in f32.
__device__ inline void add_products(float& sum, const uint4& a, const uint4& b) {
    const uint32_t x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        sum = fmaf(low_of(x[i]), low_of(y[i]), sum);
        sum = fmaf(high_of(x[i]), high_of(y[i]), sum);
    }
}
__device__ inline float over_warp(float x) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xFFFFFFFFu, x, distance);
    return x;
}
constexpr int rows_up_shared_bytes(int tokens) {
    return tokens * kC * 2;
}
constexpr int rows_down_shared_bytes(int tokens) {
    return tokens * kChosen * (kF * 2 + 16 * 4);
}

static __global__ void __launch_bounds__(256, 2) rows_up(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    wait_for_previous();
    launch_next();
    const int64_t numbers = int64_t{*a.num_choices} * kF;
    const int end = static_cast<int>(numbers * (blockIdx.x + 1) / gridDim.x);
    const int begin = static_cast<int>(numbers * blockIdx.x / gridDim.x) + warp;
    uint4 gate[8], up[8];
    const auto load = [&](int i) {
        const Bf16* const row =
            a.rows + (int64_t{a.choices[i / kF].expert} * 2 * kF + i % kF) * kC + lane * 8;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            gate[j] = load_once(row + j * 256);
            up[j] = load_once(row + int64_t{kF} * kC + j * 256);
        }
    };
    if (begin < end) load(begin);
    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * kC / 8; i += 256)
        reinterpret_cast<uint4*>(shared)[i] = reinterpret_cast<const uint4*>(a.in)[i];
    __syncthreads();
    for (int i = begin; i < end; i += 8) {
        if (i != begin) load(i);
        const Choice choice = a.choices[i / kF];
        for (int j = 0; j < choice.count; ++j) {
            const int pair = a.pairs[choice.first + j];
            const uint32_t x = shared_address(shared) + pair / kChosen * (kC * 2) + lane * 16;
            float gate_sum = 0, up_sum = 0;
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                const uint4 part = load_shared(x + k * 512);
                add_products(gate_sum, gate[k], part);
                add_products(up_sum, up[k], part);
            }
            const uint32_t h = gated(over_warp(gate_sum), 0, over_warp(up_sum), 0);
            if (lane == 0) a.out[pair * kF + i % kF] = {static_cast<uint16_t>(h)};
        }
    }
}

static __global__ void __launch_bounds__(512, 1) rows_down(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int threads = static_cast<int>(blockDim.x);
    const int pairs = a.num_tokens * kChosen;
    float* const products = reinterpret_cast<float*>(shared + pairs * kF * 2);
    uint4 rows[4][3];
    const auto load = [&](int i) {  // four rows of expert i / 4
        const Bf16* const from =
            a.rows + (int64_t{a.choices[i / 4].expert} * kC + blockIdx.x * 16 + i % 4 * 4) * kF +
            lane * 8;
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int k = 0; k < 3; ++k) rows[r][k] = load_once(from + r * kF + k * 256);
    };
    const int fours = *a.num_choices * 4;
    if (warp < fours) load(warp);
    wait_for_previous();
    launch_next();
    a.next.fetch();
    for (int i = static_cast<int>(threadIdx.x); i < pairs * kF / 8; i += threads)
        reinterpret_cast<uint4*>(shared)[i] = reinterpret_cast<const uint4*>(a.in)[i];
    __syncthreads();
    for (int i = warp; i < fours; i += threads / 32) {
        if (i != warp) load(i);
        const Choice choice = a.choices[i / 4];
        for (int j = 0; j < choice.count; ++j) {
            const int pair = a.pairs[choice.first + j];
            const uint32_t h = shared_address(shared) + pair * (kF * 2) + lane * 16;
            float sums[4] = {};
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                const uint4 part = load_shared(h + k * 512);
#pragma unroll
                for (int r = 0; r < 4; ++r) add_products(sums[r], rows[r][k], part);
            }
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const float sum = over_warp(sums[r]);
                if (lane == 0) products[pair * 16 + i % 4 * 4 + r] = sum;
            }
        }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * 16; i += threads) {
        const int token = i / 16, row = i % 16;
        float sum = 0;
        for (int j = 0; j < kChosen; ++j) {
            const int pair = token * kChosen + j;
            const float y = widen(narrow(products[pair * 16 + row]));
            sum += widen(narrow(y * a.pair_weights[pair]));
        }
        a.out[token * kC + blockIdx.x * 16 + row] = narrow(sum);
    }
}

}  // namespace saker::expert_layout
