// PNG by libspng, row by row; interlaced files need the whole picture at once. Chunks are walked
// first, without reading them: a file that ends behind its pixels is read as far as its chunks are
// whole, as if the end chunk stood there. Of an APNG the still picture is taken.
#include <spng.h>

#include <iterator>
#include <memory>

#include "media/formats.h"
#include "media/large_buffer.h"
#include "media/orientation.h"

namespace saker {
namespace {

// Text and colour profiles may be compressed; this bounds one of them and all of them.
constexpr size_t kMaxChunk = size_t{8} << 20, kMaxChunks = size_t{32} << 20;

using Reader = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

struct Chunks {
    size_t end = 8;          // of the last whole one
    bool has_end = false;    // whether that is the end chunk
    bool cuts_exif = false;  // whether the file ends within an EXIF block
};

Chunks walk(Bytes b) {
    Chunks found;
    while (!found.has_end && found.end + 12 <= b.size()) {
        const size_t size = be32(b, found.end);
        if (size > b.size() - found.end - 12) break;
        found.has_end = be32(b, found.end + 4) == 0x49454E44;  // IEND
        found.end += 12 + size;
    }
    found.cuts_exif = !found.has_end && found.end + 8 <= b.size() &&
                      be32(b, found.end + 4) == 0x65584966;  // eXIf
    return found;
}

bool has_alpha(spng_ctx* png, uint8_t color_type) {
    spng_trns transparency;
    return (color_type & 4) != 0 || spng_get_trns(png, &transparency) == 0;
}

int orientation_of(spng_ctx* png) {
    spng_exif exif;
    if (spng_get_exif(png, &exif) != 0) return 1;
    return exif_orientation({reinterpret_cast<const uint8_t*>(exif.data), exif.length});
}

}  // namespace

Result<ImageHeader> read_png_header(Bytes bytes) {
    // Signature, then IHDR: length, name, width, height.
    if (bytes.size() < 33 || be32(bytes, 8) != 13 || be32(bytes, 12) != 0x49484452)
        return damaged_image();
    const ImageHeader header{ImageFormat::png, be32(bytes, 16), be32(bytes, 20)};
    if (header.width == 0 || header.height == 0 || header.width > INT32_MAX ||
        header.height > INT32_MAX)
        return damaged_image();
    return header;
}

Result<Stored> decode_png(Bytes bytes, const ImageHeader& header, DecodeOptions::Alpha alpha) {
    const Chunks chunks = walk(bytes);
    if (chunks.cuts_exif) return damaged_image();  // nobody knows which side is up
    std::vector<uint8_t> mended;  // the whole chunks and an end, where the file has none
    if (!chunks.has_end) {
        constexpr uint8_t kEnd[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
        mended.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(chunks.end));
        mended.insert(mended.end(), std::begin(kEnd), std::end(kEnd));
        bytes = mended;
    }
    const Reader png(spng_ctx_new(0), &spng_ctx_free);
    if (!png) throw std::bad_alloc();
    spng_ihdr ihdr;
    if (spng_set_image_limits(png.get(), static_cast<uint32_t>(header.width),
                              static_cast<uint32_t>(header.height)) != 0 ||
        spng_set_chunk_limits(png.get(), kMaxChunk, kMaxChunks) != 0 ||
        spng_set_png_buffer(png.get(), bytes.data(), bytes.size()) != 0 ||
        spng_get_ihdr(png.get(), &ihdr) != 0)
        return damaged_image();

    const bool four = alpha == DecodeOptions::Alpha::white && has_alpha(png.get(), ihdr.color_type);
    const int flags = SPNG_DECODE_PROGRESSIVE | (four ? SPNG_DECODE_TRNS : 0);
    if (spng_decode_image(png.get(), nullptr, 0, four ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8, flags) != 0)
        return damaged_image();

    Stored out{{header.width, header.height, {}}};
    std::vector<uint8_t>& rgb = out.image.rgb;
    const int64_t row_bytes = header.width * (four ? 4 : 3);
    const bool interlaced = ihdr.interlace_method != 0;
    // Rows come in order, once, or in seven passes that each fill in some pixels.
    std::vector<uint8_t> rows = make_large(row_bytes * (interlaced ? header.height : 1));
    const auto append = [&](uint8_t* row) {
        if (four) flatten_rgba(row, header.width, alpha, row);
        rgb.insert(rgb.end(), row, row + 3 * header.width);
    };
    if (!interlaced || four) reserve_large(rgb, header.width * header.height * 3);
    for (int status = 0; status == 0;) {
        spng_row_info place;
        if (spng_get_row_info(png.get(), &place) != 0) return damaged_image();
        uint8_t* row = rows.data() + (interlaced ? place.row_num * row_bytes : 0);
        status = spng_decode_row(png.get(), row, static_cast<size_t>(row_bytes));
        if (status != 0 && status != SPNG_EOI) return damaged_image();
        if (!interlaced) append(row);
    }
    if (spng_decode_chunks(png.get()) != 0) return damaged_image();
    if (interlaced && four)
        for (int64_t y = 0; y < header.height; ++y) append(rows.data() + y * row_bytes);
    else if (interlaced)
        rgb = std::move(rows);
    if (static_cast<int64_t>(rgb.size()) != header.width * header.height * 3)
        return damaged_image();
    out.orientation = orientation_of(png.get());
    out.ends_early = !chunks.has_end;
    return out;
}

}  // namespace saker
