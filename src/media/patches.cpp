// A task is a run of strips of one group, each one row of tokens high (merge * patch pixels). A
// strip is resized into a buffer that stays in L2 and cut from there; where the size is right
// already, it is cut from the picture itself. An image is one group whose frames are the same
// picture.
#include "media/patches.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "media/large_buffer.h"
#include "media/patch_cut.h"

namespace saker {
namespace {

// Room for all of it, and its grid.
Patches make_patches(int64_t num_groups, Size out, const Preprocessor& p) {
    Patches patches;
    patches.grid_t = num_groups;
    patches.grid_h = out.height / p.patch_size;
    patches.grid_w = out.width / p.patch_size;
    patches.merge_size = p.merge_size;
    patches.pixels = make_large(patches.num_patches() * p.patch_bytes());
    return patches;
}

// Cuts one group, as many frames as the temporal patch size says, into `pixels`.
void cut_group(std::span<const Image* const> frames, const ResizePlan& plan, const Patches& patches,
               const Preprocessor& p, ThreadPool& pool, uint8_t* pixels) {
    const int64_t temporal = p.temporal_patch_size;
    const Size out = plan.out;
    const int64_t strip_rows = p.factor(), row_bytes = 3 * out.width;
    const int64_t strip_size = patches.grid_w * p.merge_size * p.patch_bytes();
    const Strip shape{p.patch_size, p.merge_size, patches.grid_w, row_bytes};
    const bool as_it_is = plan.in == out;
    pool.for_ranges(out.height / strip_rows, 1, [&](int64_t begin, int64_t end) {
        std::vector<uint8_t> buffer;
        if (!as_it_is) buffer.resize(temporal * strip_rows * row_bytes);
        std::vector<const uint8_t*> tops(temporal);
        std::vector<ResizedRows> rows;
        for (const Image* frame : frames) rows.emplace_back(plan, *frame, begin * strip_rows);
        for (int64_t strip = begin; strip < end; ++strip) {
            for (int64_t t = 0; t < temporal; ++t) {
                if (as_it_is) {
                    tops[t] = frames[t]->row(strip * strip_rows);
                } else if (t > 0 && frames[t] == frames[t - 1]) {
                    tops[t] = tops[t - 1];
                } else {
                    uint8_t* top = buffer.data() + t * strip_rows * row_bytes;
                    rows[t].read(strip_rows, top);
                    tops[t] = top;
                }
            }
            cut_strip(shape, tops, pixels + strip * strip_size);
        }
    });
}

Size size_of(const Image& image) {
    return {image.height, image.width};
}

}  // namespace

Result<Patches> image_patches(const Image& image, const Preprocessor& preprocessor,
                              Resample resample, ThreadPool& pool) {
    const Size in = size_of(image);
    const auto out = smart_resize(in, preprocessor.factor(), preprocessor.image_min_pixels,
                                  preprocessor.image_max_pixels);
    if (!out) return out.error();
    const std::vector<const Image*> frames(preprocessor.temporal_patch_size, &image);
    Patches patches = make_patches(1, *out, preprocessor);
    cut_group(frames, ResizePlan(in, *out, resample), patches, preprocessor, pool,
              patches.pixels.data());
    return patches;
}

VideoPatches::VideoPatches(Size in, Size out, std::span<const double> times_s,
                           const Preprocessor& preprocessor, Resample resample, ThreadPool& pool)
    : plan_(in, out, resample),
      preprocessor_(&preprocessor),
      pool_(&pool),
      num_frames_(times_s.size()) {
    const auto temporal = static_cast<size_t>(preprocessor.temporal_patch_size);
    const size_t num_groups = (num_frames_ + temporal - 1) / temporal;
    patches_ = make_patches(static_cast<int64_t>(num_groups), out, preprocessor);
    // The last frame fills its group, and so does its time.
    for (size_t first = 0; first < num_frames_; first += temporal) {
        const size_t last = std::min(first + temporal, num_frames_) - 1;
        patches_.group_times.push_back((times_s[first] + times_s[last]) / 2);
    }
}

Result<VideoPatches> VideoPatches::make(Size frame, std::span<const double> times_s,
                                        const Preprocessor& preprocessor, Resample resample,
                                        ThreadPool& pool) {
    const int64_t num_frames = static_cast<int64_t>(times_s.size());
    if (num_frames > preprocessor.video_max_frames)
        return too_many_frames(num_frames, preprocessor);
    if (num_frames == 0)
        return Error{ErrorCode::invalid_video, "The video has no frames; send some."};
    const auto out = smart_resize_video(
        num_frames, frame, preprocessor.factor(), preprocessor.temporal_patch_size,
        preprocessor.video_min_pixels, preprocessor.video_budget(num_frames));
    if (!out) return out.error();
    return VideoPatches(frame, *out, times_s, preprocessor, resample, pool);
}

Status VideoPatches::add(Image frame) {
    CHECK(num_added_ < num_frames_, "a video has as many frames as times");
    if (size_of(frame) != plan_.in)
        return Error{ErrorCode::invalid_video,
                     "The image is " + in_words(size_of(frame)) + ", but the first frame is " +
                         in_words(plan_.in) + "; send all frames in one size."};
    group_.push_back(std::move(frame));
    ++num_added_;
    if (static_cast<int64_t>(group_.size()) == preprocessor_->temporal_patch_size ||
        num_added_ == num_frames_)
        cut();
    return Done{};
}

void VideoPatches::cut() {
    const auto temporal = static_cast<size_t>(preprocessor_->temporal_patch_size);
    std::vector<const Image*> frames(temporal);
    for (size_t t = 0; t < temporal; ++t) frames[t] = &group_[std::min(t, group_.size() - 1)];
    const size_t group = (num_added_ - 1) / temporal;
    const auto group_bytes =
        static_cast<size_t>(patches_.grid_h * patches_.grid_w * preprocessor_->patch_bytes());
    cut_group(frames, plan_, patches_, *preprocessor_, *pool_,
              patches_.pixels.data() + group * group_bytes);
    group_.clear();
}

Patches VideoPatches::take() {
    CHECK(num_added_ == num_frames_, "a video is taken before its last frame");
    return std::move(patches_);
}

Result<Patches> video_patches(std::span<const Image> frames, std::span<const double> times_s,
                              const Preprocessor& preprocessor, Resample resample,
                              ThreadPool& pool) {
    CHECK(frames.size() == times_s.size(), "a video needs one time for each frame");
    const Size first = frames.empty() ? Size{} : size_of(frames[0]);
    auto video = VideoPatches::make(first, times_s, preprocessor, resample, pool);
    if (!video) return video.error();
    for (const Image& frame : frames)
        if (auto status = video->add(frame); !status) return status.error();
    return video->take();
}

Error too_many_frames(int64_t num_frames, const Preprocessor& preprocessor) {
    return {ErrorCode::too_many_items, "The video has " + std::to_string(num_frames) +
                                           " frames, more frames than the limit of " +
                                           std::to_string(preprocessor.video_max_frames) +
                                           " allows; send fewer of them."};
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
