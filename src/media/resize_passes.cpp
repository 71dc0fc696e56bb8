// 16-bit weights (torch) take pairs of taps through one multiply-and-add of 16-bit lanes. The
// horizontal pass gathers, by a byte shuffle, R G B of two neighbouring pixels into such pairs, and
// runs four rows at once under one load of weights. 32-bit weights (Pillow) are there for parity
// with other stacks: vector lanes vertically, plain loops horizontally.
#include "media/resize_passes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "media/resize_passes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Axis = ResizePlan::Axis;

inline uint8_t Clip(int32_t sum, int shift) {
    return static_cast<uint8_t>(std::clamp(sum >> shift, 0, 255));
}

inline int32_t PairAt(const int16_t* w) {
    int32_t pair;
    std::memcpy(&pair, w, sizeof pair);
    return pair;
}

#if HWY_TARGET != HWY_SCALAR

/// The sums of R, G and B of one output pixel in kRows rows, over the first `num_taps` taps: a
/// multiple of 4, for each of which 16 bytes can be read. Returns the taps taken.
template <int kRows>
HWY_INLINE int64_t SumPairs(const int16_t* w, int64_t num_taps, int32_t half,
                            const uint8_t* const* in, int64_t offset, int32_t (*sums)[4]) {
    const hn::FixedTag<uint8_t, 16> d8;
    const hn::FixedTag<int16_t, 8> d16;
    const hn::FixedTag<int32_t, 4> d32;
    // R G B of pixels 0 and 1 (2 and 3) as pairs of 16-bit lanes; 128 and above gives 0.
    HWY_ALIGN static constexpr uint8_t kFront[16] = {0, 128, 3, 128, 1,   128, 4,   128,
                                                     2, 128, 5, 128, 128, 128, 128, 128};
    HWY_ALIGN static constexpr uint8_t kBack[16] = {6, 128, 9,  128, 7,   128, 10,  128,
                                                    8, 128, 11, 128, 128, 128, 128, 128};
    const auto front = hn::Load(d8, kFront), back = hn::Load(d8, kBack);
    hn::Vec<decltype(d32)> sum[kRows], odd[kRows];
    for (int r = 0; r < kRows; ++r) {
        sum[r] = hn::Set(d32, half);
        odd[r] = hn::Zero(d32);
    }
    for (int64_t k = 0; k < num_taps; k += 4) {
        const auto w01 = hn::BitCast(d16, hn::Set(d32, PairAt(w + k)));
        const auto w23 = hn::BitCast(d16, hn::Set(d32, PairAt(w + k + 2)));
        for (int r = 0; r < kRows; ++r) {
            const auto bytes = hn::LoadU(d8, in[r] + offset + 3 * k);
            const auto p01 = hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, front));
            const auto p23 = hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, back));
            sum[r] = hn::ReorderWidenMulAccumulate(d32, p01, w01, sum[r], odd[r]);
            sum[r] = hn::ReorderWidenMulAccumulate(d32, p23, w23, sum[r], odd[r]);
        }
    }
    for (int r = 0; r < kRows; ++r)
        hn::Store(hn::RearrangeToOddPlusEven(sum[r], odd[r]), d32, sums[r]);
    return num_taps;
}

/// As many bytes as whole vectors hold; returns their number. Torch's weights.
inline int64_t VerticalVectors(const int16_t* w, int64_t count, int shift, const uint8_t* const* in,
                               int64_t num_bytes, uint8_t* out) {
    const hn::ScalableTag<int32_t> d32;
    const hn::RepartitionToNarrow<decltype(d32)> d16;
    const hn::Rebind<uint8_t, decltype(d16)> d8;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d16));
    const auto half = hn::Set(d32, 1 << (shift - 1));
    int64_t i = 0;
    for (; i + lanes <= num_bytes; i += lanes) {
        auto low = half, high = half, low_odd = hn::Zero(d32), high_odd = low_odd;
        for (int64_t k = 0; k < count; k += 2) {
            const uint8_t* second = in[std::min(k + 1, count - 1)];  // its weight may be padding
            const auto weights = hn::BitCast(d16, hn::Set(d32, PairAt(w + k)));
            const auto a = hn::PromoteTo(d16, hn::LoadU(d8, in[k] + i));
            const auto b = hn::PromoteTo(d16, hn::LoadU(d8, second + i));
            low = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, a, b), weights, low,
                                                low_odd);
            high = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, a, b), weights, high,
                                                 high_odd);
        }
        low = hn::ShiftRightSame(hn::RearrangeToOddPlusEven(low, low_odd), shift);
        high = hn::ShiftRightSame(hn::RearrangeToOddPlusEven(high, high_odd), shift);
        // Interleaving and this narrowing both stay within 128-bit blocks: order is kept.
        hn::StoreU(hn::DemoteTo(d8, hn::ReorderDemote2To(d16, low, high)), d8, out + i);
    }
    return i;
}

/// The same with Pillow's weights.
inline int64_t VerticalVectors(const int32_t* w, int64_t count, int shift, const uint8_t* const* in,
                               int64_t num_bytes, uint8_t* out) {
    const hn::ScalableTag<int32_t> d32;
    const hn::Rebind<uint8_t, decltype(d32)> d8;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d32));
    int64_t i = 0;
    for (; i + lanes <= num_bytes; i += lanes) {
        auto sum = hn::Set(d32, 1 << (shift - 1));
        for (int64_t k = 0; k < count; ++k) {
            const auto bytes = hn::PromoteTo(d32, hn::LoadU(d8, in[k] + i));
            sum = hn::Add(sum, hn::Mul(bytes, hn::Set(d32, w[k])));
        }
        hn::StoreU(hn::DemoteTo(d8, hn::ShiftRightSame(sum, shift)), d8, out + i);
    }
    return i;
}

#else

// Without vectors nothing is done here, and the plain loops below do everything.
template <int kRows>
int64_t SumPairs(const int16_t*, int64_t, int32_t half, const uint8_t* const*, int64_t,
                 int32_t (*sums)[4]) {
    std::fill_n(sums[0], 4 * kRows, half);
    return 0;
}
template <class W>
int64_t VerticalVectors(const W*, int64_t, int, const uint8_t* const*, int64_t, uint8_t*) {
    return 0;
}

#endif

template <int kRows>
void Horizontal16(const Axis& axis, int64_t width_in, const uint8_t* const* in,
                  uint8_t* const* out) {
    const int64_t width_out = static_cast<int64_t>(axis.first.size());
    const int32_t half = 1 << (axis.shift - 1);
    for (int64_t x = 0; x < width_out; ++x) {
        const int16_t* w = axis.w16.data() + x * axis.taps;
        const int64_t first = axis.first[x], count = axis.count[x];
        HWY_ALIGN int32_t sums[kRows][4];
        // The last load of 16 bytes must end within the row.
        const int64_t whole = (3 * (width_in - first) - 4) / 12 * 4;
        int64_t k = SumPairs<kRows>(w, std::clamp<int64_t>(whole, 0, (count + 3) / 4 * 4), half, in,
                                    3 * first, sums);
        for (; k < count; ++k)
            for (int r = 0; r < kRows; ++r)
                for (int c = 0; c < 3; ++c) sums[r][c] += w[k] * in[r][3 * (first + k) + c];
        for (int r = 0; r < kRows; ++r)
            for (int c = 0; c < 3; ++c) out[r][3 * x + c] = Clip(sums[r][c], axis.shift);
    }
}

void Horizontal32(const Axis& axis, const uint8_t* in, uint8_t* out) {
    for (size_t x = 0; x < axis.first.size(); ++x) {
        const int32_t* w = axis.w32.data() + x * axis.taps;
        const uint8_t* p = in + 3 * axis.first[x];
        int32_t r = 1 << (axis.shift - 1), g = r, b = r;
        for (int64_t k = 0; k < axis.count[x]; ++k) {
            r += w[k] * p[3 * k];
            g += w[k] * p[3 * k + 1];
            b += w[k] * p[3 * k + 2];
        }
        out[3 * x] = Clip(r, axis.shift);
        out[3 * x + 1] = Clip(g, axis.shift);
        out[3 * x + 2] = Clip(b, axis.shift);
    }
}

void Horizontal(const Axis& axis, int64_t width_in, int64_t num_rows, const uint8_t* const* in,
                uint8_t* const* out) {
    int64_t r = 0;
    if (axis.w16.empty()) {
        for (; r < num_rows; ++r) Horizontal32(axis, in[r], out[r]);
        return;
    }
    for (; r + 4 <= num_rows; r += 4) Horizontal16<4>(axis, width_in, in + r, out + r);
    for (; r < num_rows; ++r) Horizontal16<1>(axis, width_in, in + r, out + r);
}

template <class W>
void VerticalTail(const W* w, int64_t count, int shift, const uint8_t* const* in, int64_t begin,
                  int64_t num_bytes, uint8_t* out) {
    for (int64_t i = begin; i < num_bytes; ++i) {
        int32_t sum = 1 << (shift - 1);
        for (int64_t k = 0; k < count; ++k) sum += w[k] * in[k][i];
        out[i] = Clip(sum, shift);
    }
}

template <class W>
void VerticalRow(const W* w, int64_t count, int shift, const uint8_t* const* in, int64_t num_bytes,
                 uint8_t* out) {
    const int64_t done = VerticalVectors(w, count, shift, in, num_bytes, out);
    VerticalTail(w, count, shift, in, done, num_bytes, out);
}

void Vertical(const Axis& axis, int64_t y, const uint8_t* const* in, int64_t num_bytes,
              uint8_t* out) {
    const int64_t count = axis.count[y], at = y * axis.taps;
    if (axis.w16.empty())
        VerticalRow(axis.w32.data() + at, count, axis.shift, in, num_bytes, out);
    else
        VerticalRow(axis.w16.data() + at, count, axis.shift, in, num_bytes, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Horizontal);
HWY_EXPORT(Vertical);
void horizontal_pass(const ResizePlan::Axis& axis, int64_t width_in, int64_t num_rows,
                     const uint8_t* const* in, uint8_t* const* out) {
    HWY_DYNAMIC_DISPATCH(Horizontal)(axis, width_in, num_rows, in, out);
}
void vertical_pass(const ResizePlan::Axis& axis, int64_t y, const uint8_t* const* in,
                   int64_t num_bytes, uint8_t* out) {
    HWY_DYNAMIC_DISPATCH(Vertical)(axis, y, in, num_bytes, out);
}
}  // namespace saker
#endif
