// Reading a question set, and judging answers.
#include "app/question_set.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "app/session.h"

namespace saker {
namespace {

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<int64_t> whole_number(std::string_view text) {
    text = trim(text);
    int64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

// They stand in tables and as keys.
bool is_word(std::string_view text) {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

Message make_message(Role role, const std::string& text) {
    Message message;
    message.role = role;
    message.content.emplace_back();
    message.content.back().text = text;
    return message;
}

}  // namespace

QuestionSet::QuestionSet(const std::string& stem) : file_(stem + ".jsonl") {
    auto pack = read_file(stem + ".pack");
    if (!pack) throw StartupError(pack.error().message);
    pack_ = std::move(*pack);
    std::ifstream in(file_);
    if (!in) throw StartupError(file_ + ": cannot be read.");
    std::string text;
    for (int64_t line = 1; std::getline(in, text); ++line)
        if (!trim(text).empty()) questions_.push_back(read(text, line));
    if (questions_.empty()) throw StartupError(file_ + ": holds no questions.");
}

std::vector<const Question*> QuestionSet::spread(int64_t n) const {
    struct Ranked {
        double rank;  // how far into its group, 0 to 1
        size_t at;
    };
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> groups;
    for (size_t i = 0; i < questions_.size(); ++i)
        groups[{questions_[i].kind, questions_[i].language}].push_back(i);
    std::vector<Ranked> ranked;
    for (const auto& [name, group] : groups)
        for (size_t i = 0; i < group.size(); ++i)
            ranked.push_back(
                {(static_cast<double>(i) + 0.5) / static_cast<double>(group.size()), group[i]});
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
    ranked.resize(std::min(ranked.size(), static_cast<size_t>(n)));
    std::vector<const Question*> out;
    for (const Ranked& r : ranked) out.push_back(&questions_[r.at]);
    return out;
}

std::vector<std::vector<uint8_t>> QuestionSet::files(const JsonReader& reader,
                                                     const char* key) const {
    std::vector<std::vector<uint8_t>> out;
    const json::value& places = reader.value(key);
    if (!places.is_array()) reader.fail(key, "is not a list");
    for (const json::value& place : places.get_array()) {
        if (!place.is_array() || place.get_array().size() != 2 ||
            !place.get_array()[0].is_int64() || !place.get_array()[1].is_int64())
            reader.fail(key, "has a place that is not [offset, length]");
        const int64_t offset = place.get_array()[0].get_int64();
        const int64_t length = place.get_array()[1].get_int64();
        const auto size = static_cast<int64_t>(pack_.size());
        if (offset < 0 || length < 0 || offset > size || length > size - offset)
            reader.fail(key, "has a place outside the pack");
        out.emplace_back(pack_.begin() + offset, pack_.begin() + offset + length);
    }
    return out;
}

Question QuestionSet::read(const std::string& text, int64_t line) const {
    const std::string where = file_ + " line " + std::to_string(line);
    auto value = parse_json(text, where);
    if (!value) throw StartupError(value.error().message);
    if (!value->is_object()) throw StartupError(where + ": is not an object.");
    const JsonReader reader(value->get_object(), where);
    Question q;
    q.where = where;
    q.kind = reader.string("kind");
    q.language = reader.string("language");
    for (const auto& [key, word] : {std::pair("kind", &q.kind), {"language", &q.language}})
        if (!is_word(*word)) reader.fail(key, "is not a word of letters, digits, _ and -");
    q.answer = reader.string("answer");
    const std::string judge = reader.string("judge");
    if (judge == "number")
        q.judge = Judge::number;
    else if (judge == "box")
        q.judge = Judge::box;
    else if (judge != "exact")
        reader.fail("judge", "must be exact, number or box");
    if (q.judge == Judge::box && !parse_box(q.answer)) reader.fail("answer", "gives no box");
    if (q.judge == Judge::number && !whole_number(q.answer)) reader.fail("answer", "is no number");

    if (reader.has("pictures"))
        for (auto& file : files(reader, "pictures"))
            q.media.push_back({Modality::image, {std::move(file)}, 0});
    if (reader.has("frames"))
        q.media.push_back({Modality::video, files(reader, "frames"), reader.number("fps")});
    if (reader.has("frames") && !(q.media.back().fps >= 1e-3 && q.media.back().fps <= 1e3))
        reader.fail("fps", "must be from 0.001 to 1000");
    if (reader.has("earlier")) {
        const json::value& earlier = reader.value("earlier");
        if (!earlier.is_array()) reader.fail("earlier", "is not a list");
        for (const json::value& turn : earlier.get_array()) {
            if (!turn.is_object()) reader.fail("earlier", "has a turn that is not an object");
            const JsonReader said(turn.get_object(), where, "earlier.");
            q.chat.messages.push_back(make_message(Role::user, said.string("question")));
            q.chat.messages.push_back(make_message(Role::assistant, said.string("answer")));
        }
    }
    q.chat.messages.push_back(make_message(Role::user, reader.string("question")));
    std::vector<ContentPart>& first = q.chat.messages.front().content;
    for (size_t i = 0; i < q.media.size(); ++i) {
        ContentPart part;
        part.kind = q.media[i].modality == Modality::image ? ContentPart::Kind::image
                                                           : ContentPart::Kind::video;
        first.insert(first.begin() + static_cast<ptrdiff_t>(i), part);
    }
    return q;
}

std::optional<std::array<double, 4>> parse_box(std::string_view text) {
    // Models put the box into an object, a list, a code block or a sentence: what counts is the
    // innermost brackets.
    const size_t close = text.find(']');
    const size_t open = close == std::string_view::npos ? close : text.rfind('[', close);
    if (open == std::string_view::npos) return std::nullopt;
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
    if (question.judge == Judge::number)
        return whole_number(given) == whole_number(question.answer) ? 1 : 0;
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
