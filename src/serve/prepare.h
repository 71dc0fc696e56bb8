// prepare_prompt: template parts and pictures become the Prompt that the engine answers.
//
// Called on a worker thread, never on the engine's. Pictures come as bytes, already fetched or read
// by the front (a file, a URL, a data URL). Everything a caller can get wrong about a picture ends
// here, before the engine sees the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ask/prompt.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "media/decode.h"
#include "media/preprocessor.h"
#include "media/resize.h"
#include "text/prompt_parts.h"
#include "text/tokenizer.h"

namespace saker {

/// The bytes behind one image or video part, in the order of the parts.
struct MediaInput {
    Modality modality = Modality::image;
    std::vector<std::vector<uint8_t>> files;  // one picture, or a video's frames in order
    double fps = 0;                           // video: frame i is at i / fps seconds
    std::vector<std::string> names = {};      // of `files`, for messages; may be empty
    // Of an image, in place of the processor's limits; max_tokens holds beside them. See
    // image_limits.h.
    std::optional<int64_t> min_pixels = {}, max_pixels = {}, max_tokens = {};
};

/// What preparing needs to know; made at start-up, read-only afterwards.
struct PrepareSettings {
    const Tokenizer* tokenizer = nullptr;
    Preprocessor preprocessor;
    DecodeOptions decode;
    Resample resample = Resample::torch;
    // transformers 5.10 and later leave the template's own vision_start and vision_end around a
    // video's frame groups; the released models were trained without (specification 6.5).
    bool video_outer_pair = false;
    int64_t max_images = 64, max_videos = 4;
    // Decoded pixels that a request holds at one time, three bytes each: one image, or the frames
    // of a video that share a patch, since pictures are decoded one after the other. While one of
    // them is decoded, up to eight bytes a pixel come on top (decode.h).
    int64_t max_decoded_bytes = int64_t{2} << 30;
};

/// Time spent, for `--stats`.
struct PrepareTimes {
    int64_t decode_ns = 0, patch_ns = 0, tokenize_ns = 0;
};

/// Decodes, resizes and cuts the pictures, writes the videos' timestamps, encodes the text, and
/// expands each placeholder to its tokens. The number of media parts must equal media.size(). An
/// Error about a picture begins with its number and, where there is one, its name: "Image 2
/// (cat.png): ", "Video 1, frame_7.png (7 of 16): ". All headers are looked at before the first
/// picture is decoded. `warnings` gets a sentence, begun in the same way, for each picture that is
/// whole though its file is not.
Result<Prompt> prepare_prompt(std::span<const PromptPart> parts, std::span<const MediaInput> media,
                              const PrepareSettings& settings, ThreadPool& pool,
                              PrepareTimes* times = nullptr,
                              std::vector<std::string>* warnings = nullptr);

}  // namespace saker
