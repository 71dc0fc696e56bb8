// Which format it is, whether its size is allowed, and what is common to all: alpha and EXIF.
#include "media/decode.h"

#include <cstring>
#include <string>
#include <string_view>

#include "media/foreign.h"
#include "media/formats.h"
#include "media/orientation.h"

namespace saker {
namespace {

// In the order of ImageFormat.
constexpr ReadFormat kFormats[] = {
    {"JPEG",
     "8 bits, baseline, extended and progressive; gray, YCbCr, RGB, CMYK, YCCK; turned as "
     "EXIF says. Not: 12 bits, lossless, hierarchical, cut short"},
    {"PNG",
     "every depth and kind of color, interlaced or not; turned as EXIF says; of an animation "
     "the still picture. Without IEND: whole, with a warning"},
    {"WebP",
     "lossy and lossless, with or without alpha; turned as EXIF says; of an animation the "
     "first frame. Not: cut short"},
    {"GIF", "the first frame. Without its trailer: whole, with a warning"},
    {"BMP",
     "1, 4, 8, 16, 24 and 32 bits, palettes, masks and run lengths, headers of OS/2 and of "
     "Windows up to V5. Not: with a JPEG or PNG inside"},
};

bool starts_with(Bytes bytes, std::string_view magic, size_t at = 0) {
    return bytes.size() >= at + magic.size() &&
           std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

// "48.0" of 480 tenths of a megapixel.
std::string megapixels(int64_t tenths) {
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

Error too_large(const ImageHeader& header, int64_t limit) {
    constexpr int64_t kTenth = 100'000;
    const int64_t pixels = header.width * header.height;  // no side has more than 31 bits
    const std::string size =
        "The image is " + std::to_string(header.width) + " x " + std::to_string(header.height);
    const std::string end = " (--max-image-pixels); send a smaller one.";
    if (limit < kTenth)
        return {ErrorCode::image_too_large, size + ", " + std::to_string(pixels) +
                                                " pixels; the limit is " + std::to_string(limit) +
                                                end};
    // Rounded so that what is above the limit also reads so.
    return {ErrorCode::image_too_large, size + ", " + megapixels((pixels + kTenth - 1) / kTenth) +
                                            " megapixels; the limit is " +
                                            megapixels(limit / kTenth) + end};
}

}  // namespace

std::span<const ReadFormat> read_formats() {
    return kFormats;
}

Result<ImageHeader> read_image_header(Bytes bytes) {
    if (starts_with(bytes, "\xFF\xD8\xFF")) return read_jpeg_header(bytes);
    if (starts_with(bytes, "\x89PNG\r\n\x1A\n")) return read_png_header(bytes);
    if (starts_with(bytes, "RIFF") && starts_with(bytes, "WEBP", 8)) return read_webp_header(bytes);
    if (starts_with(bytes, "GIF87a") || starts_with(bytes, "GIF89a")) return read_gif_header(bytes);
    if (is_bmp(bytes)) return read_bmp_header(bytes);
    return foreign_error(bytes);
}

Result<ImageHeader> check_image_header(Bytes bytes, const DecodeOptions& options) {
    auto header = read_image_header(bytes);
    if (header && header->width > options.max_pixels / header->height)
        return too_large(*header, options.max_pixels);
    return header;
}

Result<Image> decode_image(Bytes bytes, const DecodeOptions& options, std::string* warning) {
    const auto header = check_image_header(bytes, options);
    if (!header) return header.error();
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
            case ImageFormat::bmp:
                return decode_bmp(bytes, options.alpha);
        }
        return unsupported_image();
    };
    auto stored = decode();
    if (!stored) return stored.error();
    if (warning != nullptr)
        *warning =
            stored->ends_early
                ? "The image is whole, but its file ends early; it may be an incomplete copy."
                : "";
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
