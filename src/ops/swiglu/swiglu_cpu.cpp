// SIMD over a row's columns, threads over rows. Bound by memory in prefill; an exp is some 20
// cycles a vector.
#include "ops/swiglu/swiglu_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/swiglu/swiglu_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

template <class T>
struct GateUp {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V gate, V up) const {
        return hn::Mul(RoundAs<T>(d, Gated(d, gate, gate)), up);
    }
};

void Swiglu(const Exec& ex, const Tensor& out, const Tensor& gate_up) {
    const int64_t F = out.dim(1);
    ByDType(
        [&](auto number) {
            using T = decltype(number);
            ForRows(ex, out.dim(0), F, [&](int64_t n) {
                const T* gate = gate_up.row<T>(n);
                MapRow(GateUp<T>{}, F, out.row<T>(n), gate, gate + F);
            });
        },
        out.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Swiglu);
void cpu::swiglu(const Exec& ex, const Tensor& out, const Tensor& gate_up) {
    HWY_DYNAMIC_DISPATCH(Swiglu)(ex, out, gate_up);
}
}  // namespace saker
#endif
