// decode_image: the bytes of a JPEG, PNG, WebP or GIF file become an RGB picture, or an Error.
//
// The format is decided by the first bytes alone, never by a declared type or a file name. Sizes
// are checked from the header before anything is allocated. A file that is cut short or damaged is
// refused as a whole: no half picture is ever answered. Of an animation the first frame is taken.
// Pixels are those that Pillow gives (libjpeg-turbo with the slow integer transform and fancy
// upsampling; CMYK as Adobe writes it; 16 bits cut to 8).
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "media/image.h"

namespace saker {

enum class ImageFormat : uint8_t { jpeg, png, webp, gif };

/// Size as stored in the file, before an EXIF orientation is applied.
struct ImageHeader {
    ImageFormat format = ImageFormat::jpeg;
    int64_t width = 0, height = 0;
};

struct DecodeOptions {
    enum class Alpha : uint8_t {
        white,  // transparent parts are laid on white, as qwen-vl-utils and vLLM do
        drop,   // the colour under the transparency, as Pillow's convert("RGB") gives
    };
    int64_t max_pixels = 40'000'000;
    bool apply_exif = true;  // turn the picture as its EXIF orientation says
    Alpha alpha = Alpha::white;
};

/// Format and size, by magic bytes and header; allocates nothing. Errors: unsupported_image where
/// the bytes are none of the four formats, invalid_image where the header is cut short, damaged,
/// or names a side of 0.
Result<ImageHeader> read_image_header(std::span<const uint8_t> bytes);

/// The picture. Errors as above, image_too_large above `max_pixels`, and unsupported_image for a
/// rare kind of a known format (a JPEG of 12 bits or without loss). Two calls on different threads
/// do not disturb each other.
Result<Image> decode_image(std::span<const uint8_t> bytes, const DecodeOptions& options = {});

}  // namespace saker
