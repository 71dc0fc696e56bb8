// SIMD over a row's columns, threads over rows, which are all different. Bound by memory.
#include "ops/scatter_rows/scatter_rows_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/scatter_rows/scatter_rows_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

void ScatterRows(const Exec& ex, const Tensor& x, const Tensor& rows, const Tensor& values,
                 Scatter mode) {
    const int64_t C = x.dim(1);
    ByDType(
        [&](auto number) {
            using T = decltype(number);
            ForRows(ex, values.dim(0), C, [&](int64_t n) {
                T* to = x.row<T>(rows.as<int32_t>()[n]);
                if (mode == Scatter::set)
                    CopyRow(C, to, values.row<T>(n));
                else
                    MapRow(Sum{}, C, to, to, values.row<T>(n));
            });
        },
        x.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(ScatterRows);
void cpu::scatter_rows(const Exec& ex, const Tensor& x, const Tensor& rows, const Tensor& values,
                       Scatter mode) {
    HWY_DYNAMIC_DISPATCH(ScatterRows)(ex, x, rows, values, mode);
}
}  // namespace saker
#endif
