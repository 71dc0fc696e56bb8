// `saker eval`: a question set through the engine, many sequences at once, greedy; accuracy by
// kind, and how evenly the experts were used.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>

#include "app/commands.h"
#include "app/expert_load.h"
#include "app/question_set.h"
#include "app/session.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "serve/answer.h"

namespace saker {
namespace {

struct Tally {
    int64_t right = 0, asked = 0;
    int64_t boxes = 0;   // answers that were judged as boxes
    double overlap = 0;  // sum of their overlaps

    void add(const Question& question, double score) {
        ++asked;
        right += score >= 0.5;
        if (question.judge != Judge::box) return;
        ++boxes;
        overlap += score;
    }
};

struct Totals {
    std::map<std::string, Tally> kinds, languages;
    Tally all;
    int64_t prompt_tokens = 0, answer_tokens = 0;
    double seconds = 0;
    ExpertLoad experts;
};

struct Pending {
    const Question* question;
    AnswerStream stream;
};

// The path of a set without its ending: of a name, or of a path with or without it.
std::string set_stem(std::string name) {
    constexpr std::string_view kEnding = ".jsonl";
    if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
    const std::string ours = shipped("examples/eval/" + name + std::string(kEnding));
    if (!std::filesystem::exists(ours)) return name;
    return ours.substr(0, ours.size() - kEnding.size());
}

StartupError cannot_be_asked(const Question& question, const std::string& why) {
    return StartupError(question.where + ": cannot be asked: " + why);
}

void finish(Pending& pending, Totals& totals, bool show) {
    std::string text;
    while (auto piece = pending.stream.next()) {
        text += piece->text;
        totals.answer_tokens += static_cast<int64_t>(piece->tokens.size());
        if (piece->error) throw StartupError("The engine failed: " + piece->error->message);
    }
    const double score = judge_answer(*pending.question, text);
    totals.kinds[pending.question->kind].add(*pending.question, score);
    totals.languages[pending.question->language].add(*pending.question, score);
    totals.all.add(*pending.question, score);
    if (show && score < 0.5)
        // As JSON: an answer may hold anything, also what a terminal would obey.
        fmt::print(stderr, "{}: {}: {}, not {}\n", pending.question->where, pending.question->kind,
                   dump_json(json::string(text)),
                   dump_json(json::string(pending.question->answer)));
}

json::object tally_json(const Tally& tally) {
    const Share share = wilson_share(static_cast<double>(tally.right), tally.asked);
    json::object out;
    out["asked"] = tally.asked;
    out["right"] = tally.right;
    out["accuracy"] = share.value;
    out["low"] = share.low;
    out["high"] = share.high;
    if (tally.boxes > 0) out["mean_iou"] = tally.overlap / static_cast<double>(tally.boxes);
    return out;
}

json::array experts_json(const ExpertLoad& experts) {
    json::array out;
    for (const auto& [index, load] : experts.layers()) {
        json::object layer;
        layer["layer"] = index;
        layer["rows"] = load.rows;
        layer["least"] = load.least();
        layer["most"] = load.most();
        layer["counts"] = json::array(load.counts.begin(), load.counts.end());
        out.push_back(std::move(layer));
    }
    return out;
}

void print_json(const Totals& totals) {
    json::object out, kinds, languages;
    for (const auto& [kind, tally] : totals.kinds) kinds[kind] = tally_json(tally);
    for (const auto& [language, tally] : totals.languages) languages[language] = tally_json(tally);
    out["all"] = tally_json(totals.all);
    out["kinds"] = kinds;
    out["languages"] = languages;
    out["prompt_tokens"] = totals.prompt_tokens;
    out["answer_tokens"] = totals.answer_tokens;
    out["seconds"] = totals.seconds;
    if (!totals.experts.layers().empty()) out["experts"] = experts_json(totals.experts);
    fmt::print("{}\n", dump_json(out, 2));
}

void print_line(const std::string& name, const Tally& tally) {
    const Share share = wilson_share(static_cast<double>(tally.right), tally.asked);
    fmt::print("  {:<16}{:>7}{:>9.1f} %   {:5.1f} to {:5.1f} %", name, tally.asked,
               share.value * 100, share.low * 100, share.high * 100);
    if (tally.boxes > 0)
        fmt::print("   mean IoU {:.3f}", tally.overlap / static_cast<double>(tally.boxes));
    fmt::print("\n");
}

void print_table(const Totals& totals) {
    fmt::print("  {:<16}{:>7}{:>11}   95 % interval\n", "kind", "asked", "right");
    for (const auto& [kind, tally] : totals.kinds) print_line(kind, tally);
    for (const auto& [language, tally] : totals.languages) print_line("in " + language, tally);
    print_line("all", totals.all);
    fmt::print("  {} prompt tokens, {} answer tokens in {:.1f} s\n", totals.prompt_tokens,
               totals.answer_tokens, totals.seconds);
    if (totals.experts.layers().empty()) return;
    fmt::print("  experts take {:.2f} to {:.2f} of a fair share\n", totals.experts.least(),
               totals.experts.most());
}

// The engine lives in here alone: when this returns, its thread has ended, and what the tap counted
// may be read.
void ask_all(const QuestionSet& set, Session& session, const Options& options, Totals& totals) {
    const int64_t context = options.max_context > 0
                                ? options.max_context
                                : std::min<int64_t>(2048, session.model().shape().max_context);
    // Questions are short: sixteen sequences share room for eight whole contexts.
    const EngineLimits limits = session.plan_limits(context, 16, 8);
    Exec ex = session.exec();
    ex.tap = &totals.experts;
    Engine engine(session.model(), limits, ex);
    // Greedy whatever the model's file says; its penalties and bans hold, as in transformers.
    Sampling sampling = session.generation().sampling;
    sampling.temperature = 0;
    sampling.max_tokens = 256;
    const auto total = static_cast<int64_t>(set.questions().size());

    const Stopwatch watch;
    std::deque<Pending> pending;
    for (const Question* each : set.spread(options.n > 0 ? options.n : total)) {
        const Question& question = *each;
        auto parts = session.chat_template().render(question.chat);
        if (!parts) throw cannot_be_asked(question, parts.error().message);
        auto prompt = prepare_prompt(*parts, question.media, session.prepare_settings(),
                                     session.media_pool());
        if (!prompt) throw cannot_be_asked(question, prompt.error().message);
        totals.prompt_tokens += static_cast<int64_t>(prompt->ids.size());
        const auto fitted = session.generation().fit_to_prompt(
            sampling, static_cast<int64_t>(prompt->ids.size()), limits.max_context);
        if (!fitted) throw cannot_be_asked(question, fitted.error().message);
        auto reader = engine.submit(std::move(*prompt), *fitted);
        if (!reader) throw cannot_be_asked(question, reader.error().message);
        pending.push_back({&question, AnswerStream(session.tokenizer(), std::move(*reader),
                                                   session.generation().stops_with({}))});
        while (static_cast<int64_t>(pending.size()) > 2 * limits.max_sequences) {
            finish(pending.front(), totals, options.show_wrong);
            pending.pop_front();
        }
    }
    for (; !pending.empty(); pending.pop_front())
        finish(pending.front(), totals, options.show_wrong);
    totals.seconds = watch.elapsed_ms() * 1e-3;
}

}  // namespace

int eval_command(const Options& options) {
    const QuestionSet set(set_stem(options.set));
    Session session(options, false);
    Totals totals;
    ask_all(set, session, options, totals);
    if (options.json)
        print_json(totals);
    else
        print_table(totals);
    return 0;
}

}  // namespace saker
