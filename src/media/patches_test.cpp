// The layout of patches by formula, the times of frame groups, the sampling table, and refusals.
#include "media/patches.h"

#include <gtest/gtest.h>

#include "media/test_pictures.h"

namespace saker {
namespace {

Preprocessor small_budget() {
    Preprocessor p;
    p.image_min_pixels = 1024;
    p.image_max_pixels = 65536;
    p.video_min_pixels = 1024;
    p.video_max_pixels = 262144;
    return p;
}

// Model specification 5.5 and 6.4, pixel by pixel, from frames that are resized already.
void expect_layout(const Patches& got, const std::vector<Image>& frames, const Preprocessor& p) {
    const int64_t P = p.patch_size, M = p.merge_size, T = p.temporal_patch_size;
    ASSERT_EQ(got.grid_t * T, static_cast<int64_t>(frames.size()));
    ASSERT_EQ(got.grid_h * P, frames[0].height);
    ASSERT_EQ(got.grid_w * P, frames[0].width);
    ASSERT_EQ(static_cast<int64_t>(got.pixels.size()), got.num_patches() * p.patch_bytes());
    size_t at = 0;
    for (int64_t g = 0; g < got.grid_t; ++g)
        for (int64_t a = 0; a < got.grid_h / M; ++a)
            for (int64_t b = 0; b < got.grid_w / M; ++b)
                for (int64_t i = 0; i < M; ++i)
                    for (int64_t j = 0; j < M; ++j)
                        for (int64_t c = 0; c < 3; ++c)
                            for (int64_t t = 0; t < T; ++t)
                                for (int64_t y = 0; y < P; ++y)
                                    for (int64_t x = 0; x < P; ++x) {
                                        const Image& frame = frames[g * T + t];
                                        const uint8_t want = frame.row(
                                            (a * M + i) * P + y)[3 * ((b * M + j) * P + x) + c];
                                        ASSERT_EQ(got.pixels[at++], want) << "at " << at - 1;
                                    }
}

TEST(Patches, LayoutOfAnImage) {
    ThreadPool one(1), three(3);
    const Preprocessor p = small_budget();
    for (const Size size :
         {Size{96, 64}, {100, 210}, {40, 33}, {500, 300}, {1, 40}, {2, 3}, {1, 1}})
        for (ThreadPool* pool : {&one, &three})
            for (const Resample resample : {Resample::torch, Resample::pillow}) {
                SCOPED_TRACE(std::to_string(size.height) + "x" + std::to_string(size.width));
                const Image image = draw(size.height, size.width, 11);
                const auto patches = image_patches(image, p, resample, *pool);
                ASSERT_TRUE(patches.ok());
                const Size out = *smart_resize(size, 32, p.image_min_pixels, p.image_max_pixels);
                const Image resized = resize(image, out, resample, one);
                expect_layout(*patches, {resized, resized}, p);
                EXPECT_EQ(patches->grid_t, 1);
                EXPECT_EQ(patches->num_tokens(), out.height * out.width / 1024);
                EXPECT_TRUE(patches->group_times.empty());
            }
}

TEST(Patches, LayoutOfOtherPatchSizes) {
    ThreadPool pool(2);
    for (const int64_t patch : {8, 14, 20}) {
        Preprocessor p = small_budget();
        p.patch_size = patch;
        p.merge_size = 3;
        p.temporal_patch_size = patch == 8 ? 1 : 2;
        const Image image = draw(130, 170, 12);
        const auto patches = image_patches(image, p, Resample::torch, pool);
        ASSERT_TRUE(patches.ok());
        const Size out =
            *smart_resize({130, 170}, p.factor(), p.image_min_pixels, p.image_max_pixels);
        const Image resized = resize(image, out, Resample::torch, pool);
        expect_layout(*patches, std::vector<Image>(p.temporal_patch_size, resized), p);
    }
}

TEST(Patches, LayoutTimesAndPaddingOfAVideo) {
    ThreadPool one(1), three(3);
    const Preprocessor p = small_budget();
    for (const int64_t num_frames : {2, 5, 8})
        for (const Size size : {Size{64, 96}, {100, 90}})
            for (ThreadPool* pool : {&one, &three}) {
                std::vector<Image> frames;
                std::vector<double> times;
                for (int64_t i = 0; i < num_frames; ++i) {
                    frames.push_back(draw(size.height, size.width, static_cast<uint32_t>(20 + i)));
                    times.push_back(static_cast<double>(i) / 4);
                }
                const auto patches = video_patches(frames, times, p, Resample::torch, *pool);
                ASSERT_TRUE(patches.ok());
                const Size out = *smart_resize_video(num_frames, size, 32, 2, p.video_min_pixels,
                                                     p.video_max_pixels);
                std::vector<Image> resized;
                for (const Image& frame : frames)
                    resized.push_back(resize(frame, out, Resample::torch, one));
                if (num_frames % 2 == 1) resized.push_back(resized.back());
                expect_layout(*patches, resized, p);
                ASSERT_EQ(static_cast<int64_t>(patches->group_times.size()), (num_frames + 1) / 2);
                EXPECT_EQ(patches->group_times[0], 0.125);
                const double last = num_frames % 2 == 1 ? times.back() : times.back() - 0.125;
                EXPECT_EQ(patches->group_times.back(), last);
            }
}

TEST(Patches, RefusesVideosThatCannotBe) {
    ThreadPool pool(1);
    Preprocessor p = small_budget();
    const auto code = [&](const std::vector<Image>& frames) {
        const std::vector<double> times(frames.size());
        const auto result = video_patches(frames, times, p, Resample::torch, pool);
        return result ? std::string("accepted") : std::string(to_string(result.error().code));
    };
    const Image a = draw(64, 64, 1), b = draw(64, 96, 1);
    EXPECT_EQ(code({a, a}), "accepted");
    EXPECT_EQ(code({}), "invalid_video");
    EXPECT_EQ(code({a}), "invalid_video");
    EXPECT_EQ(code({a, a, b}), "invalid_video");
    const auto other =
        video_patches(std::vector{a, a, b}, std::vector<double>(3), p, Resample::torch, pool);
    EXPECT_EQ(other.error().message,
              "The image is 96 x 64, but the first frame is 64 x 64; send all frames in one size.");
    EXPECT_EQ(
        video_patches(std::vector{a}, std::vector<double>(1), p, Resample::torch, pool)
            .error()
            .message,
        "The video has 1 frame(s), fewer than the 2 that one patch takes; send more of them.");
    p.video_max_frames = 3;
    EXPECT_EQ(code({a, a, a}), "accepted");
    EXPECT_EQ(code({a, a, a, a}), "too_many_items");
}

TEST(Patches, RefusesImagesBeyondTheAspect) {
    ThreadPool pool(1);
    const auto result = image_patches(draw(1093, 5, 1), Preprocessor(), Resample::torch, pool);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::invalid_image);
    EXPECT_EQ(result.error().message,
              "The image is 5 x 1093, one side more than 200 times the other; crop or pad it.");
    EXPECT_TRUE(image_patches(draw(1000, 5, 1), Preprocessor(), Resample::torch, pool).ok());
}

TEST(Patches, TimestampsAsPythonPrintsThem) {
    EXPECT_EQ(timestamp_text(0.3), "<0.3 seconds>");
    EXPECT_EQ(timestamp_text(0), "<0.0 seconds>");
    EXPECT_EQ(timestamp_text(0.25), "<0.2 seconds>");  // ties to even
    EXPECT_EQ(timestamp_text(0.35), "<0.3 seconds>");  // 0.35 is below its decimal
    EXPECT_EQ(timestamp_text(0.75), "<0.8 seconds>");
    EXPECT_EQ(timestamp_text(9.96), "<10.0 seconds>");
    EXPECT_EQ(timestamp_text(3599.95), "<3599.9 seconds>");
    EXPECT_EQ(timestamp_text(1e15), "<1000000000000000.0 seconds>");
}

TEST(Patches, SamplingTableOfTheSpecification) {
    const auto many = sample_frames(300, 30);
    ASSERT_EQ(many.size(), 20u);
    const std::vector<int64_t> start = {0, 16, 31, 47, 63, 79, 94};
    EXPECT_TRUE(std::equal(start.begin(), start.end(), many.begin()));
    EXPECT_EQ(many.back(), 299);
    EXPECT_EQ(sample_frames(90, 29.97), (std::vector<int64_t>{0, 18, 36, 53, 71, 89}));
    EXPECT_EQ(sample_frames(30, 30), (std::vector<int64_t>{0, 10, 19, 29}));
    EXPECT_EQ(sample_frames(3, 30), (std::vector<int64_t>{0, 1, 2}));
    EXPECT_EQ(sample_frames(60000, 30).size(), 768u);
    EXPECT_EQ(sample_frames(60000, 30).back(), 59999);
    EXPECT_EQ(sample_frames(1, 30), (std::vector<int64_t>{0}));
    EXPECT_TRUE(sample_frames(0, 30).empty());
    EXPECT_EQ(sample_frames(240, 0).size(), 20u) << "24 frames a second are assumed";
    EXPECT_EQ(sample_frames(1000, 1e-300).size(), 768u);
}

}  // namespace
}  // namespace saker
