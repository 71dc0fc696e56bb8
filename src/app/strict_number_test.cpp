// What is a number, what is none, and that the sentence quotes the word and names the range.
#include "app/strict_number.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

TEST(StrictNumber, WholeNumbers) {
    EXPECT_EQ(*parse_whole<int>("0", 0, 5), 0);
    EXPECT_EQ(*parse_whole<int>("-1", -1, 5), -1);
    EXPECT_EQ(*parse_whole<int>("007", 0, 9), 7) << "decimal, not octal";
    EXPECT_EQ(*parse_whole<int64_t>("9223372036854775807", 0, INT64_MAX), INT64_MAX);
    EXPECT_EQ(*parse_whole<uint64_t>("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
    for (const char* wrong : {"", " ", "-1", "0x10", "1e3", "1.5", "1.0", "nan", "inf", "7 ", " 7",
                              "+7", "7a", "18446744073709551616", "1_000", "1'000", "\xd9\xa3"})
        EXPECT_FALSE(parse_whole<uint64_t>(wrong, 0, UINT64_MAX).ok()) << wrong;
    for (const char* wrong : {"-2", "21", "9223372036854775808", "-9223372036854775809"})
        EXPECT_FALSE(parse_whole<int64_t>(wrong, -1, 20).ok()) << wrong;
    EXPECT_EQ(parse_whole<int>("1e3", 0, 20).error().message,
              "\"1e3\" is not a whole number from 0 to 20.");
}

TEST(StrictNumber, RealNumbers) {
    const RealRange range = {0, 2};
    EXPECT_EQ(*parse_real("0", range), 0);
    EXPECT_EQ(*parse_real("2", range), 2);
    EXPECT_EQ(*parse_real(".5", range), 0.5);
    EXPECT_EQ(*parse_real("1e-3", range), 1e-3);
    for (const char* wrong : {"", "nan", "inf", "-inf", "infinity", "0x1", "1,5", "0.5f", "1 ",
                              "+1", "2.1", "-0.1", "1e999"})
        EXPECT_FALSE(parse_real(wrong, range).ok()) << wrong;
    EXPECT_EQ(parse_real("3", range).error().message, "\"3\" is not a number from 0 to 2.");
    EXPECT_EQ(parse_real("0", {0, 1, true}).error().message,
              "\"0\" is not a number above 0, up to 1.");
    EXPECT_TRUE(parse_real("1e-9", {0, 1, true}).ok());
}

}  // namespace
}  // namespace saker
