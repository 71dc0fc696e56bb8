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
            std::string warning = "of another picture";
            const auto image = decode_image(bytes, options, &warning);
            ASSERT_TRUE(image.ok()) << image.error().message;
            EXPECT_EQ(warning, "");
            EXPECT_EQ(image->width, want.width);
            EXPECT_EQ(image->height, want.height);
            ASSERT_EQ(static_cast<int64_t>(image->rgb.size()), 3 * want.width * want.height);
            EXPECT_EQ(crc32(image->rgb),
                      alpha == DecodeOptions::Alpha::white ? want.white : want.drop)
                << (alpha == DecodeOptions::Alpha::white ? "on white" : "alpha dropped");
        }
        ++count;
    }
    EXPECT_GT(count, 110);
}

TEST(Decode, HeaderNamesTheFormat) {
    EXPECT_EQ(read_image_header(read_picture("rgb420.jpg"))->format, ImageFormat::jpeg);
    EXPECT_EQ(read_image_header(read_picture("rgb.png"))->format, ImageFormat::png);
    EXPECT_EQ(read_image_header(read_picture("lossy.webp"))->format, ImageFormat::webp);
    EXPECT_EQ(read_image_header(read_picture("plain.gif"))->format, ImageFormat::gif);
    EXPECT_EQ(read_image_header(read_picture("bmp24.bmp"))->format, ImageFormat::bmp);
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

// Bytes that may be missing at the end, in all of which Pillow 13 gives the same picture (it lets
// some more pass, within the last pixels): of a PNG the end chunk, of a GIF the trailer and the
// empty sub-block before it.
TEST(Decode, APictureWithoutTheEndOfItsFileIsWhole) {
    for (const auto& [name, most] : {std::pair<std::string, size_t>{"rgb.png", 12},
                                     {"exif8_behind.png", 12},
                                     {"interlaced_rgba.png", 12},
                                     {"palette_trns.png", 12},
                                     {"plain.gif", 2},
                                     {"interlaced.gif", 2},
                                     {"transparent.gif", 2}}) {
        SCOPED_TRACE(name);
        const auto whole = read_picture(name);
        const auto want = decode_image(whole);
        ASSERT_TRUE(want.ok());
        for (size_t missing = 1; missing <= most; ++missing) {
            std::string warning;
            const auto image =
                decode_image(std::span(whole).first(whole.size() - missing), {}, &warning);
            ASSERT_TRUE(image.ok()) << missing << " bytes less";
            EXPECT_EQ(image->rgb, want->rgb) << missing << " bytes less";
            EXPECT_EQ(image->width, want->width);
            EXPECT_NE(warning.find("its file ends early"), std::string::npos);
        }
        EXPECT_FALSE(decode_image(std::span(whole).first(whole.size() - 120)).ok());
    }
}

// Pillow 13 refuses it too, where the chunk's name is still there: its orientation is not known.
TEST(Decode, ACutOrientationBehindThePixelsIsRefused) {
    const auto whole = read_picture("exif8_behind.png");
    const std::string_view text(reinterpret_cast<const char*>(whole.data()), whole.size());
    const size_t name = text.find("eXIf");
    for (size_t end = name + 4; end < whole.size() - 12; ++end)
        EXPECT_FALSE(decode_image(std::span(whole).first(end)).ok()) << end - name;
    EXPECT_TRUE(decode_image(std::span(whole).first(whole.size() - 12)).ok());
}

// Animations whose later frames are cut, at any place: Pillow 13 takes the first one too.
TEST(Decode, TheFirstFrameOfACutAnimationIsWhole) {
    for (const char* name : {"animated.gif", "animated.png"}) {
        SCOPED_TRACE(name);
        const auto whole = read_picture(name);
        const auto want = decode_image(whole);
        ASSERT_TRUE(want.ok());
        for (size_t missing = 1; missing <= 400; ++missing) {
            std::string warning;
            const auto image =
                decode_image(std::span(whole).first(whole.size() - missing), {}, &warning);
            ASSERT_TRUE(image.ok()) << missing << " bytes less";
            ASSERT_EQ(image->rgb, want->rgb) << missing << " bytes less";
            EXPECT_NE(warning, "");
        }
    }
}

TEST(Decode, PixelLimitIsInclusive) {
    const auto bytes = read_picture("rgb.png");  // 37 x 29
    DecodeOptions options;
    options.max_pixels = 37 * 29;
    EXPECT_TRUE(decode_image(bytes, options).ok());
    options.max_pixels = 37 * 29 - 1;
    EXPECT_EQ(decode_image(bytes, options).error().code, ErrorCode::image_too_large);
    EXPECT_EQ(decode_image(bytes, options).error().message,
              "The image is 37 x 29, 1073 pixels; the limit is 1072 (--max-image-pixels); send a "
              "smaller one.");
}

// A PNG's header alone.
std::vector<uint8_t> header_of_size(uint32_t width, uint32_t height) {
    auto bytes = read_picture("rgb.png");
    put(bytes, 16, width, 4, true);
    put(bytes, 20, height, 4, true);
    return bytes;
}

TEST(Decode, ARefusalForSizeNamesSizeAndLimit) {
    DecodeOptions options;
    options.max_pixels = 40'000'000;
    const auto message = [&](uint32_t width, uint32_t height) {
        const auto header = check_image_header(header_of_size(width, height), options);
        return header ? std::string() : header.error().message;
    };
    EXPECT_EQ(message(8000, 5000), "");
    EXPECT_EQ(message(8000, 6000),
              "The image is 8000 x 6000, 48.0 megapixels; the limit is 40.0 (--max-image-pixels); "
              "send a smaller one.");
    EXPECT_EQ(message(40'000'001, 1),
              "The image is 40000001 x 1, 40.1 megapixels; the limit is 40.0 (--max-image-pixels); "
              "send a smaller one.");
    options = DecodeOptions();
    EXPECT_EQ(message(20'000, 10'000), "");
    EXPECT_EQ(message(20'000, 10'001),
              "The image is 20000 x 10001, 200.1 megapixels; the limit is 200.0 "
              "(--max-image-pixels); send a smaller one.");
}

struct Foreign {
    std::string_view start, says;
};

TEST(Decode, OtherKindsAreNamedWithTheWayToAPicture) {
    using namespace std::string_view_literals;
    for (const Foreign& foreign : {
             Foreign{"II*\0\x08\0\0\0"sv,
                     "is a TIFF picture, which Saker does not read; convert it, for example with "
                     "`convert IN OUT.png`."},
             {"MM\0*\0\0\0\x08"sv, "is a TIFF picture"},
             {"II*\0\x10\0\0\0CR\x02\0"sv, "is a camera's raw picture"},
             {"\0\0\0\x18"
              "ftypheic\0\0\0\0"sv,
              "is a HEIC picture, which Saker does not read; convert it, for example with "
              "`heif-convert IN.heic OUT.jpg`."},
             {"\0\0\0\x18"
              "ftypmif1\0\0\0\0mif1heic"sv,
              "is a HEIC picture"},
             {"\0\0\0\x18"
              "ftypmif1\0\0\0\0mif1avif"sv,
              "is an AVIF picture"},
             {"\0\0\0\x1c"
              "ftypavif\0\0\0\0"sv,
              "is an AVIF picture, which Saker does not read; convert it, for example with "
              "`avifdec IN.avif OUT.png`."},
             {"\0\0\0\x18"
              "ftypcrx \0\0\0\0"sv,
              "is a camera's raw picture"},
             {"\0\0\0\x0CJXL \r\n\x87\n"sv, "is a JPEG XL picture"},
             {"\xFF\x0A\xFA\x7F"sv, "is a JPEG XL picture"},
             {"\0\0\0\x0CjP  \r\n\x87\n"sv, "is a JPEG 2000 picture"},
             {"<svg xmlns='http://www.w3.org/2000/svg'/>"sv, "is an SVG drawing"},
             {"\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- x -->\n<SVG/>"sv, "is an SVG drawing"},
             {"%PDF-1.7\n"sv, "is a PDF document"},
             {"8BPS\0\x01"sv, "is a Photoshop file"},
             {"\0\0\x01\0\x01\0"sv, "is an icon (ICO)"},
             {"P6\n1 1 255\n"sv, "is a PPM picture"},
             {"\0\0\0\x18"
              "ftypisom\0\0\0\0"sv,
              "is a video (MP4), not a picture; take its frames, for example with `ffmpeg -i IN "
              "-vf fps=2 FOLDER/%04d.png`, and give the folder as --video-frames."},
             {"\0\0\0\x14"
              "ftypqt  \0\0\0\0"sv,
              "is a video (QuickTime)"},
             {"\x1A\x45\xDF\xA3\x9F"sv, "is a video (WebM or Matroska)"},
             {"RIFF\x24\0\0\0AVI LIST"sv, "is a video (AVI)"},
             {"\n<!DOCTYPE HTML><html>"sv,
              "is a web page in place of a picture; download the picture itself."},
             {"{\"error\": \"not found\"}"sv, "is JSON text in place of a picture"},
             {"version https://git-lfs.github.com/spec/v1\noid sha256:0"sv,
              "is a Git LFS pointer in place of a picture; get the picture itself, for example "
              "with `git lfs pull`."},
             {"data:image/png;base64,iVBOR"sv, "is a data URL as text"},
             {"PK\x03\x04\x14"sv, "is a ZIP archive"},
             {"What is in this picture?"sv,
              "is not of a supported kind; send a JPEG, PNG, WebP, GIF or BMP file."},
             {"BMW is a maker of cars."sv, "is not of a supported kind"},
         }) {
        SCOPED_TRACE(foreign.says);
        const std::vector<uint8_t> bytes(foreign.start.begin(), foreign.start.end());
        const auto image = decode_image(bytes);
        ASSERT_FALSE(image.ok());
        EXPECT_EQ(image.error().code, ErrorCode::unsupported_image);
        const std::string says = "The image " + std::string(foreign.says);
        EXPECT_EQ(image.error().message.substr(0, says.size()), says);
        EXPECT_EQ(image.error().message.back(), '.');
    }
    const auto nothing = decode_image({});
    ASSERT_FALSE(nothing.ok());
    EXPECT_EQ(nothing.error().code, ErrorCode::invalid_image);
    EXPECT_EQ(nothing.error().message,
              "The image is empty, a file of 0 bytes; save or download it again.");
}

}  // namespace
}  // namespace saker
