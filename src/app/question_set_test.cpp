// Boxes, judging and intervals of `saker eval`.
#include "app/question_set.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

TEST(Boxes, ParsedWhereverTheyStand) {
    const std::array<double, 4> want = {10, 20, 300, 400};
    EXPECT_EQ(parse_box(R"({"bbox_2d": [10, 20, 300, 400], "label": "dog"})"), want);
    EXPECT_EQ(parse_box("```json\n[{\"bbox_2d\": [10,20,300,400]}]\n```"), want);
    for (const char* bad :
         {"", "[10, 20, 300, 400]", R"({"bbox_2d": [1, 2, 3]})", R"({"bbox_2d": ["1", 2, 3, 4]})",
          R"({"bbox_2d": [1, 2, 3, 4)", R"({"bbox_2d": ])"})
        EXPECT_FALSE(parse_box(bad)) << bad;
}

TEST(Boxes, Overlap) {
    EXPECT_EQ(box_overlap({0, 0, 10, 10}, {0, 0, 10, 10}), 1);
    EXPECT_EQ(box_overlap({0, 0, 10, 10}, {10, 0, 20, 10}), 0);
    EXPECT_DOUBLE_EQ(box_overlap({0, 0, 10, 10}, {5, 0, 15, 10}), 1.0 / 3);
    EXPECT_EQ(box_overlap({5, 5, 5, 5}, {5, 5, 5, 5}), 0);
    EXPECT_EQ(box_overlap({10, 10, 0, 0}, {0, 0, 10, 10}), 0) << "corners the wrong way round";
}

TEST(Judging, ExactTextAndBoxes) {
    Question q;
    q.answer = "red";
    EXPECT_EQ(judge_answer(q, " red\n"), 1);
    EXPECT_EQ(judge_answer(q, "red."), 0);
    EXPECT_EQ(judge_answer(q, ""), 0);
    q.judge = Judge::box;
    q.answer = R"({"bbox_2d": [0, 0, 100, 100]})";
    EXPECT_EQ(judge_answer(q, R"({"bbox_2d": [0, 0, 100, 50]})"), 0.5);
    EXPECT_EQ(judge_answer(q, "no box"), 0);
}

// Values of the published formula: 8 of 10, 0 of 10, 10 of 10.
TEST(Intervals, Wilson) {
    const Share most = wilson_share(8, 10);
    EXPECT_NEAR(most.low, 0.4902, 1e-3);
    EXPECT_NEAR(most.high, 0.9433, 1e-3);
    EXPECT_NEAR(wilson_share(0, 10).high, 0.2775, 1e-3);
    EXPECT_NEAR(wilson_share(10, 10).low, 0.7225, 1e-3);
    EXPECT_EQ(wilson_share(0, 0).low, 0);
}

}  // namespace
}  // namespace saker
