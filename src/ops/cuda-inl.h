// What the kernels of the cuda backend share: launches, numbers loaded and stored several at a
// time, sums over lanes. The counterpart of simd-inl.h; included by *_cuda.cu alone.
//
// Compiled without contraction (cmake/flags.cmake): a * b + c rounds twice, fmaf(a, b, c) once.
// A kernel computes in f32 and holds what it read as it came (Piece), since registers bound how
// many bytes a multiprocessor has in flight: about 64 KB are needed to read at full speed on an
// H200.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "tensor/cuda_check.h"
#include "tensor/tensor.h"

namespace saker::cuda {

constexpr int kWarp = 32;

inline int64_t ceil_div(int64_t n, int64_t by) {
    return (n + by - 1) / by;
}

/// Enqueues a kernel with blocks and threads in one dimension; use inside CUDA_CHECK. Arguments
/// convert to the kernel's parameters as in a call.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), int64_t num_blocks, int num_threads, void* stream,
                   Arguments... arguments) {
    CHECK(num_blocks > 0 && num_blocks <= INT32_MAX, "a grid of this size cannot be launched");
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(num_blocks));
    config.blockDim = dim3(static_cast<unsigned>(num_threads));
    config.stream = static_cast<cudaStream_t>(stream);
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// True where every row of `t` begins at a multiple of `bytes`; a vector is one row.
inline bool rows_aligned(const Tensor& t, int64_t bytes) {
    return reinterpret_cast<uintptr_t>(t.raw()) % static_cast<uintptr_t>(bytes) == 0 &&
           (t.rank() == 1 || t.dim(0) <= 1 || t.row_stride() * size_of(t.dtype()) % bytes == 0);
}

__device__ inline float widen(float x) {
    return x;
}
__device__ inline float widen(Bf16 x) {
    return __uint_as_float(uint32_t{x.bits} << 16);
}

template <class T>
__device__ inline T narrow(float x);
template <>
__device__ inline float narrow<float>(float x) {
    return x;
}
template <>
__device__ inline Bf16 narrow<Bf16>(float x) {
    // As half of a pair, which is ordinary arithmetic; the conversion of one number alone goes to a
    // slow unit (F2F), and cost rope 0.4 us of 1.4 on one token.
    return {__bfloat16_as_ushort(__floats2bfloat162_rn(x, 0.0f).x)};
}

/// `x` rounded as a store to T would: the specification's bf(x) in a bf16 run.
template <class T>
__device__ inline float rounded(float x) {
    return widen(narrow<T>(x));
}

/// E successive numbers of a row, as they lie in memory: E x sizeof(T) is 4, 8 or a multiple of 16
/// bytes. Words rather than numbers, so that two bf16 share a register.
template <class T, int E>
struct Piece {
    static constexpr int kBytes = E * static_cast<int>(sizeof(T));
    static constexpr int kAlignment = kBytes < 16 ? kBytes : 16;
    static_assert(kBytes == 4 || kBytes == 8 || kBytes % 16 == 0);
    uint32_t words[kBytes / 4] = {};

    __device__ float operator[](int i) const {
        if constexpr (sizeof(T) == 4)
            return __uint_as_float(words[i]);
        else
            return __uint_as_float(i % 2 ? words[i / 2] & 0xFFFF0000u : words[i / 2] << 16);
    }
    /// Numbers i and i + 1, each rounded once; i is even.
    __device__ void set_two(int i, float low, float high) {
        if constexpr (sizeof(T) == 4) {
            words[i] = __float_as_uint(low);
            words[i + 1] = __float_as_uint(high);
        } else {
            const __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
            words[i / 2] =
                uint32_t{__bfloat16_as_ushort(two.y)} << 16 | __bfloat16_as_ushort(two.x);
        }
    }
    /// By accesses of kAlignment bytes, of which `from` and `to` are a multiple.
    __device__ void load(const T* from) { move(words, from); }
    __device__ void store(T* to) const { move(to, words); }
    /// The first `count` numbers, one by one from anywhere; the rest are 0.
    __device__ void load_some(const T* from, int64_t count) {
#pragma unroll
        for (int i = 0; i < E; i += 2)
            set_two(i, i < count ? widen(from[i]) : 0.0f,
                    i + 1 < count ? widen(from[i + 1]) : 0.0f);
    }
    __device__ void store_some(T* to, int64_t count) const {
#pragma unroll
        for (int i = 0; i < E; ++i)
            if (i < count) to[i] = narrow<T>((*this)[i]);
    }

  private:
    __device__ static void move(void* to, const void* from) {
        using Unit = std::conditional_t<kAlignment == 16, uint4,
                                        std::conditional_t<kAlignment == 8, uint2, uint32_t>>;
#pragma unroll
        for (int u = 0; u < kBytes / kAlignment; ++u)
            static_cast<Unit*>(to)[u] = static_cast<const Unit*>(from)[u];
    }
};

/// The sum over `GROUP` neighbouring lanes, a power of two, in each of them: the same bits in all,
/// and in an order that depends on GROUP alone.
template <int GROUP>
__device__ inline float sum_over_lanes(float x) {
#pragma unroll
    for (int distance = GROUP / 2; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xFFFFFFFFu, x, distance);
    return x;
}

}  // namespace saker::cuda
