// `saker run`: one question, or a conversation, answered on the terminal as it is written.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "app/asked_media.h"
#include "app/asker.h"
#include "app/commands.h"
#include "app/conversation.h"
#include "app/interrupt.h"
#include "app/message_file.h"
#include "app/run_output.h"
#include "base/log.h"
#include "base/utf8.h"

namespace saker {
namespace {

// What the command line says of a conversation, before any model is loaded.
struct Told {
    MessageFile file;               // what --messages and --system say, and the question
    std::vector<MediaInput> shown;  // of a conversation that begins with pictures
    bool is_conversation = false;
};

Result<std::vector<MediaInput>> read_shown(const Options& options) {
    std::vector<MediaInput> shown;
    for (const std::string& path : options.images) {
        auto image = read_picture(path);
        if (!image) return image.error();
        shown.push_back(std::move(*image));
    }
    for (size_t i = 0; i < options.video_frames.size(); ++i) {
        const double fps = options.fps.size() > 1 ? options.fps[i] : options.fps[0];
        auto clip = read_clip(options.video_frames[i], fps);
        if (!clip) return clip.error();
        shown.push_back(std::move(*clip));
    }
    return shown;
}

Result<std::string> question_from_stdin() {
    auto text = read_stdin();
    if (!text) return text.error();
    while (text->ends_with('\n')) text->pop_back();
    if (text->empty())
        return Error{ErrorCode::invalid_value,
                     "There is no question: give one as an argument or on stdin.", ""};
    if (!is_utf8(*text))
        return Error{ErrorCode::invalid_utf8, "The question is not valid UTF-8.", ""};
    return text;
}

Status check_conversation_flags(const Options& options) {
    if (options.json)
        return Error{ErrorCode::invalid_value,
                     "--json needs a question: a conversation on the terminal is no JSON.", ""};
    if (!options.prefill.empty())
        return Error{ErrorCode::invalid_value,
                     "--prefill needs a question, whose answer it begins.", ""};
    return Done{};
}

// stdin is read only where nothing else says what to ask.
Result<Told> read_told(const Options& options) {
    Told told;
    auto shown = read_shown(options);
    if (!shown) return shown.error();
    Asked& asked = told.file.asked;
    std::optional<std::string> question = options.question;
    if (!options.messages.empty()) {
        const std::optional<double> fps =
            options.fps.size() == 1 ? std::optional(options.fps[0]) : std::nullopt;
        auto file = read_messages(options.messages, fps);
        if (!file) return file.error();
        told.file = std::move(*file);
        // A conversation that ends with an answer goes on, unless the answer itself is to.
        told.is_conversation = !question && isatty(STDIN_FILENO) &&
                               asked.chat.messages.back().role == Role::assistant &&
                               !asked.chat.continue_final_message;
    } else {
        if (!options.system.empty()) asked.add_text(Role::system, options.system);
        told.is_conversation = !question && isatty(STDIN_FILENO);
        if (!question && !told.is_conversation) {
            auto text = question_from_stdin();
            if (!text) return text.error();
            question = std::move(*text);
        }
    }
    if (question && asked.chat.continue_final_message)
        return Error{ErrorCode::invalid_value,
                     "continue_final_message of --messages and a question contradict each other: "
                     "a question is the next message.",
                     ""};
    if (question)
        asked.add_question(*question, std::move(*shown));
    else
        told.shown = std::move(*shown);
    if (told.is_conversation)
        if (Status status = check_conversation_flags(options); !status) return status.error();
    return told;
}

// A flag wins over the file, and both over the model.
template <class Number, class Target>
void choose(const std::optional<Number>& flag, const std::optional<Number>& file, Target& target) {
    if (flag || file) target = static_cast<Target>(flag ? *flag : *file);
}

Result<Sampling> read_sampling(const SamplingWishes& flags, const SamplingWishes& file,
                               const Sampling& defaults) {
    Sampling s = defaults;
    choose(flags.temperature, file.temperature, s.temperature);
    choose(flags.top_p, file.top_p, s.top_p);
    choose(flags.min_p, file.min_p, s.min_p);
    choose(flags.repetition_penalty, file.repetition_penalty, s.repetition_penalty);
    choose(flags.presence_penalty, file.presence_penalty, s.presence_penalty);
    choose(flags.frequency_penalty, file.frequency_penalty, s.frequency_penalty);
    choose(flags.top_k, file.top_k, s.top_k);
    s.top_k = std::max(s.top_k, 0);  // -1 is off
    choose(flags.max_tokens, file.max_tokens, s.max_tokens);
    choose(flags.logprobs, file.logprobs, s.logprobs);
    s.seed = flags.seed ? flags.seed : file.seed;
    if (auto status = s.validate(); !status) return status.error();
    return s;
}

// Prints what stands beside an answer: why it was cut, --logprobs, --stats.
class Beside {
  public:
    Beside(const Options& options, const Session& session, const Sampling& sampling,
           const EngineLimits& limits)
        : options_(options), session_(session), sampling_(sampling), limits_(limits) {}

    void print(const Answer& answer) const {
        if (answer.finish == FinishReason::length) log_info(why_cut(answer));
        if (sampling_.logprobs >= 0)
            fmt::print(stderr, "{}", logprob_table(answer, session_.tokenizer()));
        if (options_.stats) fmt::print(stderr, "{}", stats_table(answer));
    }

    void print_json(const Answer& answer) const {
        if (options_.stats) fmt::print(stderr, "{}", stats_table(answer));
        fmt::print("{}\n",
                   dump_json(answer_json(answer, session_.tokenizer(), sampling_.logprobs >= 0)));
    }

  private:
    std::string why_cut(const Answer& answer) const {
        const auto n = static_cast<int64_t>(answer.tokens.size());
        if (sampling_.max_tokens > 0 && n >= sampling_.max_tokens)
            return fmt::format("the answer was cut at {} tokens (--max-tokens).", n);
        if (answer.prompt_tokens + n < limits_.max_context)
            return fmt::format(
                "the answer was cut at {} tokens, the model's own limit (--max-tokens).", n);
        const bool can_be_raised = options_.max_context == limits_.max_context &&
                                   limits_.max_context < session_.model().shape().max_context;
        return fmt::format("the answer was cut at {} tokens: the context of {} is full{}.", n,
                           limits_.max_context, can_be_raised ? " (--max-context)" : "");
    }

    const Options& options_;
    const Session& session_;
    const Sampling& sampling_;
    const EngineLimits& limits_;
};

int ask_once(Asker& asker, const Asked& asked, const Beside& beside, bool as_json) {
    bool line_is_open = false;
    auto answer = asker.ask(asked, [&](std::string_view piece) {
        if (as_json) return true;
        line_is_open = true;
        std::fwrite(piece.data(), 1, piece.size(), stdout);
        return std::fflush(stdout) == 0;
    });
    if (!as_json && (answer || line_is_open)) std::fputc('\n', stdout);
    std::fflush(stdout);
    if (!answer) return report(answer.error(), as_json);
    if (as_json)
        beside.print_json(*answer);
    else if (answer->finish)
        beside.print(*answer);
    // As shells tell it; a lost stdout is main's to tell.
    return is_interrupted() && !answer->finish ? 130 : 0;
}

}  // namespace

int run_command(const Options& options) {
    auto told = read_told(options);
    if (!told) return report(told.error(), options.json);

    Session session(options, false);
    auto sampling =
        read_sampling(options.sampling, told->file.wishes, session.generation().sampling);
    if (!sampling) return report(sampling.error(), options.json);
    if (Status status = session.limit_images(options.min_pixels, options.max_pixels); !status)
        return report(status.error(), options.json);
    EngineLimits limits = session.plan_limits(options.max_context, 1);
    if (told->is_conversation)
        limits.too_long_advice = "ask something shorter, or forget what was said with /clear";
    Engine engine(session.model(), limits, session.exec());
    const std::vector<std::string>& stop =
        options.sampling.stop.empty() ? told->file.wishes.stop : options.sampling.stop;
    Asker asker(session, engine, *sampling, stop, options.prefill);
    const Beside beside(options, session, *sampling, limits);
    watch_interrupts();
    if (!told->is_conversation) return ask_once(asker, told->file.asked, beside, options.json);
    Conversation conversation(session, asker, std::move(told->file.asked),
                              [&](const Answer& answer) { beside.print(answer); });
    for (MediaInput& input : told->shown)
        if (Status status = conversation.show(std::move(input)); !status)
            return report(status.error());
    conversation.hold();
    return 0;
}

}  // namespace saker
