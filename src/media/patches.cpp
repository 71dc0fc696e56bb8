// A task is a run of strips, each one row of tokens high (merge * patch pixels). A strip is resized
// into a buffer that stays in L2 and cut from there; where the size is right already, it is cut
// from the picture itself. An image is a video of one group whose frames are the same picture.
#include "media/patches.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "media/large_buffer.h"
#include "media/patch_cut.h"

namespace saker {
namespace {

// frames.size() is a multiple of the temporal patch size; all are of size `in`.
Patches cut_groups(std::span<const Image* const> frames, Size in, Size out, const Preprocessor& p,
                   Resample resample, ThreadPool& pool) {
    const int64_t temporal = p.temporal_patch_size;
    Patches patches;
    patches.grid_t = static_cast<int64_t>(frames.size()) / temporal;
    patches.grid_h = out.height / p.patch_size;
    patches.grid_w = out.width / p.patch_size;
    patches.merge_size = p.merge_size;
    patches.pixels = make_large(patches.num_patches() * p.patch_bytes());

    const ResizePlan plan(in, out, resample);
    const int64_t strip_rows = p.factor(), row_bytes = 3 * out.width;
    const int64_t strips_per_group = out.height / strip_rows;
    const int64_t strip_size = patches.grid_w * p.merge_size * p.patch_bytes();
    const Strip shape{p.patch_size, p.merge_size, patches.grid_w, row_bytes};
    pool.for_ranges(patches.grid_t * strips_per_group, 1, [&](int64_t begin, int64_t end) {
        std::vector<uint8_t> buffer;
        if (in != out) buffer.resize(temporal * strip_rows * row_bytes);
        std::vector<const uint8_t*> tops(temporal);
        std::vector<ResizedRows> rows;
        for (int64_t strip = begin; strip < end; ++strip) {
            const int64_t group = strip / strips_per_group;
            const int64_t first_row = strip % strips_per_group * strip_rows;
            const auto group_frames = frames.subspan(group * temporal, temporal);
            if (strip == begin || first_row == 0) {
                rows.clear();
                for (const Image* frame : group_frames) rows.emplace_back(plan, *frame, first_row);
            }
            for (int64_t t = 0; t < temporal; ++t) {
                if (in == out) {
                    tops[t] = group_frames[t]->row(first_row);
                } else if (t > 0 && group_frames[t] == group_frames[t - 1]) {
                    tops[t] = tops[t - 1];
                } else {
                    uint8_t* top = buffer.data() + t * strip_rows * row_bytes;
                    rows[t].read(strip_rows, top);
                    tops[t] = top;
                }
            }
            cut_strip(shape, tops, patches.pixels.data() + strip * strip_size);
        }
    });
    return patches;
}

}  // namespace

Result<Patches> image_patches(const Image& image, const Preprocessor& preprocessor,
                              Resample resample, ThreadPool& pool) {
    const Size in{image.height, image.width};
    const auto out = smart_resize(in, preprocessor.factor(), preprocessor.image_min_pixels,
                                  preprocessor.image_max_pixels);
    if (!out) return out.error();
    const std::vector<const Image*> frames(preprocessor.temporal_patch_size, &image);
    return cut_groups(frames, in, *out, preprocessor, resample, pool);
}

Result<Patches> video_patches(std::span<const Image> frames, std::span<const double> times_s,
                              const Preprocessor& preprocessor, Resample resample,
                              ThreadPool& pool) {
    CHECK(frames.size() == times_s.size(), "a video needs one time for each frame");
    const int64_t num_frames = static_cast<int64_t>(frames.size());
    if (num_frames > preprocessor.video_max_frames)
        return Error{ErrorCode::too_many_items,
                     "The video has more frames than the limit allows; send fewer of them."};
    if (num_frames == 0)
        return Error{ErrorCode::invalid_video, "The video has no frames; send some."};
    const Size in{frames[0].height, frames[0].width};
    for (const Image& frame : frames)
        if (Size{frame.height, frame.width} != in)
            return Error{ErrorCode::invalid_video,
                         "The frames of the video differ in size; send all in one size."};
    const int64_t temporal = preprocessor.temporal_patch_size;
    const auto out =
        smart_resize_video(num_frames, in, preprocessor.factor(), temporal,
                           preprocessor.video_min_pixels, preprocessor.video_budget(num_frames));
    if (!out) return out.error();

    // The last frame fills its group, and so does its time.
    const int64_t padded = (num_frames + temporal - 1) / temporal * temporal;
    std::vector<const Image*> order(padded);
    for (int64_t i = 0; i < padded; ++i) order[i] = &frames[std::min(i, num_frames - 1)];
    Patches patches = cut_groups(order, in, *out, preprocessor, resample, pool);
    for (int64_t first = 0; first < padded; first += temporal) {
        const int64_t last = std::min(first + temporal, num_frames) - 1;
        patches.group_times.push_back((times_s[first] + times_s[last]) / 2);
    }
    return patches;
}

std::string timestamp_text(double group_time_s) {
    CHECK(std::isfinite(group_time_s), "a timestamp that is not a number");
    char digits[400];  // the longest double has 309 digits before the point
    const auto end = std::to_chars(digits, digits + sizeof digits, group_time_s,
                                   std::chars_format::fixed, /*precision=*/1);
    return "<" + std::string(digits, end.ptr) + " seconds>";
}

std::vector<int64_t> sample_frames(int64_t total, double source_fps, double fps, int64_t min_frames,
                                   int64_t max_frames) {
    if (total <= 0) return {};
    if (!(source_fps > 0) || std::isinf(source_fps)) source_fps = 24;
    // Clamped as a double: a tiny rate would not fit an integer.
    const double wanted = std::trunc(static_cast<double>(total) / source_fps * fps);
    const int64_t most = std::min(max_frames, total);
    const int64_t n = std::max<int64_t>(
        1, static_cast<int64_t>(std::min(std::max(wanted, static_cast<double>(min_frames)),
                                         static_cast<double>(most))));
    std::vector<int64_t> indices(n, 0);
    // numpy.linspace: the step first, then multiples of it, the last one set exactly.
    const double step = n > 1 ? static_cast<double>(total - 1) / static_cast<double>(n - 1) : 0;
    for (int64_t i = 1; i < n; ++i)
        indices[i] = static_cast<int64_t>(std::nearbyint(static_cast<double>(i) * step));
    if (n > 1) indices[n - 1] = total - 1;
    return indices;
}

}  // namespace saker
