// Whose limit counts: the picture's, as far as the engine has room.
#include "serve/image_limits.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

using Limits = std::pair<int64_t, int64_t>;  // least and most

class ImageLimits : public testing::Test {
  protected:
    ImageLimits() {
        processor_.image_min_pixels = 65536;
        processor_.image_max_pixels = 1048576;
    }
    Limits limits() {
        const auto p = image_limits(input_, processor_);
        return p ? Limits{p->image_min_pixels, p->image_max_pixels} : Limits{};
    }
    Preprocessor processor_;
    MediaInput input_;
};

TEST_F(ImageLimits, AreTheProcessorsWhereThePictureSaysNothing) {
    EXPECT_EQ(limits(), Limits(65536, 1048576));
}

TEST_F(ImageLimits, YieldToThePictures) {
    input_.min_pixels = 262144;
    EXPECT_EQ(limits(), Limits(262144, 1048576));
    input_.max_pixels = 524288;
    EXPECT_EQ(limits(), Limits(262144, 524288));
    input_.min_pixels.reset();
    input_.max_pixels = 4096;
    EXPECT_EQ(limits(), Limits(4096, 4096))
        << "below the processor's least, which nobody asked for";
}

TEST_F(ImageLimits, LowDetailIsANumberOfTokens) {
    input_.max_tokens = 256;
    EXPECT_EQ(limits(), Limits(65536, 256 * 32 * 32));
    processor_.image_max_pixels = 131072;
    EXPECT_EQ(limits(), Limits(65536, 131072)) << "it raises nothing";
}

TEST_F(ImageLimits, RefuseWhatContradictsOrHasNoRoom) {
    input_.max_pixels = 1048577;
    EXPECT_EQ(image_limits(input_, processor_).error().message,
              "Its max_pixels is 1048577, but the limit is 1048576: lower it.");
    input_.max_pixels = 4096;
    input_.min_pixels = 4097;
    EXPECT_EQ(image_limits(input_, processor_).error().message,
              "Its min_pixels is 4097, above the 4096 that it may have at most: lower it.");
}

}  // namespace
}  // namespace saker
