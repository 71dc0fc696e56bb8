// Sizes against the published table; pixels bit-equal to torch's and Pillow's.
#include "media/resize.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "media/patches.h"
#include "media/test_pictures.h"

namespace saker {
namespace {

constexpr int64_t kFactor = 32, kMin = 65536, kMax = 16777216;

TEST(SmartResize, TableOfTheSpecification) {
    struct Row {
        Size in, out;
    };
    constexpr Row kTable[] = {
        {{1080, 1920}, {1088, 1920}}, {{480, 640}, {480, 640}},     {{224, 224}, {256, 256}},
        {{100, 100}, {256, 256}},     {{16, 16}, {256, 256}},       {{255, 255}, {256, 256}},
        {{3000, 4000}, {3008, 4000}}, {{5000, 5000}, {4096, 4096}}, {{4112, 4112}, {4096, 4096}},
        {{8000, 6000}, {4704, 3520}}, {{80, 2000}, {64, 1984}},     {{112, 2000}, {128, 1984}},
        {{50, 1000}, {64, 1152}},     {{1, 200}, {32, 3648}},
    };
    for (const Row& row : kTable) {
        SCOPED_TRACE(std::to_string(row.in.height) + "x" + std::to_string(row.in.width));
        const auto size = smart_resize(row.in, kFactor, kMin, kMax);
        ASSERT_TRUE(size.ok());
        EXPECT_EQ(size->height, row.out.height);
        EXPECT_EQ(size->width, row.out.width);
    }
}

TEST(SmartResize, RefusesLongAndEmptyPictures) {
    EXPECT_TRUE(smart_resize({200, 1}, kFactor, kMin, kMax).ok());
    EXPECT_TRUE(smart_resize({5, 1000}, kFactor, kMin, kMax).ok());
    for (const Size size : {Size{10, 2100}, {1093, 5}, {1, 201}, {0, 5}, {5, 0}}) {
        const auto result = smart_resize(size, kFactor, kMin, kMax);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().code, ErrorCode::invalid_image);
    }
}

TEST(SmartResize, SidesAreMultiplesAndAreasInBudget) {
    for (int64_t h = 1; h < 3000; h = h * 5 / 3 + 1)
        for (int64_t w = 1; w < 3000; w = w * 4 / 3 + 1) {
            const auto size = smart_resize({h, w}, kFactor, 4096, 262144);
            if (!size) continue;
            EXPECT_EQ(size->height % kFactor, 0);
            EXPECT_EQ(size->width % kFactor, 0);
            EXPECT_GE(size->height * size->width, 1024);
            // A side at its least may break the budget: 200 squares in a row at most.
            EXPECT_LE(size->height * size->width, std::max<int64_t>(262144, 200 * 1024));
        }
}

TEST(SmartResizeVideo, TableOfTheSpecification) {
    struct Row {
        int64_t frames;
        Size in, out;
    };
    constexpr Row kTable[] = {
        {8, {1080, 1920}, {1088, 1920}}, {64, {1080, 1920}, {448, 832}},
        {768, {1080, 1920}, {128, 224}}, {4, {16, 20}, {32, 32}},  // enlarged to 32 x 40 first
        {3, {64, 64}, {64, 64}},                                   // 1.5 groups round to 2
    };
    for (const Row& row : kTable) {
        SCOPED_TRACE(row.frames);
        const auto size = smart_resize_video(row.frames, row.in, 32, 2, 4096, 25165824);
        ASSERT_TRUE(size.ok());
        EXPECT_EQ(size->height, row.out.height);
        EXPECT_EQ(size->width, row.out.width);
    }
    for (const auto& result : {smart_resize_video(1, {64, 64}, 32, 2, 4096, 25165824),
                               smart_resize_video(8, {40, 8040}, 32, 2, 4096, 25165824),
                               smart_resize_video(8, {0, 64}, 32, 2, 4096, 25165824)}) {
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().code, ErrorCode::invalid_video);
    }
}

TEST(Resize, BitEqualToTorchAndPillow) {
    ThreadPool one(1), three(3);
    int count = 0;
    for (const auto& item : read_reference("resizes")) {
        const JsonReader row(item.as_object(), "reference.json");
        const auto in = row.integers("in"), out = row.integers("out");
        SCOPED_TRACE(std::to_string(in[0]) + "x" + std::to_string(in[1]) + " to " +
                     std::to_string(out[0]) + "x" + std::to_string(out[1]));
        const auto crc = [&](const char* key) { return row.integer(key, 0, UINT32_MAX); };
        const Image source = draw(in[0], in[1], static_cast<uint32_t>(row.integer("seed", 0, 999)));
        ASSERT_EQ(crc32(source.rgb), crc("source")) << "draw() differs from the script";
        for (ThreadPool* pool : {&one, &three}) {
            EXPECT_EQ(crc32(resize(source, {out[0], out[1]}, Resample::torch, *pool).rgb),
                      crc("torch"));
            EXPECT_EQ(crc32(resize(source, {out[0], out[1]}, Resample::pillow, *pool).rgb),
                      crc("pillow"));
        }
        ++count;
    }
    EXPECT_GE(count, 24);
}

// The references above are met on the widest vectors that this machine has; here on all others.
TEST(Resize, EveryInstructionSetGivesTheSameBytes) {
    ThreadPool pool(1);
    Preprocessor preprocessor;
    preprocessor.image_min_pixels = 1024;
    const Image source = draw(117, 203, 3);
    const auto all = [&] {
        std::vector<uint8_t> bytes;
        for (const Resample resample : {Resample::torch, Resample::pillow}) {
            for (const Size out : {Size{64, 96}, {300, 401}, {117, 33}, {50, 203}, {1, 1}}) {
                const Image resized = resize(source, out, resample, pool);
                bytes.insert(bytes.end(), resized.rgb.begin(), resized.rgb.end());
            }
            for (const int64_t patch : {14, 16, 40}) {
                preprocessor.patch_size = patch;
                const auto patches = image_patches(source, preprocessor, resample, pool);
                bytes.insert(bytes.end(), patches->pixels.begin(), patches->pixels.end());
            }
        }
        return bytes;
    };
    const std::vector<uint8_t> want = all();
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        EXPECT_TRUE(all() == want) << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Resize, RowsFromAnyStartEqualTheWhole) {
    ThreadPool pool(1);
    const Image source = draw(211, 97, 5);
    for (const Size out : {Size{64, 32}, {300, 128}, {211, 64}, {64, 97}, {211, 97}}) {
        const Image whole = resize(source, out, Resample::torch, pool);
        const ResizePlan plan({211, 97}, out, Resample::torch);
        for (int64_t begin = 0; begin < out.height; begin += 13) {
            ResizedRows rows(plan, source, begin);
            std::vector<uint8_t> some(3 * out.width * 9);
            for (int64_t y = begin; y < out.height; y += 9) {
                const int64_t n = std::min<int64_t>(9, out.height - y);
                rows.read(n, some.data());
                ASSERT_TRUE(std::equal(some.data(), some.data() + 3 * out.width * n, whole.row(y)));
            }
        }
    }
}

TEST(Resize, SameSizeIsTheSamePicture) {
    ThreadPool pool(1);
    const Image source = draw(33, 44, 1);
    EXPECT_EQ(resize(source, {33, 44}, Resample::torch, pool).rgb, source.rgb);
}

}  // namespace
}  // namespace saker
