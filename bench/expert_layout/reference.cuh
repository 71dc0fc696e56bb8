// The slow twin of the expert kernels, and what compares them.
#pragma once

#include "bench/expert_layout/format.cuh"

namespace saker::expert_layout {

// By the checkpoint's rows, sums in double, a warp a number.

__device__ inline double dot_over_warp(const Bf16* a, const Bf16* b, int length) {
    double sum = 0;
    for (int i = static_cast<int>(threadIdx.x) % 32; i < length; i += 32)
        sum += static_cast<double>(widen(a[i]) * widen(b[i]));  // the product is exact in f32
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, distance);
    return sum;
}
__device__ inline float as_stored(double x) {
    return widen(narrow(static_cast<float>(x)));
}

/// h [pairs, F]; a warp a number.
static __global__ void __launch_bounds__(256)
    reference_up(Bf16* h, const Bf16* x, const int* experts, const Bf16* gate_up, int64_t numbers) {
    const int64_t i = (static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x) / 32;
    if (i >= numbers) return;
    const int64_t pair = i / kF;
    const int f = static_cast<int>(i - pair * kF);
    const Bf16* const of_expert = gate_up + int64_t{experts[pair]} * 2 * kF * kC;
    const Bf16* const token = x + pair / kChosen * kC;
    const float gate = as_stored(dot_over_warp(of_expert + int64_t{f} * kC, token, kC));
    const float up = as_stored(dot_over_warp(of_expert + int64_t{kF + f} * kC, token, kC));
    const float opened = as_stored(gate / (1.0 + exp(-static_cast<double>(gate))));
    if (threadIdx.x % 32 == 0) h[i] = narrow(opened * up);
}

/// out [tokens, C] in f32, unrounded; a warp a number.
static __global__ void __launch_bounds__(256)
    reference_down(float* out, const Bf16* h, const int* experts, const float* weights,
                   const Bf16* down, int64_t numbers) {
    const int64_t i = (static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x) / 32;
    if (i >= numbers) return;
    const int64_t token = i / kC;
    const int c = static_cast<int>(i - token * kC);
    double sum = 0;
    for (int a = 0; a < kChosen; ++a) {
        const int64_t pair = token * kChosen + a;
        const float y = as_stored(
            dot_over_warp(down + (int64_t{experts[pair]} * kC + c) * kF, h + pair * kF, kF));
        sum += as_stored(y * weights[pair]);
    }
    if (threadIdx.x % 32 == 0) out[i] = static_cast<float>(sum);
}

/// Sums of squares of the difference and of the reference, and the count of numbers that are none.
static __global__ void __launch_bounds__(256)
    compare(double* sums, const Bf16* out, const float* reference, int64_t numbers) {
    double wrong = 0, size = 0, missing = 0;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x; i < numbers;
         i += static_cast<int64_t>(gridDim.x) * 256) {
        const double got = widen(out[i]), asked = reference[i];
        if (!isfinite(got)) missing += 1;
        wrong += (got - asked) * (got - asked);
        size += asked * asked;
    }
    atomicAdd(sums, wrong);
    atomicAdd(sums + 1, size);
    atomicAdd(sums + 2, missing);
}

}  // namespace saker::expert_layout
