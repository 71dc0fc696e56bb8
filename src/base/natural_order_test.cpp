// The order of names with numbers in them, and that it is an order.
#include "base/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace saker {
namespace {

// In order; tools/natural_order_test.py holds the Python tools against the same names.
const std::vector<std::string> kInOrder = {
    "",
    "0",
    "00",
    "000",
    "0a",
    "00a",
    "1",
    "01",
    "001",
    "1.png",
    "2.png",
    "10.png",
    "010.png",
    "99999999999999999999998",
    "99999999999999999999999",
    "099999999999999999999999",
    "100000000000000000000000",
    "A1",
    "a",
    "a-b",
    "a.png",
    "a0.png",
    "a1.png",
    "a1b2",
    "a01b2",
    "a1b10",
    "a10",
    "a_1",
    "clip 2 frame 9.jpg",
    "clip 2 frame 10.jpg",
    "clip 10 frame 1.jpg",
    "frame_30.png",
    "frame_60.png",
    "frame_90.png",
    "frame_120.png",
    "frame_240.png",
    "frame_240_edited.png",
    "frames",
    "é2",
    "é12",
};

TEST(NaturalOrder, RunsOfDigitsAreNumbers) {
    std::vector<std::string> names = kInOrder;
    std::mt19937 shuffle(1);
    for (int i = 0; i < 20; ++i) {
        std::shuffle(names.begin(), names.end(), shuffle);
        std::sort(names.begin(), names.end(), naturally_before);
        ASSERT_EQ(names, kInOrder);
    }
}

TEST(NaturalOrder, IsTotal) {
    for (size_t i = 0; i < kInOrder.size(); ++i)
        for (size_t j = 0; j < kInOrder.size(); ++j) {
            const int order = compare_naturally(kInOrder[i], kInOrder[j]);
            EXPECT_EQ(order < 0, i < j) << kInOrder[i] << " and " << kInOrder[j];
            EXPECT_EQ(order == 0, i == j) << kInOrder[i] << " and " << kInOrder[j];
        }
}

// Every triple of short names over a few bytes: the order never runs in a circle.
TEST(NaturalOrder, IsTransitive) {
    const std::string letters = "01/:a";
    std::vector<std::string> names = {""};
    for (size_t begin = 0, length = 0; length < 3; ++length) {
        const size_t end = names.size();
        for (size_t i = begin; i < end; ++i)
            for (char c : letters) names.push_back(names[i] + c);
        begin = end;
    }
    std::sort(names.begin(), names.end(), naturally_before);
    for (size_t i = 0; i < names.size(); ++i)
        for (size_t j = i + 1; j < names.size(); ++j)
            ASSERT_LT(compare_naturally(names[i], names[j]), 0) << names[i] << " and " << names[j];
}

}  // namespace
}  // namespace saker
