// SIMD over a row's columns, threads over rows. Products and sums are rounded one by one, as the
// contract has it. Bound by memory: the table (2304 rows) stays in L2 or L3.
#include "ops/pos_interp/pos_interp_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pos_interp/pos_interp_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

template <class T>
struct Interpolate {
    const float* w;  // [4]
    template <class D, class V>
    HWY_INLINE V operator()(D d, V x, V t0, V t1, V t2, V t3) const {
        V sum = hn::Mul(hn::Set(d, w[0]), t0);
        sum = hn::Add(sum, hn::Mul(hn::Set(d, w[1]), t1));
        sum = hn::Add(sum, hn::Mul(hn::Set(d, w[2]), t2));
        sum = hn::Add(sum, hn::Mul(hn::Set(d, w[3]), t3));
        return hn::Add(x, RoundAs<T>(d, sum));
    }
};

void PosInterp(const Exec& ex, const Tensor& x, const Tensor& table, const Tensor& taps,
               const Tensor& weights) {
    ByDType(
        [&](auto number, auto of_table) {
            using T = decltype(number);
            using P = decltype(of_table);
            ForRows(ex, x.dim(0), x.dim(1), [&](int64_t m) {
                const int32_t* tap = taps.row<int32_t>(m);
                const auto f = Interpolate<T>{weights.row<float>(m)};
                MapRow(f, x.dim(1), x.row<T>(m), x.row<T>(m), table.row<P>(tap[0]),
                       table.row<P>(tap[1]), table.row<P>(tap[2]), table.row<P>(tap[3]));
            });
        },
        x.dtype(), table.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(PosInterp);
void cpu::pos_interp(const Exec& ex, const Tensor& x, const Tensor& table, const Tensor& taps,
                     const Tensor& weights) {
    HWY_DYNAMIC_DISPATCH(PosInterp)(ex, x, table, taps, weights);
}
}  // namespace saker
#endif
