// SIMD over rows for ops that make each number of a row from the numbers at the same column.
//
// MapRow applies a function of vectors along a row, ForRows shares rows among the threads, and
// ByDType turns dtypes into types. The end of a row goes through the same function in a padded
// vector: the bits of a number never depend on where its row or its column stands. Included as
// simd-inl.h is.
#if defined(SAKER_OPS_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAKER_OPS_ELEMENTWISE_INL_H_
#undef SAKER_OPS_ELEMENTWISE_INL_H_
#else
#define SAKER_OPS_ELEMENTWISE_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "ops/simd-inl.h"
#include "tensor/exec.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE hn::Vec<D> LoadF32(D d, const uint8_t* p) {
    const hn::Rebind<uint8_t, D> d8;
    const hn::RebindToSigned<D> d32;
    return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, p)));
}

/// The n numbers at p, fewer than a vector, and zeros behind them.
template <class D, class T>
HWY_INLINE hn::Vec<D> LoadPart(D d, const T* p, int64_t n) {
    T part[hn::MaxLanes(d)] = {};
    std::memcpy(part, p, static_cast<size_t>(n) * sizeof(T));
    return LoadF32(d, part);
}
template <class D, class T>
HWY_INLINE void StorePart(hn::Vec<D> v, D d, T* p, int64_t n) {
    T part[hn::MaxLanes(d)];
    StoreF32(v, d, part);
    std::memcpy(p, part, static_cast<size_t>(n) * sizeof(T));
}

/// out[i] = f(d, in[i]...) for i < n, in f32. `out` may be one of `in`.
template <class F, class Out, class... In>
void MapRow(F f, int64_t n, Out* out, const In*... in) {
    const hn::ScalableTag<float> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) StoreF32(f(d, LoadF32(d, in + i)...), d, out + i);
    if (i < n) StorePart(f(d, LoadPart(d, in + i, n - i)...), d, out + i, n - i);
}

struct Same {
    template <class D, class V>
    HWY_INLINE V operator()(D, V v) const {
        return v;
    }
};
struct Sum {
    template <class D, class V>
    HWY_INLINE V operator()(D, V a, V b) const {
        return hn::Add(a, b);
    }
};

/// n numbers in the format of `out`; they may be the same numbers.
template <class Out, class In>
void CopyRow(int64_t n, Out* out, const In* in) {
    if constexpr (std::is_same_v<Out, In>)
        std::memmove(out, in, static_cast<size_t>(n) * sizeof(In));
    else
        MapRow(Same{}, n, out, in);
}

/// v / (1 + exp(-z)): v times the logistic function of z.
template <class D, class V>
HWY_INLINE V Gated(D d, V v, V z) {
    // Above 104 hn::Exp is not defined; from 88.8 it is infinite and the quotient zero.
    const V e = hn::Exp(d, hn::Min(hn::Neg(z), hn::Set(d, 104.0f)));
    return hn::Div(v, hn::Add(hn::Set(d, 1.0f), e));
}

/// row(n) for each n < num_rows, on every thread, some 16,000 numbers at a time or more.
template <class F>
void ForRows(const Exec& ex, int64_t num_rows, int64_t row_elements, F row) {
    ex.pool->for_ranges(num_rows, 1 + 16384 / row_elements, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) row(n);
    });
}

/// Calls f with one argument a dtype, each of the type that it names: f32 or bf16.
template <class F>
void ByDType(F f, DType a) {
    if (a == DType::f32) return f(float{});
    f(Bf16{});
}
template <class F>
void ByDType(F f, DType a, DType b) {
    ByDType([&](auto x) { ByDType([&](auto y) { f(x, y); }, b); }, a);
}
template <class F>
void ByDType(F f, DType a, DType b, DType c) {
    ByDType([&](auto x, auto y) { ByDType([&](auto z) { f(x, y, z); }, c); }, a, b);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#endif  // SAKER_OPS_ELEMENTWISE_INL_H_
