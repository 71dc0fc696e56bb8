// `saker run`: one question, or a conversation, answered on the terminal as it is written.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "app/commands.h"
#include "app/session.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "serve/answer.h"

namespace saker {
namespace {

std::atomic<bool> g_interrupted{false};  // set by the signal, read between tokens

// The first Ctrl-C ends the answer, the second the program.
void on_interrupt(int) {
    if (g_interrupted.exchange(true)) std::_Exit(130);
}

struct Asked {
    ChatRequest chat;
    std::vector<MediaInput> media;
};

Result<MediaInput> read_image(const std::string& path) {
    auto bytes = read_file(path);
    if (!bytes) return bytes.error();
    MediaInput input;
    input.files.push_back(std::move(*bytes));
    return input;
}

Result<MediaInput> read_frames(const std::string& folder, double fps) {
    std::error_code ec;
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ec))
        if (entry.is_regular_file()) names.push_back(entry.path().string());
    if (ec || names.empty())
        return Error{ErrorCode::invalid_value,
                     folder + ": is not a folder of pictures; give one with the frames of a clip.",
                     ""};
    std::sort(names.begin(), names.end());
    MediaInput input;
    input.modality = Modality::video;
    input.fps = fps;
    constexpr size_t kMost = size_t{2} << 30;
    size_t total = 0;
    for (const std::string& name : names) {
        auto bytes = read_file(name);
        if (!bytes) return bytes.error();
        total += bytes->size();
        if (total > kMost)
            return Error{ErrorCode::too_many_items,
                         folder + ": holds more than 2 GiB of frames; give fewer.", ""};
        input.files.push_back(std::move(*bytes));
    }
    return input;
}

Result<Sampling> read_sampling(const Options& o, const Sampling& defaults) {
    Sampling s = defaults;
    const auto set = [](const std::optional<double>& from, float& to) {
        if (from) to = static_cast<float>(*from);
    };
    set(o.temperature, s.temperature);
    set(o.top_p, s.top_p);
    set(o.min_p, s.min_p);
    set(o.repetition_penalty, s.repetition_penalty);
    set(o.presence_penalty, s.presence_penalty);
    set(o.frequency_penalty, s.frequency_penalty);
    if (o.top_k) s.top_k = static_cast<int32_t>(std::clamp<int64_t>(*o.top_k, -1, INT32_MAX));
    s.seed = o.seed;
    s.max_tokens = o.max_tokens;
    if (auto status = s.validate(); !status) return status.error();
    return s;
}

void print_stats(const PrepareTimes& prepare, const PhaseTimes& before, const PhaseTimes& after,
                 double first_token_ms, int64_t num_answer_tokens) {
    const auto ms = [](int64_t ns) { return static_cast<double>(ns) * 1e-6; };
    const auto rate = [](int64_t n, int64_t ns) {
        return ns > 0 ? static_cast<double>(n) * 1e9 / static_cast<double>(ns) : 0.0;
    };
    const int64_t encode = after.encode_ns - before.encode_ns;
    const int64_t prefill = after.prefill_ns - before.prefill_ns;
    const int64_t decode = after.decode_ns - before.decode_ns;
    const int64_t patches = after.num_patches - before.num_patches;
    const int64_t prompt = after.num_prefill_tokens - before.num_prefill_tokens;
    const int64_t decoded = after.num_decode_tokens - before.num_decode_tokens;
    fmt::print(stderr,
               "\n"
               "decode pictures  {:9.1f} ms\n"
               "resize, patches  {:9.1f} ms\n"
               "tokenize         {:9.1f} ms\n"
               "vision           {:9.1f} ms   {} patches, {:.0f} patches/s\n"
               "prefill          {:9.1f} ms   {} tokens, {:.1f} tokens/s\n"
               "decode           {:9.1f} ms   {} tokens, {:.1f} tokens/s\n"
               "first token      {:9.1f} ms   after the question; {} tokens in the answer\n",
               ms(prepare.decode_ns), ms(prepare.patch_ns), ms(prepare.tokenize_ns), ms(encode),
               patches, rate(patches, encode), ms(prefill), prompt, rate(prompt, prefill),
               ms(decode), decoded, rate(decoded, decode), first_token_ms, num_answer_tokens);
}

// Streams one answer to stdout. The Error of a refused or broken request, else the answer's text.
Result<std::string> answer(Session& session, Engine& engine, const Asked& asked,
                           const Sampling& sampling, const Options& options) {
    const Stopwatch watch;
    PrepareTimes prepare;
    auto parts = render_chat(session.chat_template(), asked.chat);
    if (!parts) return parts.error();
    auto prompt = prepare_prompt(*parts, asked.media, session.prepare_settings(),
                                 session.media_pool(), &prepare);
    if (!prompt) return prompt.error();
    auto fitted = session.generation().fit_to_prompt(
        sampling, static_cast<int64_t>(prompt->ids.size()), engine.limits().max_context);
    if (!fitted) return fitted.error();
    const PhaseTimes before = engine.times();
    auto reader = engine.submit(std::move(*prompt), *fitted);
    if (!reader) return reader.error();

    g_interrupted = false;
    AnswerStream stream(session.tokenizer(), std::move(*reader),
                        session.generation().stops_with(options.stop));
    std::string text;
    double first_token_ms = 0;
    int64_t num_tokens = 0;
    FinishReason finish = FinishReason::stop;
    while (auto piece = stream.next()) {
        if (num_tokens == 0 && !piece->tokens.empty()) first_token_ms = watch.elapsed_ms();
        num_tokens += static_cast<int64_t>(piece->tokens.size());
        std::fwrite(piece->text.data(), 1, piece->text.size(), stdout);
        std::fflush(stdout);
        text += piece->text;
        if (piece->error) {
            if (!text.empty()) std::fputc('\n', stdout);
            return *piece->error;
        }
        if (piece->finish) finish = *piece->finish;
        // Nobody reads on: main says what became of stdout.
        if (g_interrupted || std::ferror(stdout)) break;
    }
    std::fputc('\n', stdout);
    std::fflush(stdout);
    if (finish == FinishReason::length)
        log_info(fmt::format("the answer was cut at {} tokens (--max-tokens, --max-context).",
                             num_tokens));
    if (options.stats) print_stats(prepare, before, engine.times(), first_token_ms, num_tokens);
    return text;
}

ContentPart media_part(ContentPart::Kind kind) {
    ContentPart part;
    part.kind = kind;
    return part;
}

Message user_message(const std::string& question, size_t images, size_t videos) {
    Message message;
    for (size_t i = 0; i < images; ++i)
        message.content.push_back(media_part(ContentPart::Kind::image));
    for (size_t i = 0; i < videos; ++i)
        message.content.push_back(media_part(ContentPart::Kind::video));
    ContentPart text;
    text.text = question;
    message.content.push_back(text);
    return message;
}

Message text_message(Role role, const std::string& text) {
    Message message = user_message(text, 0, 0);
    message.role = role;
    return message;
}

int converse(Session& session, Engine& engine, Asked asked, const Sampling& sampling,
             const Options& options, size_t images, size_t videos) {
    fmt::print(stderr, "Ask a question; /image FILE adds a picture to the next one, /quit ends.\n");
    while (!std::ferror(stdout)) {
        fmt::print(stderr, "> ");
        std::string line;
        if (!std::getline(std::cin, line)) break;
        if (line == "/quit" || line == "/exit") break;
        if (line.empty()) continue;
        if (line.rfind("/image", 0) == 0) {
            const size_t at = line.find_first_not_of(' ', 6);
            if (at == std::string::npos) {
                fmt::print(stderr, "Name the picture: /image FILE.\n");
                continue;
            }
            auto image = read_image(line.substr(at));
            if (!image) {
                report(image.error());
                continue;
            }
            asked.media.push_back(std::move(*image));
            ++images;
            fmt::print(stderr, "The next question is about it.\n");
            continue;
        }
        if (line[0] == '/') {
            fmt::print(stderr, "Commands: /image FILE, /quit.\n");
            continue;
        }
        if (!is_utf8(line)) {
            report({ErrorCode::invalid_utf8, "The question is not valid UTF-8.", ""});
            continue;
        }
        asked.chat.messages.push_back(user_message(line, images, videos));
        auto text = answer(session, engine, asked, sampling, options);
        if (!text) {
            // The question did not happen; its pictures are gone with it.
            report(text.error());
            asked.chat.messages.pop_back();
            asked.media.resize(asked.media.size() - images - videos);
        } else {
            asked.chat.messages.push_back(text_message(Role::assistant, *text));
        }
        images = videos = 0;
    }
    return 0;
}

}  // namespace

int run_command(const Options& options) {
    Asked asked;
    for (const std::string& path : options.images) {
        auto image = read_image(path);
        if (!image) return report(image.error());
        asked.media.push_back(std::move(*image));
    }
    size_t videos = 0;
    if (!options.video_frames.empty()) {
        auto video = read_frames(options.video_frames, options.fps);
        if (!video) return report(video.error());
        asked.media.push_back(std::move(*video));
        videos = 1;
    }
    for (const std::string& stop : options.stop)
        if (stop.empty())
            return report({ErrorCode::invalid_value, "--stop must not be empty.", "stop"});
    std::string question = options.question;
    const bool conversation = question.empty() && isatty(STDIN_FILENO);
    if (question.empty() && !conversation) {
        auto text = read_stdin();
        if (!text) return report(text.error());
        question = std::move(*text);
        while (!question.empty() && question.back() == '\n') question.pop_back();
        if (question.empty())
            return report({ErrorCode::invalid_value,
                           "There is no question: give one as an argument or on stdin.", ""});
    }
    if (!is_utf8(question) || !is_utf8(options.system))
        return report({ErrorCode::invalid_utf8, "The question is not valid UTF-8.", ""});

    Session session(options, false);
    auto sampling = read_sampling(options, session.generation().sampling);
    if (!sampling) return report(sampling.error());
    Engine engine(session.model(), session.plan_limits(options.max_context, 1), session.exec());
    std::signal(SIGINT, on_interrupt);
    if (!options.system.empty())
        asked.chat.messages.push_back(text_message(Role::system, options.system));
    const size_t images = options.images.size();
    if (conversation)
        return converse(session, engine, std::move(asked), *sampling, options, images, videos);
    asked.chat.messages.push_back(user_message(question, images, videos));
    auto text = answer(session, engine, asked, *sampling, options);
    return text ? 0 : report(text.error());
}

}  // namespace saker
