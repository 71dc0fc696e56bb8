// Turns that swap the sides walk the picture in tiles, so that both the rows read and the rows
// written stay in L1.
#include "media/orientation.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "media/formats.h"
#include "media/large_buffer.h"

namespace saker {
namespace {

constexpr uint32_t kOrientationTag = 0x0112;
constexpr int64_t kTile = 32;  // pixels

void swap_pixels(uint8_t* a, uint8_t* b) {
    std::swap_ranges(a, a + 3, b);
}

}  // namespace

int exif_orientation(std::span<const uint8_t> exif) {
    if (exif.size() >= 6 && std::memcmp(exif.data(), "Exif\0\0", 6) == 0) exif = exif.subspan(6);
    if (exif.size() < 8) return 1;
    const bool little = exif[0] == 'I' && exif[1] == 'I', big = exif[0] == 'M' && exif[1] == 'M';
    if (!little && !big) return 1;
    const auto u16 = [&](size_t at) { return little ? le16(exif, at) : be16(exif, at); };
    const auto u32 = [&](size_t at) { return little ? le32(exif, at) : be32(exif, at); };
    const size_t directory = u32(4);
    if (u16(2) != 42 || directory > exif.size() - 2) return 1;
    const size_t num_entries = u16(directory);
    for (size_t i = 0; i < num_entries; ++i) {
        const size_t entry = directory + 2 + 12 * i;
        if (entry + 12 > exif.size()) return 1;
        if (u16(entry) != kOrientationTag) continue;
        const uint32_t type = u16(entry + 2);
        const uint32_t value = type == 3 ? u16(entry + 8) : type == 4 ? u32(entry + 8) : 1;
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

Image turn_upright(Image image, int orientation) {
    CHECK(orientation >= 1 && orientation <= 8, "an EXIF orientation beyond 1 to 8");
    const int64_t w = image.width, h = image.height;
    if (orientation == 1) return image;
    if (orientation == 2) {
        for (int64_t y = 0; y < h; ++y)
            for (int64_t x = 0; x < w / 2; ++x)
                swap_pixels(image.row(y) + 3 * x, image.row(y) + 3 * (w - 1 - x));
        return image;
    }
    if (orientation == 3) {
        uint8_t* p = image.rgb.data();
        for (int64_t i = 0, n = w * h; i < n / 2; ++i) swap_pixels(p + 3 * i, p + 3 * (n - 1 - i));
        return image;
    }
    if (orientation == 4) {
        for (int64_t y = 0; y < h / 2; ++y)
            std::swap_ranges(image.row(y), image.row(y) + 3 * w, image.row(h - 1 - y));
        return image;
    }
    // Pixel (x, y) of the result is pixel (from_x, from_y) of the input: its row number is x,
    // counted from the bottom in 6 and 7, its column y, counted from the right in 7 and 8.
    const bool from_bottom = orientation == 6 || orientation == 7;
    const bool from_right = orientation == 7 || orientation == 8;
    Image turned{h, w, make_large(image.rgb.size())};
    for (int64_t y0 = 0; y0 < w; y0 += kTile) {
        for (int64_t x0 = 0; x0 < h; x0 += kTile) {
            for (int64_t y = y0; y < std::min(w, y0 + kTile); ++y) {
                const int64_t from_x = from_right ? w - 1 - y : y;
                uint8_t* out = turned.row(y);
                for (int64_t x = x0; x < std::min(h, x0 + kTile); ++x)
                    std::memcpy(out + 3 * x, image.row(from_bottom ? h - 1 - x : x) + 3 * from_x,
                                3);
            }
        }
    }
    return turned;
}

}  // namespace saker
