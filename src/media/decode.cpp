// Which format it is, whether its size is allowed, and what is common to all: alpha and EXIF.
#include "media/decode.h"

#include <cstring>
#include <string_view>

#include "media/formats.h"
#include "media/orientation.h"

namespace saker {
namespace {

bool starts_with(Bytes bytes, std::string_view magic, size_t at = 0) {
    return bytes.size() >= at + magic.size() &&
           std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

}  // namespace

Result<ImageHeader> read_image_header(Bytes bytes) {
    if (starts_with(bytes, "\xFF\xD8\xFF")) return read_jpeg_header(bytes);
    if (starts_with(bytes, "\x89PNG\r\n\x1A\n")) return read_png_header(bytes);
    if (starts_with(bytes, "RIFF") && starts_with(bytes, "WEBP", 8)) return read_webp_header(bytes);
    if (starts_with(bytes, "GIF87a") || starts_with(bytes, "GIF89a")) return read_gif_header(bytes);
    return unsupported_image();
}

Result<Image> decode_image(Bytes bytes, const DecodeOptions& options) {
    const auto header = read_image_header(bytes);
    if (!header) return header.error();
    if (header->width > options.max_pixels / header->height)
        return Error{ErrorCode::image_too_large,
                     "The image has more pixels than the limit allows; send a smaller one."};
    const auto decode = [&]() -> Result<Stored> {
        switch (header->format) {
            case ImageFormat::jpeg:
                return decode_jpeg(bytes, *header);
            case ImageFormat::png:
                return decode_png(bytes, *header, options.alpha);
            case ImageFormat::webp:
                return decode_webp(bytes, *header, options.alpha);
            case ImageFormat::gif:
                return decode_gif(bytes, *header, options.alpha);
        }
        return unsupported_image();
    };
    auto stored = decode();
    if (!stored) return stored.error();
    return turn_upright(std::move(stored->image), options.apply_exif ? stored->orientation : 1);
}

void flatten_rgba(const uint8_t* rgba, int64_t num_pixels, DecodeOptions::Alpha alpha,
                  uint8_t* rgb) {
    const bool white = alpha == DecodeOptions::Alpha::white;
    for (int64_t x = 0; x < num_pixels; ++x, rgba += 4, rgb += 3) {
        const uint32_t opaque = white ? rgba[3] : 255;
        for (int c = 0; c < 3; ++c) {
            // A division by 255, rounded.
            const uint32_t sum = 255 * (255 - opaque) + rgba[c] * opaque + 128;
            rgb[c] = static_cast<uint8_t>((sum + (sum >> 8)) >> 8);
        }
    }
}

}  // namespace saker
