// Reading every form of the preprocessor's files. Keys that are absent keep the released values,
// and a warning names them; keys that ask for something this engine does not do are refused, so
// that nobody gets other pixels than the checkpoint was trained on without being told.
#include "media/preprocessor.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/log.h"
#include "base/utf8.h"
#include "media/preprocessor_keys.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxArea = int64_t{1} << 40;
// Numbers of the normalisation beyond these make no pixel that a float holds well.
constexpr double kTiny = 1e-6, kHuge = 1e6;

void refuse_false(const JsonReader& reader, std::string_view key) {
    if (!reader.boolean_or(key, true))
        reader.fail(key, "is false, but pictures are always resized, rescaled and normalised");
}

// One number stands for every channel.
void read_triple(const JsonReader& reader, std::string_view key, std::array<double, 3>& out) {
    if (!reader.has(key)) return;
    if (reader.value(key).is_number()) return out.fill(reader.number(key));
    const std::vector<double> values = reader.numbers(key);
    if (values.size() != 3) reader.fail(key, "must have three numbers, one a channel");
    std::copy(values.begin(), values.end(), out.begin());
}

// A bound of the area, and the key that gave it.
struct Bound {
    int64_t pixels = 0;
    std::string key;  // "size.longest_edge"; empty: none did
};

struct Area {
    Bound low, high;
};

Bound read_bound(const JsonReader& reader, const std::string& prefix, const char* key) {
    return {reader.integer(key, 1, kMaxArea), prefix + key};
}

// "size" names two areas, in one of two spellings.
Area read_size(const JsonReader& reader) {
    const JsonReader size = reader.object("size");
    check_keys(size, kSizeKeys);
    const auto has_any = [&](const char* a, const char* b) { return size.has(a) || size.has(b); };
    const bool edges = has_any("shortest_edge", "longest_edge");
    if (edges && has_any("min_pixels", "max_pixels"))
        reader.fail("size",
                    "must have either shortest_edge and longest_edge, or min_pixels and "
                    "max_pixels, not some of both");
    const char* const low = edges ? "shortest_edge" : "min_pixels";
    const char* const high = edges ? "longest_edge" : "max_pixels";
    for (const char* key : {low, high})
        if (!size.has(key))
            reader.fail("size",
                        "must have both shortest_edge and longest_edge (or both "
                        "min_pixels and max_pixels)");
    return {read_bound(size, "size.", low), read_bound(size, "size.", high)};
}

// The two keys beside size. As in transformers they come before it for images, and are not looked
// at for clips whose file has a size.
void read_pixels(const JsonReader& reader, bool is_video, Area& area) {
    for (const auto& [key, bound] :
         {std::pair{"min_pixels", &area.low}, {"max_pixels", &area.high}}) {
        if (!reader.has(key)) continue;
        Bound beside = read_bound(reader, "", key);
        if (bound->key.empty() || !is_video) {
            *bound = std::move(beside);
        } else if (bound->pixels != beside.pixels) {
            log_warning(reader.where() + ": " + key + " is passed over, since " + bound->key +
                        " is " + std::to_string(bound->pixels) +
                        ": transformers sizes clips by size");
        }
    }
}

void read_area(const JsonReader& reader, bool is_video, int64_t& low, int64_t& high) {
    Area area;
    if (reader.has("size")) area = read_size(reader);
    read_pixels(reader, is_video, area);
    const auto fill = [](Bound& bound, int64_t released) {
        if (bound.key.empty()) bound.pixels = released;
    };
    fill(area.low, low);
    fill(area.high, high);
    low = area.low.pixels, high = area.high.pixels;
    if (low <= high) return;
    const auto name = [](const Bound& bound, const char* what) {
        return bound.key.empty() ? what + std::string(" taken where the file names none")
                                 : bound.key;
    };
    const bool is_low = !area.low.key.empty();
    const Bound& wrong = is_low ? area.low : area.high;
    const Bound& other = is_low ? area.high : area.low;
    reader.fail(wrong.key, "is " + std::to_string(wrong.pixels) +
                               (is_low ? ", above " : ", below ") +
                               name(other, is_low ? "the maximum" : "the minimum") + ", which is " +
                               std::to_string(other.pixels));
}

// Which class of transformers makes the pixels.
void check_type(const JsonReader& reader, const char* key,
                std::span<const std::string_view> known) {
    if (!reader.has(key)) return;
    const std::string type = reader.string(key);
    if (std::find(known.begin(), known.end(), type) == known.end())
        reader.fail(key, "is " + quote(type) + ", whose pixels Saker does not make: " +
                             std::string(known[0]) + " is known");
}

// What is not known and what is absent is told once a file. Where a key is absent transformers
// would take the value of an older model.
void check_members(const JsonReader& reader, const KeyTable& table) {
    check_keys(reader, table);
    std::string absent;
    for (const char* key :
         {"image_mean", "image_std", "merge_size", "patch_size", "temporal_patch_size"})
        if (!reader.has(key)) absent += (absent.empty() ? "" : ", ") + std::string(key);
    if (!reader.has("size") && !(reader.has("min_pixels") && reader.has("max_pixels")))
        absent += (absent.empty() ? "" : ", ") + std::string("size");
    if (!absent.empty())
        log_warning(reader.where() + ": does not have " + absent +
                    ": the values of the released Qwen3-VL are taken");
}

// What image and video files have in common; both describe the same vision tower.
void read_shared(const JsonReader& reader, Preprocessor& p) {
    p.patch_size = reader.integer_or("patch_size", p.patch_size, 1, 256);
    p.temporal_patch_size = reader.integer_or("temporal_patch_size", p.temporal_patch_size, 1, 16);
    p.merge_size = reader.integer_or("merge_size", p.merge_size, 1, 16);
    p.rescale = reader.number_or("rescale_factor", p.rescale);
    if (!(p.rescale >= kTiny && p.rescale <= kHuge))
        reader.fail("rescale_factor", "must be from 1e-6 to 1e6");
    read_triple(reader, "image_mean", p.mean);
    read_triple(reader, "image_std", p.std);
    for (double mean : p.mean)
        if (!(std::fabs(mean) <= kHuge)) reader.fail("image_mean", "must be from -1e6 to 1e6");
    for (double deviation : p.std)
        if (!(deviation >= kTiny && deviation <= kHuge))
            reader.fail("image_std", "must be from 1e-6 to 1e6 in every channel");
    refuse_false(reader, "do_resize");
    refuse_false(reader, "do_rescale");
    refuse_false(reader, "do_normalize");
    if (reader.integer_or("resample", 3, 0, 5) != 3)
        reader.fail("resample", "must be 3: pictures are resized bicubically");
}

void read_image(const JsonReader& reader, Preprocessor& p) {
    constexpr std::string_view kTypes[] = {"Qwen2VLImageProcessor", "Qwen2VLImageProcessorFast",
                                           "Qwen2VLImageProcessorPil"};
    check_type(reader, "image_processor_type", kTypes);
    read_shared(reader, p);
    read_area(reader, false, p.image_min_pixels, p.image_max_pixels);
}

void read_video(const JsonReader& reader, Preprocessor& p) {
    constexpr std::string_view kTypes[] = {"Qwen3VLVideoProcessor"};
    check_type(reader, "video_processor_type", kTypes);
    Preprocessor video = p;
    read_shared(reader, video);
    const auto must_equal = [&](bool equal, const char* key) {
        if (!equal) reader.fail(key, "must equal that for images");
    };
    must_equal(video.patch_size == p.patch_size, "patch_size");
    must_equal(video.merge_size == p.merge_size, "merge_size");
    must_equal(video.temporal_patch_size == p.temporal_patch_size, "temporal_patch_size");
    must_equal(video.rescale == p.rescale, "rescale_factor");
    must_equal(video.mean == p.mean, "image_mean");
    must_equal(video.std == p.std, "image_std");
    read_area(reader, true, p.video_min_pixels, p.video_max_pixels);
    p.video_fps = reader.number_or("fps", p.video_fps);
    if (!(p.video_fps > 0)) reader.fail("fps", "must be above 0");
    p.video_min_frames = reader.integer_or("min_frames", p.video_min_frames, 1, 1'000'000);
    p.video_max_frames = reader.integer_or("max_frames", p.video_max_frames, 1, 1'000'000);
    if (p.video_min_frames > p.video_max_frames)
        reader.fail(reader.has("min_frames") ? "min_frames" : "max_frames",
                    "makes the least number of frames " + std::to_string(p.video_min_frames) +
                        ", above the largest, which is " + std::to_string(p.video_max_frames));
    p.cap_pixels_per_frame = reader.boolean_or("cap_pixels_per_frame", p.cap_pixels_per_frame);
    p.max_video_tokens = reader.integer_or("max_video_tokens", p.max_video_tokens, 1, 1'000'000);
}

// A file of the folder, where there is one; a link that leads nowhere counts as there, so that the
// message names it.
class File {
  public:
    File(const fs::path& model_dir, const char* name) : name_(name) {
        const fs::path path = model_dir / name;
        std::error_code ignored;
        if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) return;
        members_ = read_json_file(path);
        reader_.emplace(*members_, path.string());
    }
    const char* name() const { return name_; }
    const std::optional<JsonReader>& reader() const { return reader_; }

  private:
    const char* name_;
    std::optional<json::object> members_;  // what the reader reads
    std::optional<JsonReader> reader_;
};

}  // namespace

int64_t Preprocessor::video_budget(int64_t num_frames) const {
    if (!cap_pixels_per_frame) return video_max_pixels;
    const int64_t most =
        std::min(max_video_tokens * factor() * factor(), video_max_pixels / num_frames);
    const int64_t least = static_cast<int64_t>(static_cast<double>(video_min_pixels) * 1.05);
    return std::max(most, least) * num_frames;
}

Result<Preprocessor> Preprocessor::with_image_area(std::optional<int64_t> min_pixels,
                                                   std::optional<int64_t> max_pixels) const {
    const int64_t token = factor() * factor();
    const auto refuse = [](const std::string& message, const char* param) {
        return Error{ErrorCode::invalid_value, message, param};
    };
    if (min_pixels && (*min_pixels < 1 || *min_pixels > kMaxImageArea))
        return refuse("--min-pixels must be from 1 to " + std::to_string(kMaxImageArea) + ".",
                      "min_pixels");
    if (max_pixels && (*max_pixels < token || *max_pixels > kMaxImageArea))
        return refuse("--max-pixels must be from " + std::to_string(token) +
                          ", the area of one token, to " + std::to_string(kMaxImageArea) + ".",
                      "max_pixels");
    Preprocessor out = *this;
    out.image_min_pixels = min_pixels.value_or(image_min_pixels);
    out.image_max_pixels = max_pixels.value_or(image_max_pixels);
    if (out.image_min_pixels <= out.image_max_pixels) return out;
    const std::string low = std::to_string(out.image_min_pixels);
    const std::string high = std::to_string(out.image_max_pixels);
    if (min_pixels && max_pixels)
        return refuse("--min-pixels " + low + " is above --max-pixels " + high + ".", "min_pixels");
    if (min_pixels)
        return refuse("--min-pixels " + low + " is above the model's maximum of " + high +
                          "; give --max-pixels too.",
                      "min_pixels");
    return refuse("--max-pixels " + high + " is below the model's minimum of " + low +
                      "; give --min-pixels too.",
                  "max_pixels");
}

Preprocessor Preprocessor::load(const std::filesystem::path& model_dir) {
    const File joint(model_dir, "processor_config.json");
    const File image(model_dir, "preprocessor_config.json");
    const File video(model_dir, "video_preprocessor_config.json");
    if (joint.reader()) check_keys(*joint.reader(), kProcessorKeys);
    // The object of the joint file where it has one (transformers 4 wrote such files without), else
    // the file of its own.
    const auto find = [&](const char* object, const File& own) -> std::optional<JsonReader> {
        if (!joint.reader() || !joint.reader()->has(object)) return own.reader();
        if (own.reader())
            log_warning(model_dir.string() + ": " + own.name() + " is left aside: " + joint.name() +
                        " has an " + object + ", as transformers 5 reads them");
        return joint.reader()->object(object);
    };
    const auto images = find("image_processor", image);
    auto clips = find("video_processor", video);
    if (!images)
        throw StartupError(model_dir.string() +
                           ": has neither preprocessor_config.json nor a processor_config.json "
                           "with an image_processor; copy the file from the released checkpoint.");
    Preprocessor p;
    check_members(*images, kImageKeys);
    read_image(*images, p);
    if (clips) {
        check_members(*clips, kVideoKeys);
    } else if (image.reader()) {
        log_warning(model_dir.string() +
                    ": has no video_preprocessor_config.json: clips are sized by "
                    "preprocessor_config.json, as in transformers");
        clips = image.reader();
    }
    if (clips) read_video(*clips, p);
    return p;
}

}  // namespace saker
