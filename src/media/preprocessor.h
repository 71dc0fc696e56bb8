// Preprocessor: what a checkpoint says about turning pictures and frames into patches.
//
// Read once at start-up from preprocessor_config.json and video_preprocessor_config.json (the
// released form) or from processor_config.json (the form that transformers 5 writes); where a
// folder has several, the one that transformers 5 reads counts. The defaults here are those of the
// released Qwen3-VL files, model specification 5.1 and 6.1; taking one is told. Used by patches.h,
// by serve for budgets, and by the op `normalize` for mean, std and rescale.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "base/result.h"
#include "json/keys.h"

namespace saker {

struct Preprocessor {
    int64_t patch_size = 16;          // side of a patch, in pixels
    int64_t temporal_patch_size = 2;  // frames of a patch; an image is its own second frame
    int64_t merge_size = 2;           // patches of a side that become one token

    // Areas in pixels: of one image; of all frames of a video together.
    int64_t image_min_pixels = 65536, image_max_pixels = 16777216;
    int64_t video_min_pixels = 4096, video_max_pixels = 25165824;

    // normalised = (x * rescale - mean) / std, x a byte.
    double rescale = 1.0 / 255.0;
    std::array<double, 3> mean = {0.5, 0.5, 0.5};
    std::array<double, 3> std = {0.5, 0.5, 0.5};

    // Sampling of a video that comes as a container: frames a second, and how many at least and at
    // most.
    double video_fps = 2.0;
    int64_t video_min_frames = 4, video_max_frames = 768;

    // Where a checkpoint asks for it, a frame costs at most this many tokens, however few frames
    // there are. transformers 5.x calls the switch by this name; the released files do not have it.
    bool cap_pixels_per_frame = false;
    int64_t max_video_tokens = 768;

    /// Area that all frames of a video may have together.
    int64_t video_budget(int64_t num_frames) const;

    /// Pixels that both sides of a resized picture are multiples of.
    int64_t factor() const { return patch_size * merge_size; }

    /// Bytes of one patch: [3, temporal, patch, patch].
    int64_t patch_bytes() const { return 3 * temporal_patch_size * patch_size * patch_size; }

    /// The same with other bounds for the area of an image, in pixels; those of videos stay.
    /// The flags --min-pixels and --max-pixels give them; absent ones stay. Errors, which name the
    /// flags: a maximum below the area of one token, either above kMaxImageArea, or a minimum above
    /// its maximum, whoever gave them.
    Result<Preprocessor> with_image_area(std::optional<int64_t> min_pixels,
                                         std::optional<int64_t> max_pixels) const;
    static constexpr int64_t kMaxImageArea = int64_t{1} << 28;

    /// Throws StartupError naming the file, the key and the rule: files absent or not JSON, keys
    /// that ask for other pixels than Saker makes, sizes out of range, a minimum above its maximum,
    /// a standard deviation of 0, or image and video settings that contradict each other.
    static Preprocessor load(const std::filesystem::path& model_dir);
};

/// The tables of every object of the preprocessor's files.
std::span<const KeyTable> preprocessor_key_tables();

}  // namespace saker
