// The first frame of a GIF by giflib, laid on the canvas. The blocks of the whole file are walked
// first, without decoding them: a file that ends within the first frame's is refused, one that ends
// behind them is read as if its trailer stood there.
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "media/formats.h"
#include "media/large_buffer.h"

namespace saker {
namespace {

struct CloseGif {
    void operator()(GifFileType* gif) const {
        int ignored;
        DGifCloseFile(gif, &ignored);
    }
};

// Bytes of a color table whose packed field says so.
size_t table_size(uint8_t packed) {
    return (packed & 0x80) != 0 ? size_t{3} << ((packed & 7) + 1) : 0;
}

// Past the sub-blocks that start at `at`, the empty one at their end included, or to the end of the
// file where only that is missing. Nothing where a sub-block is cut.
std::optional<size_t> skip_sub_blocks(Bytes b, size_t at) {
    while (at < b.size()) {
        const size_t size = b[at];
        if (size == 0) return at + 1;
        at += 1 + size;
    }
    return at == b.size() ? std::optional(at) : std::nullopt;
}

struct Blocks {
    bool has_picture = false;  // the first frame's are all there
    bool has_trailer = false;
};

Blocks walk(Bytes b) {
    Blocks found;
    size_t at = 13 + table_size(b[10]);
    while (at < b.size()) {
        const uint8_t kind = b[at];
        found.has_trailer = kind == 0x3B;
        if (kind == 0x21) {  // extension: label, sub-blocks
            at += 2;
        } else if (kind == 0x2C) {  // picture: place, colors, code size, sub-blocks
            if (at + 10 > b.size()) break;
            at += 10 + table_size(b[at + 9]) + 1;
        } else {
            break;
        }
        const auto next = skip_sub_blocks(b, at);
        if (!next) break;
        at = *next;
        found.has_picture = found.has_picture || kind == 0x2C;
    }
    return found;
}

// What is left of the file; behind it an empty sub-block and a trailer are read, once, which a
// picture may lack.
struct Rest {
    Bytes file;
    Bytes end;
};
constexpr uint8_t kEnd[] = {0x00, 0x3B};

int read_bytes(GifFileType* gif, GifByteType* out, int n) {
    auto& rest = *static_cast<Rest*>(gif->UserData);
    Bytes& from = rest.file.empty() ? rest.end : rest.file;
    const size_t take = std::min(from.size(), static_cast<size_t>(n));
    if (take > 0) std::memcpy(out, from.data(), take);
    from = from.subspan(take);
    return static_cast<int>(take);
}

// Reads on to the first picture; the index that stands for transparent, or NO_TRANSPARENT_COLOR.
// Nothing where no picture comes.
std::optional<int> seek_picture(GifFileType* gif) {
    int transparent = NO_TRANSPARENT_COLOR;
    GifRecordType record;
    while (DGifGetRecordType(gif, &record) == GIF_OK) {
        if (record == IMAGE_DESC_RECORD_TYPE) return transparent;
        if (record != EXTENSION_RECORD_TYPE) return {};
        int label;
        GifByteType* block;
        if (DGifGetExtension(gif, &label, &block) != GIF_OK) return {};
        while (block != nullptr) {
            GraphicsControlBlock control;
            if (label == GRAPHICS_EXT_FUNC_CODE &&
                DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
                transparent = control.TransparentColor;
            if (DGifGetExtensionNext(gif, &block) != GIF_OK) return {};
        }
    }
    return {};
}

}  // namespace

Result<ImageHeader> read_gif_header(Bytes bytes) {
    if (bytes.size() < 13) return damaged_image();
    const ImageHeader header{ImageFormat::gif, le16(bytes, 6), le16(bytes, 8)};
    if (header.width == 0 || header.height == 0) return damaged_image();
    return header;
}

Result<Stored> decode_gif(Bytes bytes, const ImageHeader& header, DecodeOptions::Alpha alpha) {
    const Blocks blocks = walk(bytes);
    if (!blocks.has_picture) return damaged_image();
    int ignored;
    Rest rest{bytes, kEnd};
    const std::unique_ptr<GifFileType, CloseGif> gif(DGifOpen(&rest, read_bytes, &ignored));
    if (!gif) return damaged_image();
    const auto transparent = seek_picture(gif.get());
    if (!transparent || DGifGetImageDesc(gif.get()) != GIF_OK) return damaged_image();
    const GifImageDesc& frame = gif->Image;
    const ColorMapObject* colors = frame.ColorMap != nullptr ? frame.ColorMap : gif->SColorMap;
    if (colors == nullptr || frame.Width < 1 || frame.Height < 1 ||
        frame.Left + frame.Width > header.width || frame.Top + frame.Height > header.height)
        return damaged_image();

    // Outside the frame the canvas is transparent.
    std::vector<uint8_t> rgba = make_large(static_cast<size_t>(header.width * header.height) * 4);
    std::vector<GifPixelType> row(static_cast<size_t>(frame.Width));
    const auto read_row = [&](int y) {
        if (DGifGetLine(gif.get(), row.data(), frame.Width) != GIF_OK) return false;
        uint8_t* out = rgba.data() + ((frame.Top + y) * header.width + frame.Left) * 4;
        for (GifPixelType index : row) {
            if (index >= colors->ColorCount) return false;
            const GifColorType& color = colors->Colors[index];
            const uint8_t opaque = index == *transparent ? 0 : 255;
            const uint8_t pixel[4] = {color.Red, color.Green, color.Blue, opaque};
            out = std::copy(pixel, pixel + 4, out);
        }
        return true;
    };
    struct Pass {
        int first, step;
    };
    constexpr Pass kPlain[] = {{0, 1}}, kInterlaced[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    for (const Pass& pass : frame.Interlace ? std::span<const Pass>(kInterlaced) : kPlain)
        for (int y = pass.first; y < frame.Height; y += pass.step)
            if (!read_row(y)) return damaged_image();

    Stored out{{header.width, header.height, {}}};
    out.image.rgb = make_large(static_cast<size_t>(header.width * header.height) * 3);
    flatten_rgba(rgba.data(), header.width * header.height, alpha, out.image.rgb.data());
    out.ends_early = !blocks.has_trailer;
    return out;
}

}  // namespace saker
