// Every kind of file against Pillow's pixels, and the turns and alpha rules against formulas.
#include "media/decode.h"

#include <gtest/gtest.h>

#include "media/orientation.h"
#include "media/test_pictures.h"

namespace saker {
namespace {

struct Expectation {
    std::string file;
    int64_t stored_width, stored_height, width, height;
    uint32_t white, drop;
};

std::vector<Expectation> expectations() {
    std::vector<Expectation> all;
    for (const auto& item : read_reference("pictures")) {
        const JsonReader reader(item.as_object(), "reference.json");
        const auto stored = reader.integers("stored"), size = reader.integers("size");
        all.push_back({reader.string("file"), stored[0], stored[1], size[0], size[1],
                       static_cast<uint32_t>(reader.integer("white", 0, UINT32_MAX)),
                       static_cast<uint32_t>(reader.integer("drop", 0, UINT32_MAX))});
    }
    return all;
}

TEST(Decode, EveryKindGivesThePixelsOfTheReference) {
    int count = 0;
    for (const Expectation& want : expectations()) {
        SCOPED_TRACE(want.file);
        const auto bytes = read_picture(want.file);
        const auto header = read_image_header(bytes);
        ASSERT_TRUE(header.ok());
        EXPECT_EQ(header->width, want.stored_width);
        EXPECT_EQ(header->height, want.stored_height);
        for (const auto alpha : {DecodeOptions::Alpha::white, DecodeOptions::Alpha::drop}) {
            DecodeOptions options;
            options.alpha = alpha;
            const auto image = decode_image(bytes, options);
            ASSERT_TRUE(image.ok()) << image.error().message;
            EXPECT_EQ(image->width, want.width);
            EXPECT_EQ(image->height, want.height);
            ASSERT_EQ(static_cast<int64_t>(image->rgb.size()), 3 * want.width * want.height);
            EXPECT_EQ(crc32(image->rgb),
                      alpha == DecodeOptions::Alpha::white ? want.white : want.drop)
                << (alpha == DecodeOptions::Alpha::white ? "on white" : "alpha dropped");
        }
        ++count;
    }
    EXPECT_GT(count, 60);
}

TEST(Decode, HeaderNamesTheFormat) {
    EXPECT_EQ(read_image_header(read_picture("rgb420.jpg"))->format, ImageFormat::jpeg);
    EXPECT_EQ(read_image_header(read_picture("rgb.png"))->format, ImageFormat::png);
    EXPECT_EQ(read_image_header(read_picture("lossy.webp"))->format, ImageFormat::webp);
    EXPECT_EQ(read_image_header(read_picture("plain.gif"))->format, ImageFormat::gif);
}

// The pixel of the stored picture that comes to (x, y) of the turned one, by the EXIF standard:
// orientation says where the stored row 0 and column 0 are to be seen.
std::pair<int64_t, int64_t> origin(int orientation, int64_t x, int64_t y, int64_t w, int64_t h) {
    switch (orientation) {
        case 2:
            return {w - 1 - x, y};
        case 3:
            return {w - 1 - x, h - 1 - y};
        case 4:
            return {x, h - 1 - y};
        case 5:
            return {y, x};
        case 6:
            return {y, h - 1 - x};
        case 7:
            return {w - 1 - y, h - 1 - x};
        case 8:
            return {w - 1 - y, x};
        default:
            return {x, y};
    }
}

TEST(Decode, TurnsByEveryOrientation) {
    for (const auto& [h, w] : {std::pair<int64_t, int64_t>{21, 34}, {70, 65}, {1, 9}, {5, 1}}) {
        const Image stored = draw(h, w, 7);
        for (int orientation = 1; orientation <= 8; ++orientation) {
            SCOPED_TRACE(orientation);
            const Image turned = turn_upright(stored, orientation);
            ASSERT_EQ(turned.width, orientation >= 5 ? h : w);
            ASSERT_EQ(turned.height, orientation >= 5 ? w : h);
            for (int64_t y = 0; y < turned.height; ++y)
                for (int64_t x = 0; x < turned.width; ++x) {
                    const auto [sx, sy] = origin(orientation, x, y, w, h);
                    for (int c = 0; c < 3; ++c)
                        ASSERT_EQ(turned.row(y)[3 * x + c], stored.row(sy)[3 * sx + c]);
                }
        }
    }
}

TEST(Decode, ExifCanBeIgnored) {
    DecodeOptions options;
    options.apply_exif = false;
    const auto plain = decode_image(read_picture("exif6.jpg"), options);
    const auto upright = decode_image(read_picture("exif1.jpg"), {});
    ASSERT_TRUE(plain.ok() && upright.ok());
    EXPECT_EQ(plain->rgb, upright->rgb);
}

TEST(Decode, DamagedExifIsNoOrientation) {
    const std::vector<uint8_t> block = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3,
                                        0,   1,   0,  0, 0, 6, 0, 0, 0, 0, 0,    0,    0};
    EXPECT_EQ(exif_orientation(block), 6);
    for (size_t n = 0; n < 22; ++n) EXPECT_EQ(exif_orientation({block.data(), n}), 1) << n;
    auto wrong = block;
    wrong[18] = 9;
    EXPECT_EQ(exif_orientation(wrong), 1);
    wrong[18] = 0;
    EXPECT_EQ(exif_orientation(wrong), 1);
    wrong = block;
    wrong[4] = wrong[5] = wrong[6] = wrong[7] = 0xFF;  // a directory far outside
    EXPECT_EQ(exif_orientation(wrong), 1);
}

TEST(Decode, PixelLimitIsInclusive) {
    const auto bytes = read_picture("rgb.png");  // 37 x 29
    DecodeOptions options;
    options.max_pixels = 37 * 29;
    EXPECT_TRUE(decode_image(bytes, options).ok());
    options.max_pixels = 37 * 29 - 1;
    EXPECT_EQ(decode_image(bytes, options).error().code, ErrorCode::image_too_large);
}

}  // namespace
}  // namespace saker
