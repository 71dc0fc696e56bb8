// SIMD over a head's pairs, threads over tokens. Bound by memory: x is read and written once.
//
// Products are rounded one by one (no fused multiply-add), so the bits are those of ref.
#include "ops/rope/rope_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/rope/rope_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

// One head: x is [2, J], cos and sin are [J]. The tail of fewer than a vector goes through a vector
// of one lane, which is the same text.
template <class D, class T, class A>
int64_t Pairs(D d, T* x, const A* cos, const A* sin, int64_t j, int64_t J) {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; j + lanes <= J; j += lanes) {
        const auto a = LoadF32(d, x + j), b = LoadF32(d, x + J + j);
        const auto c = LoadF32(d, cos + j), s = LoadF32(d, sin + j);
        const auto ac = RoundAs<A>(d, hn::Mul(a, c)), bs = RoundAs<A>(d, hn::Mul(b, s));
        const auto bc = RoundAs<A>(d, hn::Mul(b, c)), as = RoundAs<A>(d, hn::Mul(a, s));
        StoreF32(hn::Sub(ac, bs), d, x + j);
        StoreF32(hn::Add(bc, as), d, x + J + j);
    }
    return j;
}

template <class T, class A>
void Rows(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    const int64_t H = x.dim(1), D = x.dim(2), J = D / 2;
    ex.pool->for_ranges(x.dim(0), 1 + 8192 / (H * D), [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
            const A *c = cos.row<A>(t), *s = sin.row<A>(t);
            for (int64_t h = 0; h < H; ++h) {
                T* head = x.row<T>(t) + h * D;
                const int64_t j = Pairs(hn::ScalableTag<float>(), head, c, s, 0, J);
                Pairs(hn::CappedTag<float, 1>(), head, c, s, j, J);
            }
        }
    });
}

void Rope(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    if (x.dtype() == DType::f32) return Rows<float, float>(ex, x, cos, sin);
    if (cos.dtype() == DType::f32) return Rows<Bf16, float>(ex, x, cos, sin);
    Rows<Bf16, Bf16>(ex, x, cos, sin);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Rope);
void cpu::rope(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    HWY_DYNAMIC_DISPATCH(Rope)(ex, x, cos, sin);
}
}  // namespace saker
#endif
