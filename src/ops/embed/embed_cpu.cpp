// One copy or conversion a row, threads over rows. Bound by the latency of scattered rows.
#include "ops/embed/embed_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/embed/embed_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

void Embed(const Exec& ex, const Tensor& out, const Tensor& ids, const Tensor& table) {
    const int64_t C = out.dim(1);
    ByDType(
        [&](auto to, auto from) {
            using To = decltype(to);
            using From = decltype(from);
            ForRows(ex, out.dim(0), C, [&](int64_t t) {
                CopyRow(C, out.row<To>(t), table.row<From>(ids.as<int32_t>()[t]));
            });
        },
        out.dtype(), table.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Embed);
void cpu::embed(const Exec& ex, const Tensor& out, const Tensor& ids, const Tensor& table) {
    HWY_DYNAMIC_DISPATCH(Embed)(ex, out, ids, table);
}
}  // namespace saker
#endif
