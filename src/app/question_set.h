// QuestionSet: questions with pictures and right answers, as `saker eval` asks them.
//
// A set is two files, NAME.jsonl and NAME.pack: a question a line, and picture files (PNG, JPEG
// ...) end to end. Fields of a line: kind, language, question, answer, judge; pictures or frames as
// [[offset, length], ...] in the pack, fps of the frames; earlier, the turns before a follow-up.
// tools/demo_model/README.md has the table.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/chat.h"
#include "json/json.h"
#include "serve/prepare.h"

namespace saker {

enum class Judge : uint8_t {
    exact,   // the same text, blanks at its ends left out
    number,  // the same whole number
    box,     // four numbers [x1, y1, x2, y2]: intersection over union, right from one half on
};

struct Question {
    std::string where;           // file and line
    std::string kind, language;  // words of letters, digits, _ and -
    Judge judge = Judge::exact;
    ChatRequest chat;               // pictures before the question, in the first turn
    std::vector<MediaInput> media;  // their files
    std::string answer;
};

class QuestionSet {
  public:
    /// Reads `stem`.jsonl and `stem`.pack. Throws StartupError naming file and line.
    explicit QuestionSet(const std::string& stem);

    const std::vector<Question>& questions() const { return questions_; }
    /// n of them, or all where there are fewer, every kind in every language with its share.
    std::vector<const Question*> spread(int64_t n) const;

  private:
    Question read(const std::string& text, int64_t line) const;
    std::vector<std::vector<uint8_t>> files(const JsonReader& reader, const char* key) const;

    std::string file_;
    std::vector<uint8_t> pack_;
    std::vector<Question> questions_;
};

/// The first four numbers in brackets that a text gives, in thousandths of the picture; none
/// without them.
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
