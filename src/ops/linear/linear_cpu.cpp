// Tasks over (row block, column block); gemm_cpu.h does the sums, this file the bias and the store.
#include "ops/linear/linear_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linear/linear_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>

#include "ops/elementwise-inl.h"
#include "ops/gemm_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

void WidenBias(float* out, const Tensor& bias, int64_t begin, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        if (!bias)
            out[i] = 0;
        else if (bias.dtype() == DType::f32)
            out[i] = bias.as<float>()[begin + i];
        else
            out[i] = bias.as<Bf16>()[begin + i];
    }
}

template <class T>
void Block(const Tensor& out, const Tensor& x, const Tensor& weight, const Tensor& bias,
           int64_t column, int64_t num_columns) {
    float sums[cpu::kGemmRows * cpu::kGemmColumns], wide_bias[cpu::kGemmColumns];
    WidenBias(wide_bias, bias, column, num_columns);
    for (int64_t n = 0; n < x.dim(0); n += cpu::kGemmRows) {
        const int64_t rows = std::min(cpu::kGemmRows, x.dim(0) - n);
        const void* x_rows[cpu::kGemmRows];
        for (int64_t r = 0; r < rows; ++r) x_rows[r] = x.row<T>(n + r);
        cpu::gemm_tile(x.dtype(), x_rows, rows, weight, column, num_columns, sums);
        for (int64_t r = 0; r < rows; ++r)
            MapRow(Sum{}, num_columns, out.row<T>(n + r) + column,
                   static_cast<const float*>(sums + r * cpu::kGemmColumns),
                   static_cast<const float*>(wide_bias));
    }
}

void Linear(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias) {
    const int64_t N = x.dim(0), Co = weight.dim(0);
    const cpu::GemmGrid grid = cpu::plan_gemm(N, Co, weight.dim(1), ex.pool->num_threads());
    ex.pool->run(grid.num_tasks(), [&](int64_t task) {
        const int64_t row = task / grid.num_column_blocks * grid.row_step;
        const int64_t row_end = std::min(N, row + grid.row_step);
        const int64_t column = task % grid.num_column_blocks * grid.column_step;
        const int64_t num_columns = std::min(grid.column_step, Co - column);
        const Tensor x_block = x.rows(row, row_end), out_block = out.rows(row, row_end);
        ByDType(
            [&](auto number) {
                Block<decltype(number)>(out_block, x_block, weight, bias, column, num_columns);
            },
            x.dtype());
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Linear);
void cpu::linear(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
                 const Tensor& bias) {
    HWY_DYNAMIC_DISPATCH(Linear)(ex, out, x, weight, bias);
}
}  // namespace saker
#endif
