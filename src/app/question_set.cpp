// Reading a question set, and judging answers.
#include "app/question_set.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "json/json.h"

namespace saker {
namespace {

[[noreturn]] void fail(const std::string& file, int64_t line, const std::string& sentence) {
    throw StartupError(file + " line " + std::to_string(line) + ": " + sentence);
}

Question read_question(const std::string& text, const std::string& file, int64_t line) {
    auto value = parse_json(text, "the line");
    if (!value) fail(file, line, value.error().message);
    if (!value->is_object()) fail(file, line, "is not an object.");
    const json::object& object = value->get_object();
    const JsonReader reader(object, file + " line " + std::to_string(line));
    Question q;
    q.kind = reader.string("kind");
    q.language = reader.string_or("language", "en");
    q.answer = reader.string("answer");
    const std::string judge = reader.string_or("judge", "exact");
    if (judge != "exact" && judge != "box") reader.fail("judge", "must be exact or box");
    q.judge = judge == "box" ? Judge::box : Judge::exact;
    if (q.judge == Judge::box && !parse_box(q.answer)) reader.fail("answer", "gives no bbox_2d");
    auto chat = read_chat(object);
    if (!chat) fail(file, line, chat.error().message);
    q.chat = std::move(*chat);
    return q;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

QuestionSet::QuestionSet(const std::filesystem::path& folder)
    : pictures_(folder / "pictures.safetensors") {
    const std::string file = (folder / "questions.jsonl").string();
    std::ifstream in(file);
    if (!in) throw StartupError(file + ": cannot be read.");
    std::string text;
    for (int64_t line = 1; std::getline(in, text); ++line)
        if (!text.empty()) questions_.push_back(read_question(text, file, line));
    if (questions_.empty()) throw StartupError(file + ": holds no questions.");
}

std::vector<uint8_t> QuestionSet::picture(const std::string& name) const {
    const TensorEntry& entry = pictures_.entry(name);
    const auto* at = reinterpret_cast<const uint8_t*>(entry.at);
    return {at, at + entry.size_bytes};
}

std::vector<MediaInput> QuestionSet::media(const Question& question) const {
    std::vector<MediaInput> out;
    for (const Message& message : question.chat.messages)
        for (const ContentPart& part : message.content) {
            if (part.kind == ContentPart::Kind::text) continue;
            MediaInput input;
            if (part.kind == ContentPart::Kind::image) {
                input.files.push_back(picture(part.text));
            } else {
                input.modality = Modality::video;
                input.fps = part.fps.value_or(1.0);
                for (const std::string& frame : part.frames) input.files.push_back(picture(frame));
            }
            out.push_back(std::move(input));
        }
    return out;
}

std::optional<std::array<double, 4>> parse_box(std::string_view text) {
    // Models put the object into a list, a code block or a sentence: what counts is the four
    // numbers.
    const size_t key = text.find("\"bbox_2d\"");
    if (key == std::string_view::npos) return std::nullopt;
    const size_t open = text.find('[', key), close = text.find(']', key);
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    auto numbers = parse_json(text.substr(open, close - open + 1), "the box");
    if (!numbers || !numbers->is_array() || numbers->get_array().size() != 4) return std::nullopt;
    std::array<double, 4> box{};
    for (size_t i = 0; i < 4; ++i) {
        if (!numbers->get_array()[i].is_number()) return std::nullopt;
        box[i] = numbers->get_array()[i].to_number<double>();
    }
    return box;
}

double box_overlap(const std::array<double, 4>& a, const std::array<double, 4>& b) {
    const auto area = [](const std::array<double, 4>& r) {
        return std::max(0.0, r[2] - r[0]) * std::max(0.0, r[3] - r[1]);
    };
    const std::array<double, 4> both = {std::max(a[0], b[0]), std::max(a[1], b[1]),
                                        std::min(a[2], b[2]), std::min(a[3], b[3])};
    const double joint = area(both), all = area(a) + area(b) - joint;
    return all > 0 ? joint / all : 0;
}

double judge_answer(const Question& question, std::string_view given) {
    if (question.judge == Judge::exact) return trim(given) == trim(question.answer) ? 1 : 0;
    const auto want = parse_box(question.answer), got = parse_box(given);
    return want && got ? box_overlap(*want, *got) : 0;
}

Share wilson_share(double right, int64_t n) {
    if (n == 0) return {};
    constexpr double z = 1.959964;
    const double count = static_cast<double>(n), p = right / count;
    const double centre = p + z * z / (2 * count), scale = 1 + z * z / count;
    const double half = z * std::sqrt(p * (1 - p) / count + z * z / (4 * count * count));
    return {p, std::max(0.0, (centre - half) / scale), std::min(1.0, (centre + half) / scale)};
}

}  // namespace saker
