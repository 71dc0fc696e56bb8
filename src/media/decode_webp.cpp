// WebP by libwebp's simple decoder. The container is walked here: for the EXIF block, and for the
// first frame of an animation, whose chunks the decoder accepts as they are; the frame is laid on a
// transparent canvas.
#include <webp/decode.h>

#include <cstring>
#include <string_view>

#include "media/formats.h"
#include "media/large_buffer.h"
#include "media/orientation.h"

namespace saker {
namespace {

struct Container {
    Bytes exif;
    Bytes frame;  // of an animation, the first one: its payload after the frame header
    int64_t x = 0, y = 0;
};

// Chunks after the RIFF header; a chunk that does not fit ends the walk.
Container walk(Bytes b) {
    Container found;
    size_t at = 12;
    while (at + 8 <= b.size()) {
        const size_t size = le32(b, at + 4);
        if (size > b.size() - at - 8) break;
        const std::string_view name(reinterpret_cast<const char*>(b.data() + at), 4);
        const Bytes body = b.subspan(at + 8, size);
        if (name == "EXIF" && found.exif.empty()) found.exif = body;
        if (name == "ANMF" && found.frame.empty() && size > 16) {
            found.x = int64_t{2} * le24(body, 0);
            found.y = int64_t{2} * le24(body, 3);
            found.frame = body.subspan(16);
        }
        at += 8 + size + size % 2;
    }
    return found;
}

}  // namespace

Result<ImageHeader> read_webp_header(Bytes bytes) {
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK)
        return damaged_image();
    if (features.width < 1 || features.height < 1) return damaged_image();
    return ImageHeader{ImageFormat::webp, features.width, features.height};
}

Result<Stored> decode_webp(Bytes bytes, const ImageHeader& header, DecodeOptions::Alpha alpha) {
    if (le32(bytes, 4) > bytes.size() - 8) return damaged_image();
    WebPBitstreamFeatures canvas, frame;
    if (WebPGetFeatures(bytes.data(), bytes.size(), &canvas) != VP8_STATUS_OK)
        return damaged_image();
    Container found = walk(bytes);
    if (!canvas.has_animation) {
        found.frame = bytes;
        found.x = found.y = 0;
    }
    if (found.frame.empty() ||
        WebPGetFeatures(found.frame.data(), found.frame.size(), &frame) != VP8_STATUS_OK)
        return damaged_image();
    if (found.x + frame.width > header.width || found.y + frame.height > header.height)
        return damaged_image();

    Stored out{{header.width, header.height, {}}, exif_orientation(found.exif)};
    const size_t pixels = static_cast<size_t>(header.width) * static_cast<size_t>(header.height);
    const bool covers = frame.width == header.width && frame.height == header.height;
    if (covers && !frame.has_alpha) {
        out.image.rgb = make_large(pixels * 3);
        if (!WebPDecodeRGBInto(found.frame.data(), found.frame.size(), out.image.rgb.data(),
                               out.image.rgb.size(), static_cast<int>(header.width * 3)))
            return damaged_image();
        return out;
    }
    std::vector<uint8_t> rgba = make_large(pixels * 4);
    const size_t row_bytes = static_cast<size_t>(header.width) * 4;
    const size_t start =
        static_cast<size_t>(found.y) * row_bytes + static_cast<size_t>(found.x) * 4;
    if (!WebPDecodeRGBAInto(found.frame.data(), found.frame.size(), rgba.data() + start,
                            rgba.size() - start, static_cast<int>(row_bytes)))
        return damaged_image();
    out.image.rgb = make_large(pixels * 3);
    flatten_rgba(rgba.data(), header.width * header.height, alpha, out.image.rgb.data());
    return out;
}

}  // namespace saker
