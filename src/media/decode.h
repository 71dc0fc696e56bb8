// decode_image: the bytes of a JPEG, PNG, WebP, GIF or BMP file become an RGB picture, or an Error.
//
// The format is decided by the first bytes alone, never by a declared type or a file name; another
// kind of file is named in the refusal (foreign.h). Sizes are checked from the header before
// anything is allocated. A file whose pixels are cut short or damaged is refused as a whole: no
// half picture is ever answered. Where a PNG or GIF ends early behind the last row (no IEND, no
// trailer, a frame of an animation less), the picture is whole and is taken, with a warning, as
// Pillow takes it; a JPEG or WebP without its end is refused, as there. Of an animation the first
// frame is taken. Pixels are those that Pillow gives (libjpeg-turbo with the slow integer transform
// and fancy upsampling; CMYK as Adobe writes it; 16 bits cut to 8).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "media/image.h"

namespace saker {

enum class ImageFormat : uint8_t { jpeg, png, webp, gif, bmp };

/// Size as stored in the file, before an EXIF orientation is applied.
struct ImageHeader {
    ImageFormat format = ImageFormat::jpeg;
    int64_t width = 0, height = 0;

    /// Of the picture once it is decoded.
    int64_t num_bytes() const { return 3 * width * height; }
};

struct DecodeOptions {
    enum class Alpha : uint8_t {
        white,  // transparent parts are laid on white, as qwen-vl-utils and vLLM do
        drop,   // the colour under the transparency, as Pillow's convert("RGB") gives
    };
    int64_t max_pixels = 200'000'000;  // --max-image-pixels
    bool apply_exif = true;            // turn the picture as its EXIF orientation says
    Alpha alpha = Alpha::white;
};

/// For docs/compatibility.md: one row for each ImageFormat.
struct ReadFormat {
    std::string_view name, kinds;
};
std::span<const ReadFormat> read_formats();

/// Format and size, by magic bytes and header; allocates nothing. Errors: unsupported_image where
/// the bytes are none of the five formats, invalid_image where there are none, or the header is cut
/// short, damaged, or names a side of 0.
Result<ImageHeader> read_image_header(std::span<const uint8_t> bytes);

/// As above, and image_too_large above `options.max_pixels`, with size and limit in the sentence.
Result<ImageHeader> check_image_header(std::span<const uint8_t> bytes,
                                       const DecodeOptions& options);

/// The picture. Errors as above, and unsupported_image for a rare kind of a known format (a JPEG of
/// 12 bits or without loss). Where the picture is whole but its file is not, `warning` says so, a
/// sentence; it is emptied otherwise. Beside the picture up to eight bytes a pixel are held for a
/// while, which a progressive JPEG may take. Two calls on different threads do not disturb each
/// other.
Result<Image> decode_image(std::span<const uint8_t> bytes, const DecodeOptions& options = {},
                           std::string* warning = nullptr);

}  // namespace saker
