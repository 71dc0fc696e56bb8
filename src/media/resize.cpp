// Sizes in double arithmetic as published; weights in double as torch and Pillow compute them, then
// fixed point. The order of operations is theirs, since one bit in a weight shows in the pixels.
#include "media/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "media/large_buffer.h"
#include "media/resize_passes.h"

namespace saker {
namespace {

constexpr double kMaxAspect = 200;
constexpr int64_t kRowsAtOnce = 4;  // of the horizontal pass

// Python's round(): to nearest, ties to even, the default rounding mode of the C library.
int64_t round_half_even(double v) {
    return static_cast<int64_t>(std::nearbyint(v));
}

// `area_factor` pixels of budget are spent on each pixel of a frame: 1, or the number of frames.
// `rounded_factor` is the same after rounding the frames to whole groups.
Size fit(Size in, int64_t factor, double area_factor, double rounded_factor, int64_t min_pixels,
         int64_t max_pixels) {
    const double h = static_cast<double>(in.height), w = static_cast<double>(in.width);
    const double f = static_cast<double>(factor);
    const double low = static_cast<double>(min_pixels), high = static_cast<double>(max_pixels);
    Size out{round_half_even(h / f) * factor, round_half_even(w / f) * factor};
    const double area =
        rounded_factor * static_cast<double>(out.height) * static_cast<double>(out.width);
    if (area > high) {
        const double beta = std::sqrt(area_factor * h * w / high);
        out.height = std::max(factor, static_cast<int64_t>(std::floor(h / beta / f)) * factor);
        out.width = std::max(factor, static_cast<int64_t>(std::floor(w / beta / f)) * factor);
    } else if (area < low) {
        const double beta = std::sqrt(low / (area_factor * h * w));
        out.height = static_cast<int64_t>(std::ceil(h * beta / f)) * factor;
        out.width = static_cast<int64_t>(std::ceil(w * beta / f)) * factor;
    }
    return out;
}

double aspect(Size s) {
    return static_cast<double>(std::max(s.height, s.width)) /
           static_cast<double>(std::min(s.height, s.width));
}

// Keys' cubic with a = -0.5.
double cubic(double x) {
    constexpr double a = -0.5;
    x = std::fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

template <class W>
W to_fixed(double weight, int shift) {
    const double v = weight * (1 << shift);
    return static_cast<W>(v < 0 ? v - 0.5 : v + 0.5);
}

ResizePlan::Axis make_axis(int64_t in, int64_t out, Resample resample) {
    ResizePlan::Axis axis;
    const double scale = static_cast<double>(in) / static_cast<double>(out);
    const double stretch = std::max(scale, 1.0), support = 2 * stretch, inverse = 1.0 / stretch;
    axis.taps = (static_cast<int64_t>(std::ceil(support)) * 2 + 1 + 3) / 4 * 4;
    axis.first.resize(out);
    axis.count.resize(out);
    std::vector<double> weights(out * axis.taps);
    double largest = 0;
    for (int64_t o = 0; o < out; ++o) {
        const double center = scale * (static_cast<double>(o) + 0.5);
        const int64_t first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
        const int64_t end = std::min<int64_t>(static_cast<int64_t>(center + support + 0.5), in);
        const int64_t count = std::clamp<int64_t>(end - first, 0, axis.taps);
        CHECK(count > 0, "an output of a resize has no input");
        double* w = weights.data() + o * axis.taps;
        double sum = 0;
        for (int64_t k = 0; k < count; ++k) {
            w[k] = cubic((static_cast<double>(k + first) - center + 0.5) * inverse);
            sum += w[k];
        }
        for (int64_t k = 0; k < count; ++k) {
            w[k] /= sum;
            largest = std::max(largest, w[k]);
        }
        axis.first[o] = first;
        axis.count[o] = count;
    }
    if (resample == Resample::pillow) {
        axis.shift = 22;
        axis.w32.resize(weights.size());
        for (size_t i = 0; i < weights.size(); ++i)
            axis.w32[i] = to_fixed<int32_t>(weights[i], axis.shift);
        return axis;
    }
    // As many places as keep the largest weight of the pass within 16 bits.
    while (axis.shift < 22 &&
           static_cast<int32_t>(0.5 + largest * (1 << (axis.shift + 1))) < (1 << 15))
        ++axis.shift;
    axis.w16.resize(weights.size());
    for (size_t i = 0; i < weights.size(); ++i)
        axis.w16[i] = to_fixed<int16_t>(weights[i], axis.shift);
    return axis;
}

}  // namespace

std::string in_words(Size size) {
    return std::to_string(size.width) + " x " + std::to_string(size.height);
}

Result<Size> smart_resize(Size in, int64_t factor, int64_t min_pixels, int64_t max_pixels) {
    if (in.height < 1 || in.width < 1)
        return Error{ErrorCode::invalid_image, "The image has a side of 0 pixels; send another."};
    if (aspect(in) > kMaxAspect)
        return Error{ErrorCode::invalid_image,
                     "The image is " + in_words(in) +
                         ", one side more than 200 times the other; crop or pad it."};
    return fit(in, factor, 1, 1, min_pixels, max_pixels);
}

Result<Size> smart_resize_video(int64_t num_frames, Size in, int64_t factor, int64_t temporal,
                                int64_t min_pixels, int64_t max_pixels) {
    const Size given = in;
    if (num_frames < temporal)
        return Error{ErrorCode::invalid_video,
                     "The video has " + std::to_string(num_frames) + " frame(s), fewer than the " +
                         std::to_string(temporal) + " that one patch takes; send more of them."};
    if (in.height < 1 || in.width < 1)
        return Error{ErrorCode::invalid_video,
                     "The frames of the video have a side of 0 pixels; send others."};
    if (in.height < factor || in.width < factor) {
        const double f = static_cast<double>(factor);
        const double scale =
            std::max(f / static_cast<double>(in.height), f / static_cast<double>(in.width));
        in.height = static_cast<int64_t>(static_cast<double>(in.height) * scale);
        in.width = static_cast<int64_t>(static_cast<double>(in.width) * scale);
    }
    if (aspect(in) > kMaxAspect)
        return Error{ErrorCode::invalid_video,
                     "The frames of the video are " + in_words(given) +
                         ", one side more than 200 times the other; crop or pad them."};
    const double t = static_cast<double>(num_frames), step = static_cast<double>(temporal);
    return fit(in, factor, t, std::nearbyint(t / step) * step, min_pixels, max_pixels);
}

ResizePlan::ResizePlan(Size input, Size output, Resample whose)
    : in(input), out(output), resample(whose) {
    CHECK(in.height > 0 && in.width > 0 && out.height > 0 && out.width > 0,
          "a resize from or to an empty picture");
    if (in.width != out.width) x = make_axis(in.width, out.width, resample);
    if (in.height != out.height) y = make_axis(in.height, out.height, resample);
}

ResizedRows::ResizedRows(const ResizePlan& plan, const Image& image, int64_t begin)
    : plan_(plan), image_(image), next_(begin) {
    DCHECK(image.width == plan.in.width && image.height == plan.in.height,
           "a resize of a picture that the plan is not for");
    if (plan.y.taps == 0) return;
    sources_.resize(plan.y.taps);
    if (plan.x.taps == 0) return;
    ring_rows_ = plan.y.taps + kRowsAtOnce;
    ring_.resize(ring_rows_ * plan.out.width * 3);
    ring_next_ = begin < plan.out.height ? plan.y.first[begin] : 0;
}

const uint8_t* ResizedRows::narrowed(int64_t row) const {
    if (plan_.x.taps == 0) return image_.row(row);
    return ring_.data() + row % ring_rows_ * plan_.out.width * 3;
}

// The horizontal pass, some rows ahead of need; the ring has room for them beside the rows in use.
void ResizedRows::narrow_up_to(int64_t end) {
    while (ring_next_ < end) {
        const int64_t n = std::min(kRowsAtOnce, plan_.in.height - ring_next_);
        const uint8_t* in[kRowsAtOnce];
        uint8_t* out[kRowsAtOnce];
        for (int64_t r = 0; r < n; ++r) {
            in[r] = image_.row(ring_next_ + r);
            out[r] = ring_.data() + (ring_next_ + r) % ring_rows_ * plan_.out.width * 3;
        }
        horizontal_pass(plan_.x, plan_.in.width, n, in, out);
        ring_next_ += n;
    }
}

void ResizedRows::read(int64_t num_rows, uint8_t* out) {
    const int64_t row_bytes = plan_.out.width * 3;
    CHECK(next_ + num_rows <= plan_.out.height, "read beyond the last row of a resized picture");
    if (plan_.y.taps == 0) {
        for (int64_t r = 0; r < num_rows && plan_.x.taps == 0; ++r)
            std::memcpy(out + r * row_bytes, image_.row(next_ + r), row_bytes);
        for (int64_t r = 0; r < num_rows && plan_.x.taps != 0; r += kRowsAtOnce) {
            const int64_t n = std::min(kRowsAtOnce, num_rows - r);
            const uint8_t* from[kRowsAtOnce];
            uint8_t* to[kRowsAtOnce];
            for (int64_t i = 0; i < n; ++i) {
                from[i] = image_.row(next_ + r + i);
                to[i] = out + (r + i) * row_bytes;
            }
            horizontal_pass(plan_.x, plan_.in.width, n, from, to);
        }
        next_ += num_rows;
        return;
    }
    for (int64_t r = 0; r < num_rows; ++r, ++next_) {
        const int64_t first = plan_.y.first[next_], count = plan_.y.count[next_];
        if (plan_.x.taps != 0) narrow_up_to(first + count);
        for (int64_t k = 0; k < count; ++k) sources_[k] = narrowed(first + k);
        vertical_pass(plan_.y, next_, sources_.data(), row_bytes, out + r * row_bytes);
    }
}

Image resize(const Image& image, Size out, Resample resample, ThreadPool& pool) {
    const Size in{image.height, image.width};
    if (in == out) return image;
    const ResizePlan plan(in, out, resample);
    Image resized{out.width, out.height, make_large(out.width * out.height * 3)};
    pool.for_ranges(out.height, 32, [&](int64_t begin, int64_t end) {
        ResizedRows(plan, image, begin).read(end - begin, resized.row(begin));
    });
    return resized;
}

}  // namespace saker
