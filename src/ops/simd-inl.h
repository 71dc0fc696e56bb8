// SIMD pieces that the cpu kernels share: loads and stores of f32 and bf16 as vectors of f32.
//
// Included once per target by files that use Highway's foreach_target.h (hence the toggling guard).
// Stores to bf16 round to nearest, ties to even, as Bf16::from does: Highway's own DemoteTo
// truncates on some targets, so it is not used.
#if defined(SAKER_OPS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAKER_OPS_SIMD_INL_H_
#undef SAKER_OPS_SIMD_INL_H_
#else
#define SAKER_OPS_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include "tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> LoadF32(D d, const float* p) {
    return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadF32(D d, const Bf16* p) {
    const hn::Rebind<uint16_t, D> d16;
    const hn::RebindToUnsigned<D> d32;
    const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(p));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
}

/// Each lane rounded to bf16, still as f32: the specification's bf(x).
template <class D>
HWY_INLINE hn::Vec<D> RoundBf16(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> d32;
    const auto u = hn::BitCast(d32, v);
    const auto odd = hn::And(hn::ShiftRight<16>(u), hn::Set(d32, 1));
    const auto rounded =
        hn::And(hn::Add(u, hn::Add(odd, hn::Set(d32, 0x7FFF))), hn::Set(d32, 0xFFFF0000u));
    const auto quiet = hn::And(hn::Or(u, hn::Set(d32, 0x00400000u)), hn::Set(d32, 0xFFFF0000u));
    return hn::IfThenElse(hn::IsNaN(v), hn::BitCast(d, quiet), hn::BitCast(d, rounded));
}

template <class D>
HWY_INLINE void StoreF32(hn::Vec<D> v, D d, float* p) {
    hn::StoreU(v, d, p);
}
template <class D>
HWY_INLINE void StoreF32(hn::Vec<D> v, D d, Bf16* p) {
    const hn::Rebind<uint16_t, D> d16;
    const hn::RebindToSigned<D> s32;
    const hn::RebindToUnsigned<D> d32;
    // Logical shift: every lane is 0..65535, which the saturating narrowing keeps.
    const auto high = hn::ShiftRight<16>(hn::BitCast(d32, RoundBf16(d, v)));
    hn::StoreU(hn::DemoteTo(d16, hn::BitCast(s32, high)), d16, reinterpret_cast<uint16_t*>(p));
}

/// bf(v) where T is bf16, v itself where T is f32: one kernel text serves both compute types.
template <class T, class D>
HWY_INLINE hn::Vec<D> RoundAs(D d, hn::Vec<D> v) {
    if constexpr (std::is_same_v<T, Bf16>)
        return RoundBf16(d, v);
    else
        return v;
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#endif  // SAKER_OPS_SIMD_INL_H_
