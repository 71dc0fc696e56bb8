// SIMD over a row's columns, threads over rows. Bound by memory: two passes over a row that fits in
// L1.
#include "ops/rms_norm/rms_norm_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/rms_norm/rms_norm_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>

#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

// Four partial sums, joined in a fixed order: the bits depend on C and the target alone.
template <class T>
float SumOfSquares(const T* x, int64_t C) {
    const hn::ScalableTag<float> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    int64_t c = 0;
    for (; c + 4 * lanes <= C; c += 4 * lanes) {
        const auto v0 = LoadF32(d, x + c), v1 = LoadF32(d, x + c + lanes);
        const auto v2 = LoadF32(d, x + c + 2 * lanes), v3 = LoadF32(d, x + c + 3 * lanes);
        s0 = hn::MulAdd(v0, v0, s0);
        s1 = hn::MulAdd(v1, v1, s1);
        s2 = hn::MulAdd(v2, v2, s2);
        s3 = hn::MulAdd(v3, v3, s3);
    }
    for (; c + lanes <= C; c += lanes) {
        const auto v = LoadF32(d, x + c);
        s0 = hn::MulAdd(v, v, s0);
    }
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
    for (; c < C; ++c) sum += static_cast<float>(x[c]) * static_cast<float>(x[c]);
    return sum;
}

template <class T, class W>
void Row(T* out, const T* x, const W* weight, int64_t C, float eps) {
    const hn::ScalableTag<float> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const float scale = 1.0f / std::sqrt(SumOfSquares(x, C) / static_cast<float>(C) + eps);
    const auto scales = hn::Set(d, scale);
    int64_t c = 0;
    for (; c + lanes <= C; c += lanes) {
        const auto y = RoundAs<T>(d, hn::Mul(LoadF32(d, x + c), scales));
        StoreF32(hn::Mul(LoadF32(d, weight + c), y), d, out + c);
    }
    for (; c < C; ++c) {
        float y = static_cast<float>(x[c]) * scale;
        if constexpr (std::is_same_v<T, Bf16>) {
            y = round_bf16(y);
            out[c] = Bf16::from(static_cast<float>(weight[c]) * y);
        } else {
            out[c] = static_cast<float>(weight[c]) * y;
        }
    }
}

template <class T, class W>
void Rows(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight, float eps) {
    const int64_t C = weight.dim(0), heads = x.row_elements() / C;
    const int64_t grain = 1 + 16384 / x.row_elements();
    ex.pool->for_ranges(x.dim(0), grain, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n)
            for (int64_t h = 0; h < heads; ++h)
                Row(out.row<T>(n) + h * C, x.row<T>(n) + h * C, weight.as<W>(), C, eps);
    });
}

void RmsNorm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight, float eps) {
    if (x.dtype() == DType::f32) {
        if (weight.dtype() == DType::f32) return Rows<float, float>(ex, out, x, weight, eps);
        return Rows<float, Bf16>(ex, out, x, weight, eps);
    }
    if (weight.dtype() == DType::f32) return Rows<Bf16, float>(ex, out, x, weight, eps);
    return Rows<Bf16, Bf16>(ex, out, x, weight, eps);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(RmsNorm);
void cpu::rms_norm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
                   float eps) {
    HWY_DYNAMIC_DISPATCH(RmsNorm)(ex, out, x, weight, eps);
}
}  // namespace saker
#endif
