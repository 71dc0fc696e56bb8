// SIMD over a row's columns, threads over rows. Bound by memory.
#include "ops/convert/convert_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/convert/convert_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

void Convert(const Exec& ex, const Tensor& out, const Tensor& x) {
    ByDType(
        [&](auto to, auto from) {
            using To = decltype(to);
            using From = decltype(from);
            ForRows(ex, out.dim(0), out.dim(1),
                    [&](int64_t n) { CopyRow(out.dim(1), out.row<To>(n), x.row<From>(n)); });
        },
        out.dtype(), x.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Convert);
void cpu::convert(const Exec& ex, const Tensor& out, const Tensor& x) {
    HWY_DYNAMIC_DISPATCH(Convert)(ex, out, x);
}
}  // namespace saker
#endif
