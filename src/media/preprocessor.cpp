// Reading either form of the preprocessor's files. Keys that are absent keep the released values;
// keys that ask for something this engine does not do are refused, so that nobody gets other pixels
// than the checkpoint was trained on without being told.
#include "media/preprocessor.h"

#include <algorithm>
#include <cmath>

#include "json/json.h"

namespace saker {
namespace {

constexpr int64_t kMaxArea = int64_t{1} << 40;
// Numbers of the normalisation beyond these make no pixel that a float holds well.
constexpr double kTiny = 1e-6, kHuge = 1e6;

void refuse_false(const JsonReader& reader, std::string_view key) {
    if (!reader.boolean_or(key, true))
        reader.fail(key, "is false, but pictures are always resized, rescaled and normalised.");
}

void read_triple(const JsonReader& reader, std::string_view key, std::array<double, 3>& out) {
    if (!reader.has(key)) return;
    const std::vector<double> values = reader.numbers(key);
    if (values.size() != 3) reader.fail(key, "must have three numbers, one a channel.");
    std::copy(values.begin(), values.end(), out.begin());
}

// "size": {"shortest_edge", "longest_edge"}, which are areas; min_pixels and max_pixels override.
void read_area(const JsonReader& reader, int64_t& low, int64_t& high) {
    if (reader.has("size")) {
        const JsonReader size = reader.object("size");
        low = size.integer_or("shortest_edge", low, 1, kMaxArea);
        high = size.integer_or("longest_edge", high, 1, kMaxArea);
    }
    low = reader.integer_or("min_pixels", low, 1, kMaxArea);
    high = reader.integer_or("max_pixels", high, 1, kMaxArea);
    if (low > high) reader.fail("size", "has a minimum above its maximum.");
}

// What image and video files have in common; both describe the same vision tower.
void read_shared(const JsonReader& reader, Preprocessor& p) {
    p.patch_size = reader.integer_or("patch_size", p.patch_size, 1, 256);
    p.temporal_patch_size = reader.integer_or("temporal_patch_size", p.temporal_patch_size, 1, 16);
    p.merge_size = reader.integer_or("merge_size", p.merge_size, 1, 16);
    p.rescale = reader.number_or("rescale_factor", p.rescale);
    if (!(p.rescale >= kTiny && p.rescale <= kHuge))
        reader.fail("rescale_factor", "must be from 1e-6 to 1e6.");
    read_triple(reader, "image_mean", p.mean);
    read_triple(reader, "image_std", p.std);
    for (double mean : p.mean)
        if (!(std::fabs(mean) <= kHuge)) reader.fail("image_mean", "must be from -1e6 to 1e6.");
    for (double deviation : p.std)
        if (!(deviation >= kTiny && deviation <= kHuge))
            reader.fail("image_std", "must be from 1e-6 to 1e6 in every channel.");
    refuse_false(reader, "do_resize");
    refuse_false(reader, "do_rescale");
    refuse_false(reader, "do_normalize");
    if (reader.integer_or("resample", 3, 0, 5) != 3)
        reader.fail("resample", "must be 3: pictures are resized bicubically.");
}

void read_image(const JsonReader& reader, Preprocessor& p) {
    read_shared(reader, p);
    read_area(reader, p.image_min_pixels, p.image_max_pixels);
}

void read_video(const JsonReader& reader, Preprocessor& p) {
    Preprocessor video = p;
    read_shared(reader, video);
    if (video.patch_size != p.patch_size || video.merge_size != p.merge_size ||
        video.temporal_patch_size != p.temporal_patch_size)
        reader.fail("patch_size", "and the other patch sizes must equal those for images.");
    if (video.rescale != p.rescale || video.mean != p.mean || video.std != p.std)
        reader.fail("image_mean", "and the rest of the normalisation must equal that for images.");
    read_area(reader, p.video_min_pixels, p.video_max_pixels);
    p.video_fps = reader.number_or("fps", p.video_fps);
    if (!(p.video_fps > 0)) reader.fail("fps", "must be above 0.");
    p.video_min_frames = reader.integer_or("min_frames", p.video_min_frames, 1, 1'000'000);
    p.video_max_frames = reader.integer_or("max_frames", p.video_max_frames, 1, 1'000'000);
    if (p.video_min_frames > p.video_max_frames) reader.fail("min_frames", "is above max_frames.");
    p.cap_pixels_per_frame = reader.boolean_or("cap_pixels_per_frame", p.cap_pixels_per_frame);
    p.max_video_tokens = reader.integer_or("max_video_tokens", p.max_video_tokens, 1, 1'000'000);
}

}  // namespace

int64_t Preprocessor::video_budget(int64_t num_frames) const {
    if (!cap_pixels_per_frame) return video_max_pixels;
    const int64_t most =
        std::min(max_video_tokens * factor() * factor(), video_max_pixels / num_frames);
    const int64_t least = static_cast<int64_t>(static_cast<double>(video_min_pixels) * 1.05);
    return std::max(most, least) * num_frames;
}

Preprocessor Preprocessor::load(const std::filesystem::path& model_dir) {
    Preprocessor p;
    const auto read = [&](const char* name, auto&& body) {
        const std::filesystem::path path = model_dir / name;
        if (!std::filesystem::exists(path)) return false;
        const json::object object = read_json_file(path);
        body(JsonReader(object, path.string()));
        return true;
    };
    // Where a folder has both forms, the released one is read.
    const bool released =
        read("preprocessor_config.json", [&](const JsonReader& reader) { read_image(reader, p); });
    if (released) {
        read("video_preprocessor_config.json",
             [&](const JsonReader& reader) { read_video(reader, p); });
        return p;
    }
    const bool joint = read("processor_config.json", [&](const JsonReader& reader) {
        read_image(reader.object("image_processor"), p);
        if (reader.has("video_processor")) read_video(reader.object("video_processor"), p);
    });
    if (!joint)
        throw StartupError(model_dir.string() +
                           ": has neither preprocessor_config.json nor processor_config.json; copy "
                           "the file from the released checkpoint.");
    return p;
}

}  // namespace saker
