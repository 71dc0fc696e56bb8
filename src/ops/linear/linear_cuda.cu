// linear on a GPU: the matrix product of the Exec's CudaLane (cuBLASLt), and what it does not do
// itself.
//
// bf16 all through, with a bias of bf16 or none, is one call of the library with the bias in its
// epilogue: every linear of a model that is served. Each other combination of dtypes multiplies
// into f32, widening first what is bf16 beside f32, and a kernel here adds the bias and rounds
// once. Those are the f32 runs that check a model, so a strip of the weight is widened into scratch
// each time, simple rather than fast.
//
// Limits, on an H200: 4,096 rows are bound by arithmetic, up to about 64 rows by reading the
// weight; widening and finishing by memory (6 to 8 bytes a number).
#include <algorithm>

#include "ops/cuda-inl.h"
#include "ops/cuda_lane.h"
#include "ops/linear/linear_backends.h"

namespace saker::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kStripBytes = int64_t{64} << 20;  // of widened weight at a time

__global__ void __launch_bounds__(kThreads)
    widen_rows(float* out, const Bf16* x, int64_t num, int width, int64_t x_stride) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i >= num) return;
    const int64_t row = i / width;
    out[i] = widen(x[row * x_stride + (i - row * width)]);
}

template <class Out, class Bias>
__global__ void __launch_bounds__(kThreads)
    add_bias(Out* out, const float* sum, const Bias* bias, int64_t num, int width,
             int64_t out_stride, int64_t sum_stride) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i >= num) return;
    const int64_t row = i / width;
    const int column = static_cast<int>(i - row * width);
    const float value = sum[row * sum_stride + column] + (bias ? widen(bias[column]) : 0.0f);
    out[row * out_stride + column] = narrow<Out>(value);
}

/// `x` in f32: itself, or a dense copy in scratch.
Tensor widened(const Exec& ex, ScratchScope& scratch, const Tensor& x) {
    if (x.dtype() == DType::f32) return x;
    const Tensor out = scratch.take(DType::f32, {x.dim(0), x.dim(1)});
    CUDA_CHECK(launch(widen_rows, ceil_div(x.num_elements(), kThreads), kThreads, ex.stream,
                      out.as<float>(), x.as<Bf16>(), x.num_elements(), x.dim(1), x.row_stride()));
    return out;
}

template <class Out, class Bias>
void finish_as(const Exec& ex, const Tensor& out, const Tensor& sum, const Tensor& bias) {
    CUDA_CHECK(launch(add_bias<Out, Bias>, ceil_div(out.num_elements(), kThreads), kThreads,
                      ex.stream, out.as<Out>(), sum.as<float>(), bias ? bias.as<Bias>() : nullptr,
                      out.num_elements(), out.dim(1), out.row_stride(), sum.row_stride()));
}

/// out = sum + bias, rounded to out's dtype. `out` may be `sum`.
void finish(const Exec& ex, const Tensor& out, const Tensor& sum, const Tensor& bias) {
    const bool f32_bias = bias && bias.dtype() == DType::f32;
    if (out.dtype() == DType::f32)
        return f32_bias ? finish_as<float, float>(ex, out, sum, bias)
                        : finish_as<float, Bf16>(ex, out, sum, bias);
    return f32_bias ? finish_as<Bf16, float>(ex, out, sum, bias)
                    : finish_as<Bf16, Bf16>(ex, out, sum, bias);
}

/// sum = x weight^T in f32, from any dtypes.
void multiply(const Exec& ex, const Tensor& sum, const Tensor& x, const Tensor& weight) {
    if (x.dtype() == DType::bf16 && weight.dtype() == DType::bf16 &&
        ex.cuda->matmul(ex, sum, x, weight, {}))
        return;
    ScratchScope scratch(ex);
    const Tensor wide_x = widened(ex, scratch, x);
    const int64_t Co = weight.dim(0);
    const int64_t strip =
        weight.dtype() == DType::f32 ? Co : std::max<int64_t>(1, kStripBytes / (4 * weight.dim(1)));
    for (int64_t begin = 0; begin < Co; begin += strip) {
        const int64_t end = std::min(begin + strip, Co);
        ScratchScope of_strip(ex);
        CHECK(ex.cuda->matmul(ex, sum.columns(begin, end), wide_x,
                              widened(ex, of_strip, weight.rows(begin, end)), {}),
              "cuBLASLt has no f32 product for a shape of linear");
    }
}

}  // namespace

void linear(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias) {
    CHECK(x.dim(1) <= INT32_MAX && out.dim(1) <= INT32_MAX,
          "a row of linear is wider than the kernels count");
    if (x.dtype() == DType::bf16 && weight.dtype() == DType::bf16 &&
        (!bias || bias.dtype() == DType::bf16) && ex.cuda->matmul(ex, out, x, weight, bias))
        return;
    if (out.dtype() == DType::f32) {
        multiply(ex, out, x, weight);
        if (bias) finish(ex, out, out, bias);
        return;
    }
    ScratchScope scratch(ex);
    const Tensor sum = scratch.take(DType::f32, {out.dim(0), out.dim(1)});
    multiply(ex, sum, x, weight);
    finish(ex, out, sum, bias);
}

}  // namespace saker::cuda
