// SIMD over a row's columns, threads over rows. Three passes over a row that fits in L1.
#include "ops/layer_norm/layer_norm_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/layer_norm/layer_norm_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

struct Deviation {
    float mean;
    template <class D, class V>
    HWY_INLINE V operator()(D d, V v) const {
        const V y = hn::Sub(v, hn::Set(d, mean));
        return hn::Mul(y, y);
    }
};
struct Scale {
    float mean, scale;
    template <class D, class V>
    HWY_INLINE V operator()(D d, V v, V weight, V bias) const {
        const V y = hn::Mul(hn::Sub(v, hn::Set(d, mean)), hn::Set(d, scale));
        return hn::MulAdd(y, weight, bias);
    }
};

// The mean of f(x). Four partial sums, joined in a fixed order: the bits depend on C and the target
// alone.
template <class T, class F>
float MeanOf(F f, int64_t C, const T* x) {
    const hn::ScalableTag<float> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    int64_t c = 0;
    for (; c + 4 * lanes <= C; c += 4 * lanes) {
        s0 = hn::Add(s0, f(d, LoadF32(d, x + c)));
        s1 = hn::Add(s1, f(d, LoadF32(d, x + c + lanes)));
        s2 = hn::Add(s2, f(d, LoadF32(d, x + c + 2 * lanes)));
        s3 = hn::Add(s3, f(d, LoadF32(d, x + c + 3 * lanes)));
    }
    for (; c + lanes <= C; c += lanes) s0 = hn::Add(s0, f(d, LoadF32(d, x + c)));
    if (c < C) {
        const auto real = hn::FirstN(d, static_cast<size_t>(C - c));
        s1 = hn::Add(s1, hn::IfThenElseZero(real, f(d, LoadPart(d, x + c, C - c))));
    }
    const auto sum = hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
    return hn::GetLane(sum) / static_cast<float>(C);
}

void LayerNorm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
               const Tensor& bias, float eps) {
    const int64_t C = x.dim(1);
    ByDType(
        [&](auto number, auto of_weight, auto of_bias) {
            using T = decltype(number);
            const auto* w = weight.as<decltype(of_weight)>();
            const auto* b = bias.as<decltype(of_bias)>();
            ForRows(ex, x.dim(0), C, [&](int64_t n) {
                const T* row = x.row<T>(n);
                const float mean = MeanOf(Same{}, C, row);
                const float scale = 1.0f / std::sqrt(MeanOf(Deviation{mean}, C, row) + eps);
                MapRow(Scale{mean, scale}, C, out.row<T>(n), row, w, b);
            });
        },
        x.dtype(), weight.dtype(), bias.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(LayerNorm);
void cpu::layer_norm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
                     const Tensor& bias, float eps) {
    HWY_DYNAMIC_DISPATCH(LayerNorm)(ex, out, x, weight, bias, eps);
}
}  // namespace saker
#endif
