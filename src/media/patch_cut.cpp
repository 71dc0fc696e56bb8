// One patch after the other, so that a patch is written through once and in order; the rows it is
// read from lie in L2. A row of 16 pixels is one load that splits R, G and B and three stores of 16
// bytes. Bound by the stores: two bytes for each one read.
#include "media/patch_cut.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "media/patch_cut.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Splits `num_pixels` of RGB into three rows, `plane` bytes apart, at `out` and, where `twin` is
/// not 0, once more `twin` bytes further.
HWY_INLINE void SplitRow(const uint8_t* in, int64_t num_pixels, int64_t plane, int64_t twin,
                         uint8_t* out) {
    const hn::CappedTag<uint8_t, 16> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t x = 0;
    for (; x + lanes <= num_pixels; x += lanes) {
        hn::Vec<decltype(d)> r, g, b;
        hn::LoadInterleaved3(d, in + 3 * x, r, g, b);
        for (uint8_t* to : {out + x, out + x + twin}) {
            hn::StoreU(r, d, to);
            hn::StoreU(g, d, to + plane);
            hn::StoreU(b, d, to + 2 * plane);
            if (twin == 0) break;
        }
    }
    for (; x < num_pixels; ++x)
        for (int64_t c = 0; c < 3; ++c)
            out[c * plane + x] = out[c * plane + x + twin] = in[3 * x + c];
}

void CutStrip(const Strip& s, std::span<const uint8_t* const> frames, uint8_t* out) {
    const int64_t num_frames = static_cast<int64_t>(frames.size()), P = s.patch;
    const int64_t plane = num_frames * P * P;  // of one channel
    const bool twins = num_frames == 2 && frames[0] == frames[1];
    for (int64_t square = 0; square < s.grid_w / s.merge; ++square) {
        for (int64_t i = 0; i < s.merge * s.merge; ++i, out += 3 * plane) {
            const int64_t row = i / s.merge * P, column = (square * s.merge + i % s.merge) * P;
            for (int64_t t = 0; t < (twins ? 1 : num_frames); ++t)
                for (int64_t y = 0; y < P; ++y)
                    SplitRow(frames[t] + (row + y) * s.row_bytes + 3 * column, P, plane,
                             twins ? P * P : 0, out + (t * P + y) * P);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(CutStrip);
void cut_strip(const Strip& strip, std::span<const uint8_t* const> frames, uint8_t* out) {
    HWY_DYNAMIC_DISPATCH(CutStrip)(strip, frames, out);
}
}  // namespace saker
#endif
