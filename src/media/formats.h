// The five file formats, one source file each, behind decode.h. Used by decode.cpp and foreign.cpp.
//
// A decoder gets bytes whose magic fits, and a size that read_*_header found and the caller
// checked. It returns the whole picture, or an Error where any of it is missing or damaged; a file
// that ends early behind the whole picture is told by a warning.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "media/decode.h"

namespace saker {

using Bytes = std::span<const uint8_t>;

/// A picture as stored, its EXIF orientation, 1 (upright) to 8, and whether the file goes on behind
/// its pixels to where it should.
struct Stored {
    Image image;
    int orientation = 1;
    bool ends_early = false;
};

/// Whether the file begins like a BMP; two letters alone would fit many texts.
bool is_bmp(Bytes bytes);

Result<ImageHeader> read_jpeg_header(Bytes bytes);
Result<ImageHeader> read_png_header(Bytes bytes);
Result<ImageHeader> read_webp_header(Bytes bytes);
Result<ImageHeader> read_gif_header(Bytes bytes);
Result<ImageHeader> read_bmp_header(Bytes bytes);

Result<Stored> decode_jpeg(Bytes bytes, const ImageHeader& header);
Result<Stored> decode_png(Bytes bytes, const ImageHeader& header, DecodeOptions::Alpha alpha);
Result<Stored> decode_webp(Bytes bytes, const ImageHeader& header, DecodeOptions::Alpha alpha);
Result<Stored> decode_gif(Bytes bytes, const ImageHeader& header, DecodeOptions::Alpha alpha);
Result<Stored> decode_bmp(Bytes bytes, DecodeOptions::Alpha alpha);

inline Error damaged_image() {
    return {ErrorCode::invalid_image,
            "The image is cut short or damaged and cannot be decoded; send the complete file."};
}
inline Error unsupported_image() {
    return {ErrorCode::unsupported_image,
            "The image is not of a supported kind; send a JPEG, PNG, WebP, GIF or BMP file."};
}
/// For a kind of `format` that its decoder does not know.
inline Error rare_image(std::string_view format) {
    return {ErrorCode::unsupported_image,
            "The image is a rare kind of " + std::string(format) +
                ", which Saker does not read; convert it, for example with `convert IN OUT.png`."};
}

// Integers of a file; the caller has checked that they lie within it.
inline uint32_t le16(Bytes b, size_t at) {
    return b[at] | uint32_t{b[at + 1]} << 8;
}
inline uint32_t le24(Bytes b, size_t at) {
    return le16(b, at) | uint32_t{b[at + 2]} << 16;
}
inline uint32_t le32(Bytes b, size_t at) {
    return le24(b, at) | uint32_t{b[at + 3]} << 24;
}
inline uint32_t be16(Bytes b, size_t at) {
    return uint32_t{b[at]} << 8 | b[at + 1];
}
inline uint32_t be32(Bytes b, size_t at) {
    return be16(b, at) << 16 | be16(b, at + 2);
}

/// RGBA to RGB, laid on white with Pillow's rounding, or the colour alone. May work in place.
void flatten_rgba(const uint8_t* rgba, int64_t num_pixels, DecodeOptions::Alpha alpha,
                  uint8_t* rgb);

}  // namespace saker
