// SIMD over each third of a row, threads over rows. A true division: a product with the reciprocal
// would be off by a bit. Bound by memory all the same.
#include "ops/normalize/normalize_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalize/normalize_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

struct Centre {
    float mean, deviation;  // in units of eight-bit pixels
    template <class D, class V>
    HWY_INLINE V operator()(D d, V v) const {
        return hn::Div(hn::Sub(v, hn::Set(d, mean)), hn::Set(d, deviation));
    }
};

void Normalize(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& mean,
               const Tensor& deviation) {
    const int64_t third = x.dim(1) / 3;
    ByDType(
        [&](auto number) {
            using T = decltype(number);
            ForRows(ex, x.dim(0), x.dim(1), [&](int64_t m) {
                for (int64_t c = 0; c < 3; ++c) {
                    const Centre centre = {255.0f * mean.as<float>()[c],
                                           255.0f * deviation.as<float>()[c]};
                    MapRow(centre, third, out.row<T>(m) + c * third, x.row<uint8_t>(m) + c * third);
                }
            });
        },
        out.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Normalize);
void cpu::normalize(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& mean,
                    const Tensor& deviation) {
    HWY_DYNAMIC_DISPATCH(Normalize)(ex, out, x, mean, deviation);
}
}  // namespace saker
#endif
