// QuestionSet: questions with pictures and right answers, as `saker eval` asks them.
//
// A set is a folder: questions.jsonl, one object a line,
//   {"kind": "count", "language": "en", "judge": "exact", "messages": [...], "answer": "3"}
// whose messages are those of an OpenAI chat request (earlier turns included), and
// pictures.safetensors, which holds each picture's file (PNG, JPEG ...) as a tensor of bytes under
// the name that the messages use.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/chat.h"
#include "ask/prompt.h"
#include "serve/prepare.h"
#include "weights/safetensors.h"

namespace saker {

enum class Judge : uint8_t {
    exact,  // the answer's text, blanks at its ends left out
    box,    // {"bbox_2d": [x1, y1, x2, y2]}: intersection over union, right from one half on
};

struct Question {
    std::string kind, language;
    Judge judge = Judge::exact;
    ChatRequest chat;
    std::string answer;
};

class QuestionSet {
  public:
    /// Throws StartupError naming file and line.
    explicit QuestionSet(const std::filesystem::path& folder);

    const std::vector<Question>& questions() const { return questions_; }
    /// The pictures of one question, in the order of its parts. Throws StartupError for a name that
    /// the set does not hold.
    std::vector<MediaInput> media(const Question& question) const;

  private:
    std::vector<uint8_t> picture(const std::string& name) const;

    SafetensorsFile pictures_;
    std::vector<Question> questions_;
};

/// The box that a text gives, in thousandths of the picture; none where it gives no box.
std::optional<std::array<double, 4>> parse_box(std::string_view text);
/// Intersection over union of two boxes; 0 where either is empty.
double box_overlap(const std::array<double, 4>& a, const std::array<double, 4>& b);

/// How good `given` is for `question`: 1 or 0, for a box its overlap.
double judge_answer(const Question& question, std::string_view given);

/// A share of n with its 95 % interval (Wilson, "Probable inference", 1927).
struct Share {
    double value = 0, low = 0, high = 1;
};
Share wilson_share(double right, int64_t n);

}  // namespace saker
