// Boxes, judging and intervals of `saker eval`.
#include "app/question_set.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace saker {
namespace {

TEST(Boxes, ParsedWhereverTheyStand) {
    const std::array<double, 4> want = {10, 20, 300, 400};
    EXPECT_EQ(parse_box(R"({"bbox_2d": [10, 20, 300, 400], "label": "dog"})"), want);
    EXPECT_EQ(parse_box("```json\n[{\"bbox_2d\": [10,20,300,400]}]\n```"), want);
    for (const char* bad :
         {"", "10, 20, 300, 400", R"({"bbox_2d": [1, 2, 3]})", R"({"bbox_2d": ["1", 2, 3, 4]})",
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
    q.judge = Judge::number;
    q.answer = "12";
    EXPECT_EQ(judge_answer(q, " 12 "), 1);
    EXPECT_EQ(judge_answer(q, "012"), 1);
    for (const char* wrong : {"12.", "1 2", "", "13", "twelve"})
        EXPECT_EQ(judge_answer(q, wrong), 0) << wrong;
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

class QuestionFiles : public testing::Test {
  protected:
    QuestionFiles()
        : stem_((std::filesystem::temp_directory_path() /
                 ("saker_questions_" + std::to_string(getpid())))
                    .string()) {
        std::ofstream(stem_ + ".pack") << "ABCDEFGH";
    }
    ~QuestionFiles() override {
        std::filesystem::remove(stem_ + ".pack");
        std::filesystem::remove(stem_ + ".jsonl");
    }
    QuestionSet read(const std::string& lines) {
        std::ofstream(stem_ + ".jsonl") << lines;
        return QuestionSet(stem_);
    }
    std::string stem_;
};

TEST_F(QuestionFiles, PicturesStandInTheFirstTurn) {
    const std::string followup =
        R"({"kind": "followup", "language": "en", "question": "Now?", "answer": "2", )"
        R"("judge": "number", "earlier": [{"question": "How many?", "answer": "5"}], )"
        R"("pictures": [[0, 3], [3, 5]]})";
    const std::string motion =
        R"({"kind": "motion", "language": "zh", "question": "?", "answer": "x", "judge": "exact", )"
        R"("frames": [[1, 1], [2, 1]], "fps": 2})";
    const QuestionSet set = read(followup + "\n\r\n" + motion + "\n");
    ASSERT_EQ(set.questions().size(), 2u);
    const Question& first = set.questions()[0];
    ASSERT_EQ(first.chat.messages.size(), 3u);
    ASSERT_EQ(first.chat.messages[0].content.size(), 3u);
    EXPECT_EQ(first.chat.messages[0].content[1].kind, ContentPart::Kind::image);
    EXPECT_EQ(first.chat.messages[0].text(), "How many?");
    EXPECT_EQ(first.chat.messages[1].role, Role::assistant);
    EXPECT_EQ(first.chat.messages[2].text(), "Now?");
    ASSERT_EQ(first.media.size(), 2u);
    EXPECT_EQ(first.media[1].files[0], (std::vector<uint8_t>{'D', 'E', 'F', 'G', 'H'}));
    const Question& second = set.questions()[1];
    ASSERT_EQ(second.media.size(), 1u);
    EXPECT_EQ(second.media[0].files.size(), 2u);
    EXPECT_EQ(second.media[0].fps, 2);
}

// Languages take turns in the file: a part of even stride would hold one alone.
TEST_F(QuestionFiles, APartHoldsEveryKindInEveryLanguage) {
    std::string lines;
    for (const char* kind : {"count", "text"})
        for (int i = 0; i < 40; ++i)
            lines += fmt::format(R"({{"kind": "{}", "language": "{}", "question": "q", )"
                                 R"("answer": "{}", "judge": "exact"}})"
                                 "\n",
                                 kind, i % 2 ? "zh" : "en", i);
    const QuestionSet set = read(lines);
    std::map<std::string, int> asked;
    for (const Question* q : set.spread(20)) ++asked[q->kind + " " + q->language];
    EXPECT_EQ(asked, (std::map<std::string, int>{
                         {"count en", 5}, {"count zh", 5}, {"text en", 5}, {"text zh", 5}}));
    std::set<const Question*> all;
    for (const Question* q : set.spread(1000)) all.insert(q);
    EXPECT_EQ(all.size(), 80u) << "each once, and no more than there are";
}

TEST_F(QuestionFiles, FaultsNameTheLine) {
    const std::string start = R"({"kind": "k", "language": "en", "question": "q", )";
    for (const std::string& bad :
         {std::string("{"), std::string("[]"), start + R"("answer": "a", "judge": "vibes"})",
          start + R"("answer": "a", "judge": "number"})",
          start + R"("answer": "a", "judge": "box"})",
          start + R"("answer": "a", "judge": "exact", "pictures": [[4, 5]]})",
          start + R"("answer": "a", "judge": "exact", "pictures": [[-1, 5]]})",
          start + R"("answer": "a", "judge": "exact", "pictures": [7]})",
          start + R"("answer": "a", "judge": "exact", "frames": [[0, 1]]})",
          start + R"("answer": "a", "judge": "exact", "frames": [[0, 1]], "fps": 0})",
          std::string(R"({"kind": "a\u001b[31m", "language": "en", "question": "q", )"
                      R"("answer": "a", "judge": "exact"})"),
          start + R"("answer": "a", "judge": "exact", "earlier": [3]})"}) {
        try {
            read(start + R"("answer": "a", "judge": "exact"})" + "\n" + bad);
            ADD_FAILURE() << bad << " is read";
        } catch (const StartupError& e) {
            EXPECT_NE(std::string(e.what()).find("line 2"), std::string::npos) << e.what();
        }
    }
}

}  // namespace
}  // namespace saker
