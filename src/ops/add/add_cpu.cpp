// SIMD over a row's columns, threads over rows. Bound by memory.
#include "ops/add/add_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/add/add_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

void AddRows(const Exec& ex, const Tensor& out, const Tensor& a, const Tensor& b) {
    ByDType(
        [&](auto number) {
            using T = decltype(number);
            ForRows(ex, out.dim(0), out.dim(1), [&](int64_t n) {
                MapRow(Sum{}, out.dim(1), out.row<T>(n), a.row<T>(n), b.row<T>(n));
            });
        },
        out.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(AddRows);
void cpu::add(const Exec& ex, const Tensor& out, const Tensor& a, const Tensor& b) {
    HWY_DYNAMIC_DISPATCH(AddRows)(ex, out, a, b);
}
}  // namespace saker
#endif
