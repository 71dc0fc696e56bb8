// Rows that image and video have in common stand once. The tables name the files of the released
// form; the objects of processor_config.json have the same keys.
#include "media/preprocessor_keys.h"

#include <array>

#include "media/preprocessor.h"

namespace saker {
namespace {

constexpr auto kHonoured = KeyUse::honoured;
constexpr auto kHarmless = KeyUse::harmless;

constexpr auto kShared = std::to_array<KnownKey>({
    {"do_normalize", kHonoured, "[]", "must be true"},
    {"do_rescale", kHonoured, "[]", "must be true"},
    {"do_resize", kHonoured, "[]", "must be true"},
    {"image_mean"},
    {"image_std"},
    {"max_pixels", kHonoured, "[]", "of images, before size; of clips, where there is no size"},
    {"merge_size"},
    {"min_pixels", kHonoured, "[]", "of images, before size; of clips, where there is no size"},
    {"patch_size"},
    {"resample", kHonoured, "[]", "must be 3, bicubic"},
    {"rescale_factor"},
    {"size"},
    {"temporal_patch_size"},
    {"_processor_class", kHarmless},
    {"_valid_kwargs_names", kHarmless},
    {"auto_map", kHarmless, "[]", "code in a checkpoint is never run"},
    {"crop_size", kHarmless, "[]", "transformers does not crop here either"},
    {"data_format", kHarmless},
    {"default_to_square", kHarmless},
    {"device", kHarmless},
    {"disable_grouping", kHarmless},
    {"do_center_crop", kHarmless, "[]", "transformers does not crop here either"},
    {"do_convert_rgb", kHarmless, "[]", "pictures are always RGB"},
    {"do_pad", kHarmless, "[]", "transformers does not pad here either"},
    {"feature_extractor_type", kHarmless},
    {"input_data_format", kHarmless},
    {"max_image_size", kHarmless},
    {"model_input_names", kHarmless},
    {"pad_size", kHarmless, "[]", "transformers does not pad here either"},
    {"processor_class", kHarmless},
    {"return_tensors", kHarmless},
    {"size_divisor", kHarmless},
    {"use_fast", kHarmless},
});

constexpr auto kImage = join_keys(
    kShared, std::to_array<KnownKey>({
                 {"image_processor_type", kHonoured, "[]", "must be a Qwen2VLImageProcessor"},
             }));

constexpr auto kVideo = join_keys(
    kShared, std::to_array<KnownKey>({
                 {"cap_pixels_per_frame"},
                 {"do_sample_frames", kHarmless, "[]", "the frames of a clip are all used"},
                 {"fps"},
                 {"image_processor_type", kHarmless, "[]", "the file for images, read for clips"},
                 {"max_duration", kHarmless},
                 {"max_frames"},
                 {"max_video_tokens"},
                 {"min_frames"},
                 {"num_frames", kHarmless, "[]", "the frames of a clip are all used"},
                 {"return_metadata", kHarmless},
                 {"video_metadata", kHarmless},
                 {"video_processor_type", kHonoured, "[]", "must be Qwen3VLVideoProcessor"},
             }));

constexpr KnownKey kSize[] = {
    {"shortest_edge", kHonoured, "[]", "the least area, with longest_edge"},
    {"longest_edge", kHonoured, "[]", "the largest area, with shortest_edge"},
    {"min_pixels", kHonoured, "[]", "another name of shortest_edge"},
    {"max_pixels", kHonoured, "[]", "another name of longest_edge"},
    {"height", KeyUse::refused, "[]", "pictures are resized to an area, not to one size"},
    {"width", KeyUse::refused, "[]", "pictures are resized to an area, not to one size"},
    {"max_height", KeyUse::refused, "[]", "pictures are resized to an area, not to one size"},
    {"max_width", KeyUse::refused, "[]", "pictures are resized to an area, not to one size"},
};

constexpr KnownKey kProcessor[] = {
    {"image_processor"},
    {"video_processor"},
    {"auto_map", kHarmless, "[]", "code in a checkpoint is never run"},
    {"chat_template", KeyUse::refused, "[]", "it belongs in chat_template.jinja"},
    {"processor_class", kHarmless},
    {"tokenizer", kHarmless},
};

constexpr KeyTable kTables[] = {
    {"preprocessor_config.json", "", UnknownKeys::warn, kImage},
    {"video_preprocessor_config.json", "", UnknownKeys::warn, kVideo},
    {"preprocessor_config.json", "size", UnknownKeys::refuse, kSize},
    {"processor_config.json", "", UnknownKeys::warn, kProcessor},
};

}  // namespace

const KeyTable kImageKeys = kTables[0], kVideoKeys = kTables[1], kSizeKeys = kTables[2],
               kProcessorKeys = kTables[3];

std::span<const KeyTable> preprocessor_key_tables() {
    return kTables;
}

}  // namespace saker
