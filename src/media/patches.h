// image_patches and video_patches: decoded pictures become the rows that the vision tower reads.
//
// Resizes (resize.h) and cuts into patches, strip by strip on every core, without keeping the
// resized picture. Pixels stay bytes; the op `normalize` turns them into floats. Model
// specification 5.5 and 6.2 to 6.5. Called by serve while a prompt is prepared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/image.h"
#include "media/preprocessor.h"
#include "media/resize.h"

namespace saker {

/// One image (grid_t = 1) or one video (grid_t frame groups). Row order: groups; then squares of
/// merge x merge patches, row by row; within a square again row by row. So the patches of group g
/// are rows [g * grid_h * grid_w, (g + 1) * grid_h * grid_w), and each merge^2 rows are one token.
/// Within a row: [channel, frame of the group, y, x].
struct Patches {
    int64_t grid_t = 0, grid_h = 0, grid_w = 0;  // groups, and patches down and across
    int64_t merge_size = 2;
    std::vector<uint8_t> pixels;      // [grid_t * grid_h * grid_w, 3 * temporal * patch * patch]
    std::vector<double> group_times;  // [grid_t] seconds, the middle of each group; video only

    int64_t num_patches() const { return grid_t * grid_h * grid_w; }
    /// Placeholder tokens of the whole item.
    int64_t num_tokens() const { return num_patches() / (merge_size * merge_size); }
};

/// Errors: those of smart_resize.
Result<Patches> image_patches(const Image& image, const Preprocessor& preprocessor,
                              Resample resample, ThreadPool& pool);

/// The patches of a video, frame by frame, so that no more than one group of frames is held at a
/// time: make() from the first frame's size, add() for each frame in order, take(). All frames are
/// taken, unsampled; the last is repeated to fill its group.
class VideoPatches {
  public:
    /// `times_s` is the place of each frame in its source, in seconds (index over the source's own
    /// rate, not over the sampled one). Borrows `preprocessor` and `pool`. Errors: invalid_video
    /// for fewer than two frames or a size that smart_resize_video refuses; too_many_items above
    /// preprocessor.video_max_frames.
    static Result<VideoPatches> make(Size frame, std::span<const double> times_s,
                                     const Preprocessor& preprocessor, Resample resample,
                                     ThreadPool& pool);

    /// invalid_video where the frame is of another size than the first.
    Status add(Image frame);

    /// After the last of the frames.
    Patches take();

  private:
    VideoPatches(Size in, Size out, std::span<const double> times_s,
                 const Preprocessor& preprocessor, Resample resample, ThreadPool& pool);
    void cut();

    ResizePlan plan_;
    const Preprocessor* preprocessor_;
    ThreadPool* pool_;
    size_t num_frames_, num_added_ = 0;
    std::vector<Image> group_;  // frames that are not cut yet
    Patches patches_;           // with room for all groups
};

/// The same of frames that are all there.
Result<Patches> video_patches(std::span<const Image> frames, std::span<const double> times_s,
                              const Preprocessor& preprocessor, Resample resample,
                              ThreadPool& pool);

/// The refusal of a video that has more frames than the preprocessor's limit.
Error too_many_frames(int64_t num_frames, const Preprocessor& preprocessor);

/// The text before a frame group, as Python's f"<{t:.1f} seconds>".
std::string timestamp_text(double group_time_s);

/// Indices of the frames to take from a source of `total` frames at `source_fps` (24 is assumed
/// where that is not a positive number): `fps` a second, at least `min_frames`, at most
/// `max_frames` and `total`, spread evenly from the first frame to the last.
std::vector<int64_t> sample_frames(int64_t total, double source_fps, double fps = 2.0,
                                   int64_t min_frames = 4, int64_t max_frames = 768);

}  // namespace saker
