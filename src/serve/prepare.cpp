// Pictures first, since their sizes decide how many placeholder tokens there are.
#include "serve/prepare.h"

#include <cstring>
#include <string>

#include "base/clock.h"
#include "media/patches.h"
#include "serve/image_limits.h"

namespace saker {
namespace {

std::string name_of(Modality modality, size_t number) {
    return (modality == Modality::image ? "image " : "video ") + std::to_string(number + 1);
}

// The caller knows its pictures by number and by file, so the sentence says which one it is.
Error about(const Error& error, const MediaInput& input, size_t number) {
    Error out = error;
    const bool named = input.modality == Modality::image && !input.names.empty();
    out.message = name_of(input.modality, number) + (named ? " (" + input.names[0] + ")" : "") +
                  ": " + error.message;
    out.message[0] = static_cast<char>(out.message[0] - 'a' + 'A');
    return out;
}

Result<Patches> make_patches(const MediaInput& input, const PrepareSettings& settings,
                             ThreadPool& pool, PrepareTimes& times) {
    const auto processor = image_limits(input, settings.preprocessor);
    if (!processor) return processor.error();
    // Counted before the first is decoded.
    if (static_cast<int64_t>(input.files.size()) > settings.preprocessor.video_max_frames)
        return Error{ErrorCode::too_many_items,
                     "The video has more frames than the limit allows; send fewer of them."};
    std::vector<Image> images;
    std::vector<double> seconds;
    const Stopwatch decoding;
    for (size_t i = 0; i < input.files.size(); ++i) {
        auto image = decode_image(input.files[i], settings.decode);
        if (!image) return image.error();
        images.push_back(std::move(*image));
        seconds.push_back(input.fps > 0 ? static_cast<double>(i) / input.fps : 0.0);
    }
    times.decode_ns += decoding.elapsed_ns();
    const Stopwatch cutting;
    auto patches =
        input.modality == Modality::image
            ? image_patches(images.at(0), *processor, settings.resample, pool)
            : video_patches(images, seconds, settings.preprocessor, settings.resample, pool);
    times.patch_ns += cutting.elapsed_ns();
    return patches;
}

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
                              PrepareTimes* times) {
    PrepareTimes unused;
    PrepareTimes& spent = times ? *times : unused;
    if (auto status = check_counts(parts, media, settings); !status) return status.error();

    std::vector<Patches> patches;
    size_t counts[2] = {0, 0};  // images, videos
    std::vector<size_t> numbers;
    for (const MediaInput& input : media) {
        numbers.push_back(counts[static_cast<size_t>(input.modality)]++);
        auto made = make_patches(input, settings, pool, spent);
        if (!made) return about(made.error(), input, numbers.back());
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
