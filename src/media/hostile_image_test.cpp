// Files that lie, end early or were never pictures: always an Error of ours, soon, and without the
// memory that they ask for. The cases of the reliability rules are named in the tests.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/clock.h"
#include "base/rng.h"
#include "media/decode.h"
#include "media/test_pictures.h"

namespace saker {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes from(std::string_view text) {
    return {text.begin(), text.end()};
}

Bytes png_of_size(uint32_t width, uint32_t height) {
    Bytes b = read_picture("rgb.png");
    put(b, 16, width, 4, true);
    put(b, 20, height, 4, true);
    fix_png_checksums(b);
    return b;
}

size_t find_marker(const Bytes& jpeg, uint8_t marker) {
    for (size_t at = 2; at + 4 < jpeg.size(); at += 2 + jpeg[at + 2] * 256u + jpeg[at + 3])
        if (jpeg[at + 1] == marker) return at;
    throw std::runtime_error("no such marker");
}

Bytes jpeg_of_size(const std::string& file, uint8_t frame, uint32_t width, uint32_t height) {
    Bytes b = read_picture(file);
    const size_t at = find_marker(b, frame);
    put(b, at + 5, height, 2, true);
    put(b, at + 7, width, 2, true);
    return b;
}

Bytes gif_of_size(uint32_t width, uint32_t height) {
    Bytes b = read_picture("plain.gif");
    put(b, 6, width, 2, false);
    put(b, 8, height, 2, false);
    return b;
}

Bytes webp_of_size(const std::string& file, uint32_t width, uint32_t height) {
    Bytes b = read_picture(file);
    if (std::memcmp(b.data() + 12, "VP8X", 4) == 0) {
        put(b, 24, width - 1, 3, false);
        put(b, 27, height - 1, 3, false);
    } else if (std::memcmp(b.data() + 12, "VP8L", 4) == 0) {
        put(b, 21, (b[24] & 0xF0u) << 24 | (height - 1) << 14 | (width - 1), 4, false);
    } else {
        put(b, 26, width, 2, false);
        put(b, 28, height, 2, false);
    }
    return b;
}

Bytes bmp_of_size(const std::string& file, uint32_t width, uint32_t height) {
    Bytes b = read_picture(file);
    put(b, 18, width, 4, false);
    put(b, 22, height, 4, false);
    return b;
}

// A sentence of ours: no bytes of the file, no words of a library.
void expect_own_words(const Error& error) {
    EXPECT_TRUE(error.message.starts_with("The image is ")) << error.message;
    EXPECT_TRUE(error.message.ends_with(".")) << error.message;
    for (const char c : error.message) EXPECT_TRUE(c >= ' ' && c <= '~') << error.message;
    EXPECT_TRUE(error.code == ErrorCode::invalid_image ||
                error.code == ErrorCode::image_too_large ||
                error.code == ErrorCode::unsupported_image);
}

void expect_error(const Bytes& bytes, ErrorCode code) {
    const auto result = decode_image(bytes);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(to_string(result.error().code), to_string(code));
    expect_own_words(result.error());
}

std::vector<std::string> all_files() {
    std::vector<std::string> names;
    for (const auto& item : read_reference("pictures"))
        names.push_back(JsonReader(item.as_object(), "reference.json").string("file"));
    return names;
}

TEST(HostileImage, I1I2HugeHeadersAreRefusedFromTheHeader) {
    const Stopwatch watch;
    const ErrorCode code = ErrorCode::image_too_large;
    expect_error(jpeg_of_size("rgb420.jpg", 0xC0, 65500, 65500), code);
    expect_error(jpeg_of_size("progressive.jpg", 0xC2, 65535, 65535), code);
    expect_error(png_of_size(0x7FFFFFFF, 0x7FFFFFFF), code);
    expect_error(png_of_size(0x7FFFFFFF, 1), code);
    expect_error(png_of_size(30000, 30000), code);
    expect_error(gif_of_size(65535, 65535), code);
    expect_error(webp_of_size("lossy.webp", 16383, 16383), code);
    expect_error(webp_of_size("lossless.webp", 16384, 16384), code);
    expect_error(webp_of_size("animated.webp", 65535, 65535), code);
    expect_error(png_of_size(20000, 10001), code);
    expect_error(bmp_of_size("bmp24.bmp", 0x7FFFFFFF, 0x7FFFFFFF), code);
    expect_error(bmp_of_size("bmp8_rle.bmp", 65535, 65535), code);
    expect_error(bmp_of_size("bmp24_down.bmp", 100000, 0xFF000000), code);
    // Nothing behind the header.
    Bytes header = png_of_size(0x7FFFFFFF, 0x7FFFFFFF);
    header.resize(33);
    expect_error(header, code);
    header = jpeg_of_size("rgb420.jpg", 0xC0, 65500, 65500);
    header.resize(find_marker(header, 0xC0) + 19);
    expect_error(header, code);
    header = gif_of_size(65535, 65535);
    header.resize(13);
    expect_error(header, code);
    header = bmp_of_size("bmp24.bmp", 0x7FFFFFFF, 0x7FFFFFFF);
    header.resize(54);
    expect_error(header, code);
    EXPECT_LT(watch.elapsed_ms(), 1000);
}

// Within the limit, but the pixels are not there. What was reserved is never touched.
TEST(HostileImage, LargestLegalHeadersWithoutPixels) {
    const Stopwatch watch;
    const ErrorCode code = ErrorCode::invalid_image;
    expect_error(jpeg_of_size("rgb420.jpg", 0xC0, 20000, 10000), code);
    expect_error(jpeg_of_size("rgb420.jpg", 0xC0, 65500, 3053), code);
    expect_error(png_of_size(20000, 10000), code);
    expect_error(png_of_size(1'000'000, 200), code);
    expect_error(png_of_size(200, 1'000'000), code);
    expect_error(webp_of_size("lossy.webp", 10000, 5000), code);
    expect_error(webp_of_size("lossless.webp", 10000, 5000), code);
    expect_error(bmp_of_size("bmp24.bmp", 20000, 10000), code);
    expect_error(bmp_of_size("bmp1.bmp", 200, 1'000'000), code);
    expect_error(bmp_of_size("bmp8_rle.bmp", 20000, 10000), code);
    EXPECT_LT(watch.elapsed_ms(), 5000);
}

// JPEG's own limit is 65,535 a side, libjpeg's 65,500.
TEST(HostileImage, TheLongestSidesOfAJpeg) {
    expect_error(jpeg_of_size("rgb420.jpg", 0xC0, 65501, 10), ErrorCode::unsupported_image);
    expect_error(jpeg_of_size("rgb420.jpg", 0xC0, 10, 65535), ErrorCode::unsupported_image);
    expect_error(jpeg_of_size("rgb420.jpg", 0xC0, 65500, 10), ErrorCode::invalid_image);
}

// Whether the last row of a BMP is there: behind it come up to three bytes that fill it up, or the
// ends of row and picture by runs.
bool is_padding(const Bytes& whole, size_t cut) {
    return whole[0] == 'B' && whole.size() - cut <= 4;
}

// No half picture is ever answered: an Error, or all of it with a warning.
TEST(HostileImage, I4CutFilesAreRefusedOrWhole) {
    for (const std::string& name : all_files()) {
        if (name == "trailing.jpg") continue;  // its last bytes are not part of the picture
        const bool may_lack_end = name.ends_with(".png") || name.ends_with(".gif");
        SCOPED_TRACE(name);
        const Bytes whole = read_picture(name);
        std::set<size_t> cuts;
        for (size_t i = 0; i < 16; ++i) cuts.insert(whole.size() * i / 16);
        for (size_t i = 1; i <= 12; ++i) cuts.insert(whole.size() - i);
        for (size_t cut : cuts) {
            std::string warning;
            const auto result = decode_image(std::span(whole).first(cut), {}, &warning);
            if (!result) {
                expect_own_words(result.error());
                continue;
            }
            ASSERT_TRUE(may_lack_end || is_padding(whole, cut))
                << "cut at " << cut << " of " << whole.size();
            EXPECT_EQ(warning.empty(), !may_lack_end);
            EXPECT_EQ(result->rgb, decode_image(whole)->rgb);
        }
    }
}

TEST(HostileImage, EveryCutOfOneFileOfEachFormat) {
    // How many bytes of the end may be missing: of a PNG and a GIF those behind the last row.
    for (const auto& [name, most] : {std::pair<const char*, size_t>{"gray.jpg", 0},
                                     {"palette2.png", 12},
                                     {"one_pixel.webp", 0},
                                     {"one_pixel.gif", 2},
                                     {"bmp24_one.bmp", 1}}) {
        SCOPED_TRACE(name);
        const Bytes whole = read_picture(name);
        for (size_t cut = 0; cut < whole.size(); ++cut)
            ASSERT_EQ(decode_image(std::span(whole).first(cut)).ok(), whole.size() - cut <= most)
                << "cut at " << cut;
    }
}

TEST(HostileImage, I5MutantsGiveAPictureOrAnError) {
    DecodeOptions options;
    options.max_pixels = 1'000'000;
    int64_t pictures = 0, errors = 0;
    for (const std::string& name : all_files()) {
        SCOPED_TRACE(name);
        const Bytes whole = read_picture(name);
        const Rng rng(name);
        for (uint64_t i = 0; i < 80; ++i) {
            uint64_t draws = i * 1000;
            const auto pick = [&](size_t n) { return static_cast<size_t>(rng.bits(draws++) % n); };
            Bytes mutant = whole;
            for (size_t n = 1 + pick(4); n > 0; --n) {
                const size_t at = pick(mutant.size());
                switch (pick(5)) {
                    case 0:  // a bit
                        mutant[at] ^= static_cast<uint8_t>(1 << pick(8));
                        break;
                    case 1:  // an extreme byte
                        mutant[at] = pick(2) ? 0xFF : 0x00;
                        break;
                    case 2:  // any byte among the headers
                        mutant[pick(std::min<size_t>(mutant.size(), 64))] =
                            static_cast<uint8_t>(pick(256));
                        break;
                    case 3: {  // a part twice
                        const Bytes part(mutant.begin() + static_cast<long>(at),
                                         mutant.begin() + static_cast<long>(std::min(
                                                              mutant.size(), at + 1 + pick(32))));
                        mutant.insert(mutant.begin() + static_cast<long>(at), part.begin(),
                                      part.end());
                        break;
                    }
                    default:  // a part less
                        if (mutant.size() > 40)
                            mutant.erase(mutant.begin() + static_cast<long>(at),
                                         mutant.begin() + static_cast<long>(std::min(
                                                              mutant.size(), at + 1 + pick(8))));
                }
            }
            if (name.ends_with(".png") && pick(2)) fix_png_checksums(mutant);
            const auto result = decode_image(mutant, options);
            if (result) {
                ++pictures;
                EXPECT_EQ(static_cast<int64_t>(result->rgb.size()),
                          3 * result->width * result->height);
                EXPECT_LE(result->width * result->height, options.max_pixels);
                const auto again = decode_image(mutant, options);
                ASSERT_TRUE(again.ok());
                EXPECT_EQ(again->rgb, result->rgb);
            } else {
                ++errors;
                expect_own_words(result.error());
            }
        }
    }
    EXPECT_GT(pictures, 100);
    EXPECT_GT(errors, 1000);
}

TEST(HostileImage, I6EmptySidesAreRefused) {
    const ErrorCode code = ErrorCode::invalid_image;
    for (const auto& [w, h] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
        expect_error(png_of_size(w, h), code);
        expect_error(jpeg_of_size("rgb420.jpg", 0xC0, w, h), code);
        expect_error(gif_of_size(w, h), code);
        expect_error(webp_of_size("lossy.webp", w, h), code);
        expect_error(bmp_of_size("bmp24.bmp", w, h), code);
    }
}

TEST(HostileImage, I9OfEndlessAnimationsTheFirstFrameIsTaken) {
    const Stopwatch watch;
    const Bytes one = read_picture("one_pixel.gif");
    const auto still = decode_image(one);
    ASSERT_TRUE(still.ok());
    size_t picture = 13 + (size_t{3} << ((one[10] & 7) + 1));
    while (one[picture] == 0x21) picture += one[picture + 2] + 4u;  // one sub-block each
    Bytes gif(one.begin(), one.begin() + static_cast<long>(picture));
    for (int i = 0; i < 100'000; ++i)
        gif.insert(gif.end(), one.begin() + static_cast<long>(picture), one.end() - 1);
    gif.push_back(0x3B);
    const auto gif_frame = decode_image(gif);
    ASSERT_TRUE(gif_frame.ok());
    EXPECT_EQ(gif_frame->rgb, still->rgb);

    Bytes webp = read_picture("animated.webp");
    const auto first = decode_image(webp);
    ASSERT_TRUE(first.ok());
    const std::string_view text(reinterpret_cast<const char*>(webp.data()), webp.size());
    const size_t last = text.rfind("ANMF");
    const Bytes frame(webp.begin() + static_cast<long>(last), webp.end());
    for (int i = 0; i < 10'000; ++i) webp.insert(webp.end(), frame.begin(), frame.end());
    put(webp, 4, webp.size() - 8, 4, false);
    const auto webp_frame = decode_image(webp);
    ASSERT_TRUE(webp_frame.ok());
    EXPECT_EQ(webp_frame->rgb, first->rgb);
    EXPECT_LT(watch.elapsed_ms(), 5000);
}

TEST(HostileImage, I10OtherFormatsAreRefusedByTheirFirstBytes) {
    using namespace std::string_view_literals;
    for (const std::string_view start :
         {"<svg xmlns='http://www.w3.org/2000/svg'/>"sv, "<?xml version='1.0'?><svg/>"sv,
          "%PDF-1.7\n"sv, "%!PS-Adobe-3.0\n"sv, "II*\0\x08\0\0\0"sv, "MM\0*\0\0\0\x08"sv,
          "\0\0\0\x18"
          "ftypheic\0\0\0\0"sv,
          "\0\0\0\x1c"
          "ftypavif\0\0\0\0"sv,
          "\0\0\0\x0CjP  \r\n\x87\n"sv, "\xFF\x4F\xFF\x51"sv, "<!DOCTYPE html><html>"sv,
          "\0\0\x01\0\x01\0"sv, "8BPS\0\x01"sv, "RIFF\x24\0\0\0WAVEfmt "sv, "GIF88a"sv,
          "\x89PNG\n\x1a\n"sv, "P6 1 1 255\n"sv, "\xFF\xD8"sv, "push graphic-context"sv}) {
        Bytes bytes = from(start);
        expect_error(bytes, ErrorCode::unsupported_image);
        bytes.resize(bytes.size() + 4096);
        expect_error(bytes, ErrorCode::unsupported_image);
    }
}

TEST(HostileImage, RareKindsOfJpegAreUnsupported) {
    const Bytes plain = read_picture("rgb420.jpg");
    const size_t frame = find_marker(plain, 0xC0);
    Bytes deep = plain;
    deep[frame + 4] = 12;
    expect_error(deep, ErrorCode::unsupported_image);
    for (const uint8_t kind : {0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF}) {
        Bytes other = plain;
        other[frame + 1] = kind;
        expect_error(other, ErrorCode::unsupported_image);
    }
    Bytes two = plain;
    two[frame + 9] = 2;
    expect_error(two, ErrorCode::unsupported_image);
}

TEST(HostileImage, RareKindsOfBmpAreUnsupported) {
    const auto with = [](const std::string& file, size_t at, uint32_t value, int size) {
        Bytes b = read_picture(file);
        put(b, at, value, size, false);
        return b;
    };
    const ErrorCode code = ErrorCode::unsupported_image;
    for (uint32_t compression : {4, 5, 6, 11, 12, 13, 99})
        expect_error(with("bmp24.bmp", 30, compression, 4), code);
    for (uint32_t bits : {0, 2, 3, 15, 31, 48, 64})
        expect_error(with("bmp24.bmp", 28, bits, 2), code);
    expect_error(with("bmp8.bmp", 30, 2, 4), code);       // RLE4 of 8 bits
    expect_error(with("bmp4.bmp", 30, 1, 4), code);       // RLE8 of 4 bits
    expect_error(with("bmp24.bmp", 30, 1, 4), code);      // RLE8 of 24 bits
    expect_error(with("bmp8.bmp", 30, 3, 4), code);       // masks of a palette
    expect_error(with("bmp16_565.bmp", 54, 1, 4), code);  // masks of no known kind
    expect_error(with("bmp32_bgra.bmp", 54, 0xFE0000, 4), code);
    expect_error(with("bmp24.bmp", 14, 41, 4), code);  // a header of no known size
    for (uint32_t colors : {257u, 65537u, 0xFFFFFFFFu})
        expect_error(with("bmp8.bmp", 46, colors, 4), ErrorCode::invalid_image);
    for (uint32_t place : {100000u, 0xFFFFFFFFu})
        expect_error(with("bmp24.bmp", 10, place, 4), ErrorCode::invalid_image);
}

// Pillow refuses these too: what lies behind the runs is not said.
TEST(HostileImage, RunsOfABmpThatEndEarlyAreRefused) {
    for (const std::string name : {"bmp8_rle.bmp", "bmp4_rle.bmp"}) {
        Bytes b = read_picture(name);
        const size_t pixels = b[10] + b[11] * 256u;
        for (const std::string_view runs : {std::string_view("\0\1", 2),          // nothing
                                            std::string_view("\5\1\0\0\5\1", 6),  // two rows
                                            std::string_view("\0\2\1", 3),        // a step, cut
                                            std::string_view("\0\377abc", 5)}) {  // singles, cut
            b.resize(pixels);
            b.insert(b.end(), runs.begin(), runs.end());
            expect_error(b, ErrorCode::invalid_image);
        }
    }
}

// Each scan of a progressive JPEG costs a pass over the picture.
TEST(HostileImage, ScansOfAJpegAreCounted) {
    const Bytes whole = read_picture("progressive.jpg");
    const auto begin = static_cast<long>(find_marker(whole, 0xDA));
    long end = begin + 2;  // of the first scan
    while (whole[end] != 0xFF || whole[end + 1] == 0) ++end;
    const auto with_scans = [&](int more) {
        Bytes b(whole.begin(), whole.begin() + end);
        for (int i = 0; i < more; ++i)
            b.insert(b.end(), whole.begin() + begin, whole.begin() + end);
        b.insert(b.end(), whole.begin() + end, whole.end());
        return b;
    };
    EXPECT_TRUE(decode_image(with_scans(20)).ok());
    expect_error(with_scans(20'000), ErrorCode::invalid_image);
}

// Text that unpacks to 40 MB in a picture of one pixel.
TEST(HostileImage, CompressedTextIsBounded) {
    expect_error(read_picture("bomb.png"), ErrorCode::invalid_image);
}

TEST(HostileImage, DamagedPixelsAreRefused) {
    // Half of a JPEG's scan replaced by its end marker: libjpeg would paint the rest grey.
    Bytes jpeg = read_picture("rgb420.jpg");
    jpeg.resize(jpeg.size() / 2 + jpeg.size() / 4);
    jpeg.push_back(0xFF);
    jpeg.push_back(0xD9);
    expect_error(jpeg, ErrorCode::invalid_image);
    // A wrong checksum over the pixels of a PNG.
    Bytes png = read_picture("rgb.png");
    png[png.size() - 14] ^= 1;
    expect_error(png, ErrorCode::invalid_image);
}

}  // namespace
}  // namespace saker
