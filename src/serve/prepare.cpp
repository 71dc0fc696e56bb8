// Pictures first, since their sizes decide how many placeholder tokens there are.
#include "serve/prepare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/utf8.h"
#include "media/patches.h"
#include "serve/image_limits.h"

namespace saker {
namespace {

// An item as the caller knows it: by its number and, where there is one, its name.
struct Item {
    const MediaInput& input;
    size_t number;  // from 0, among those of its modality
    bool is_image() const { return input.modality == Modality::image; }
};

// Fit for a message: what a file is called may hold anything.
std::string shown(const std::string& name) {
    const std::string quoted = quote(name);
    return quoted.substr(1, quoted.size() - 2);
}

// "Image 2 (cat.png)", "Video 1".
std::string name_of(const Item& item) {
    std::string name = (item.is_image() ? "Image " : "Video ") + std::to_string(item.number + 1);
    if (item.is_image() && !item.input.names.empty())
        name += " (" + shown(item.input.names[0]) + ")";
    return name;
}

// The same of an image; "Video 1, frame_7.png (7 of 16)".
std::string name_of(const Item& item, size_t file) {
    if (item.is_image()) return name_of(item);
    const std::string place =
        std::to_string(file + 1) + " of " + std::to_string(item.input.files.size());
    return name_of(item) + ", " +
           (file < item.input.names.size() ? shown(item.input.names[file]) + " (" + place + ")"
                                           : "frame " + place);
}

Error about(const Error& error, const std::string& name) {
    return {error.code, name + ": " + error.message, error.param};
}

// What the patches of one item hold of it at one time once it is decoded.
Status check_held(const Item& item, int64_t largest, const PrepareSettings& settings) {
    constexpr int64_t kMb = 1'000'000;  // rounded so that what is above the limit reads so
    const int64_t most = settings.max_decoded_bytes;
    const int64_t frames = item.is_image() ? 1 : settings.preprocessor.temporal_patch_size;
    if (largest <= most / frames) return Done{};
    return Error{ErrorCode::image_too_large,
                 name_of(item) + ": " +
                     (item.is_image() ? "Its pixels" : "The pixels of a patch's frames") +
                     " take " + std::to_string((largest * frames + kMb - 1) / kMb) +
                     " MB once decoded; the limit is " + std::to_string(most / kMb) +
                     " MB; send a smaller one.",
                 ""};
}

// What a front may have left out or put in twice.
Status check_files(const Item& item) {
    if (item.is_image() && item.input.files.size() != 1)
        return about({ErrorCode::invalid_value,
                      "An image is one file; send each picture as an image of its own.", ""},
                     name_of(item));
    // Without a rate every frame would be at 0 seconds, and the model would be told so.
    if (!item.is_image() && !(item.input.fps > 0 && std::isfinite(item.input.fps)))
        return about({ErrorCode::invalid_value,
                      "The video has no frame rate; say how many frames a second it has.", ""},
                     name_of(item));
    return Done{};
}

// What the headers say, before anything is decoded: kinds, sizes, proportions.
Status check_headers(const Item& item, const PrepareSettings& settings) {
    if (auto status = check_files(item); !status) return status;
    const auto limits = image_limits(item.input, settings.preprocessor);
    if (!limits) return about(limits.error(), name_of(item));
    const Preprocessor& p = *limits;
    const auto num_files = static_cast<int64_t>(item.input.files.size());
    if (!item.is_image() && num_files > p.video_max_frames)
        return about(too_many_frames(num_files, p), name_of(item));
    int64_t largest = 0;
    std::optional<Size> first;
    for (size_t i = 0; i < item.input.files.size(); ++i) {
        const auto header = check_image_header(item.input.files[i], settings.decode);
        if (!header) return about(header.error(), name_of(item, i));
        largest = std::max(largest, header->num_bytes());
        if (!first) first = Size{header->height, header->width};
    }
    // An EXIF orientation may swap the sides, which changes nothing about being refused.
    const auto size = item.is_image()
                          ? smart_resize(*first, p.factor(), p.image_min_pixels, p.image_max_pixels)
                          : smart_resize_video(num_files, *first, p.factor(), p.temporal_patch_size,
                                               p.video_min_pixels, p.video_budget(num_files));
    if (!size) return about(size.error(), name_of(item));
    return check_held(item, largest, settings);
}

class PatchMaker {
  public:
    PatchMaker(const PrepareSettings& settings, ThreadPool& pool, PrepareTimes& times,
               std::vector<std::string>* warnings)
        : settings_(settings), pool_(pool), times_(times), warnings_(warnings) {}

    Result<Patches> make(const Item& item) {
        return item.is_image() ? of_image(item) : of_video(item);
    }

  private:
    Result<Image> decode(const Item& item, size_t file) {
        const Stopwatch watch;
        std::string warning;
        auto image = decode_image(item.input.files[file], settings_.decode, &warning);
        times_.decode_ns += watch.elapsed_ns();
        if (!image) return about(image.error(), name_of(item, file));
        if (!warning.empty() && warnings_ != nullptr)
            warnings_->push_back(name_of(item, file) + ": " + warning);
        return image;
    }

    Result<Patches> of_image(const Item& item) {
        const auto image = decode(item, 0);
        if (!image) return image.error();
        const Stopwatch watch;
        const auto limits = image_limits(item.input, settings_.preprocessor);
        if (!limits) return about(limits.error(), name_of(item));
        auto patches = image_patches(*image, *limits, settings_.resample, pool_);
        times_.patch_ns += watch.elapsed_ns();
        if (!patches) return about(patches.error(), name_of(item));
        return patches;
    }

    Result<Patches> of_video(const Item& item) {
        std::vector<double> seconds;
        for (size_t i = 0; i < item.input.files.size(); ++i)
            seconds.push_back(static_cast<double>(i) / item.input.fps);
        std::optional<VideoPatches> video;
        for (size_t i = 0; i < seconds.size(); ++i) {
            auto frame = decode(item, i);
            if (!frame) return frame.error();
            const Stopwatch watch;
            if (!video) {
                auto made = VideoPatches::make({frame->height, frame->width}, seconds,
                                               settings_.preprocessor, settings_.resample, pool_);
                if (!made) return about(made.error(), name_of(item));
                video = std::move(*made);
            }
            if (auto status = video->add(std::move(*frame)); !status)
                return about(status.error(), name_of(item, i));
            times_.patch_ns += watch.elapsed_ns();
        }
        return video->take();
    }

    const PrepareSettings& settings_;
    ThreadPool& pool_;
    PrepareTimes& times_;
    std::vector<std::string>* warnings_;
};

Status check_counts(std::span<const PromptPart> parts, std::span<const MediaInput> media,
                    const PrepareSettings& settings) {
    int64_t images = 0, videos = 0;
    size_t next = 0;
    for (const PromptPart& part : parts) {
        if (part.kind != PromptPart::Kind::image && part.kind != PromptPart::Kind::video) continue;
        const auto modality =
            part.kind == PromptPart::Kind::image ? Modality::image : Modality::video;
        (modality == Modality::image ? images : videos) += 1;
        if (next >= media.size() || media[next].modality != modality || media[next].files.empty())
            return Error{ErrorCode::invalid_value,
                         "The pictures given do not match those that the messages speak of.", ""};
        ++next;
    }
    if (next != media.size())
        return Error{ErrorCode::invalid_value,
                     "More pictures are given than the messages speak of.", ""};
    if (images > settings.max_images)
        return Error{ErrorCode::too_many_items,
                     "At most " + std::to_string(settings.max_images) +
                         " image(s) may be provided in one prompt.",
                     ""};
    if (videos > settings.max_videos)
        return Error{ErrorCode::too_many_items,
                     "At most " + std::to_string(settings.max_videos) +
                         " video(s) may be provided in one prompt.",
                     ""};
    return Done{};
}

// Replaces each video part, with the pair around it, by its frame groups (specification 6.5).
std::vector<PromptPart> write_timestamps(std::span<const PromptPart> parts,
                                         const std::vector<Patches>& patches, bool outer_pair) {
    using Kind = PromptPart::Kind;
    std::vector<PromptPart> out;
    size_t next = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].kind == Kind::image) ++next;
        if (parts[i].kind != Kind::video) {
            out.push_back(parts[i]);
            continue;
        }
        const auto is_pair = [&](size_t at, std::string_view token) {
            return at < parts.size() && parts[at].kind == Kind::added && parts[at].text == token;
        };
        const bool paired =
            i > 0 && is_pair(i - 1, kVisionStart) && is_pair(i + 1, kVisionEnd) && !outer_pair;
        if (paired) out.pop_back();
        for (double time : patches[next].group_times) {
            out.push_back({Kind::text, timestamp_text(time)});
            out.push_back({Kind::added, std::string(kVisionStart)});
            out.push_back(parts[i]);
            out.push_back({Kind::added, std::string(kVisionEnd)});
        }
        if (paired) ++i;
        ++next;
    }
    return out;
}

}  // namespace

Result<Prompt> prepare_prompt(std::span<const PromptPart> parts, std::span<const MediaInput> media,
                              const PrepareSettings& settings, ThreadPool& pool,
                              PrepareTimes* times, std::vector<std::string>* warnings) {
    PrepareTimes unused;
    PrepareTimes& spent = times ? *times : unused;
    if (auto status = check_counts(parts, media, settings); !status) return status.error();

    size_t counts[2] = {0, 0};  // images, videos
    std::vector<size_t> numbers;
    for (const MediaInput& input : media) {
        numbers.push_back(counts[static_cast<size_t>(input.modality)]++);
        if (auto status = check_headers({input, numbers.back()}, settings); !status)
            return status.error();
    }
    std::vector<Patches> patches;
    PatchMaker maker(settings, pool, spent, warnings);
    for (size_t m = 0; m < media.size(); ++m) {
        auto made = maker.make({media[m], numbers[m]});
        if (!made) return made.error();
        patches.push_back(std::move(*made));
    }

    const Stopwatch tokenizing;
    const std::vector<PromptPart> expanded =
        write_timestamps(parts, patches, settings.video_outer_pair);
    const EncodedParts encoded = encode_parts(*settings.tokenizer, expanded);
    Prompt prompt;
    size_t copied = 0, place = 0;
    for (size_t m = 0; m < media.size(); ++m) {
        Patches& item = patches[m];
        const int64_t frame_patches = item.grid_h * item.grid_w;
        const int64_t frame_tokens = item.num_tokens() / item.grid_t;
        const auto frame_bytes =
            static_cast<size_t>(frame_patches * settings.preprocessor.patch_bytes());
        for (int64_t g = 0; g < item.grid_t; ++g) {
            const auto at = static_cast<size_t>(encoded.media[place++]);
            prompt.ids.insert(prompt.ids.end(),
                              encoded.ids.begin() + static_cast<ptrdiff_t>(copied),
                              encoded.ids.begin() + static_cast<ptrdiff_t>(at));
            Frame frame;
            frame.modality = media[m].modality;
            frame.item = static_cast<int32_t>(numbers[m]);
            frame.grid_h = item.grid_h;
            frame.grid_w = item.grid_w;
            frame.first_token = static_cast<int64_t>(prompt.ids.size());
            frame.num_tokens = frame_tokens;
            if (item.grid_t == 1) {
                frame.pixels = std::move(item.pixels);
            } else {
                const uint8_t* from = item.pixels.data() + static_cast<size_t>(g) * frame_bytes;
                frame.pixels.assign(from, from + frame_bytes);
            }
            prompt.frames.push_back(std::move(frame));
            prompt.ids.insert(prompt.ids.end(), static_cast<size_t>(frame_tokens), encoded.ids[at]);
            copied = at + 1;
        }
    }
    prompt.ids.insert(prompt.ids.end(), encoded.ids.begin() + static_cast<ptrdiff_t>(copied),
                      encoded.ids.end());
    spent.tokenize_ns += tokenizing.elapsed_ns();
    return prompt;
}

}  // namespace saker
