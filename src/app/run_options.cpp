// The flags of `saker run`, and what CLI11 does not see: which word is the model and which the
// question, and which flags contradict each other.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/flags.h"
#include "app/lone_word.h"
#include "base/utf8.h"
#include "media/preprocessor.h"

namespace saker {
namespace {

constexpr char kFooter[] =
    "One word that is no folder is the question, and the model is models/demo, unless the word "
    "looks\nlike a path: without white space, ? or ! at its end, and with a slash, a suffix such "
    "as "
    ".png, a digit,\na dash or a dot in it. --question takes any. Without a question: a "
    "conversation on a terminal\n(/help lists its commands), else stdin is the question.";

void add_asking(CLI::App* run, Options& o) {
    run->add_option("question", o.question, "what to ask");
    constexpr char kGroup[] = "What is asked";
    run->add_option("-q,--question", o.question_flag, "the question, whatever it looks like")
        ->group(kGroup);
    run->add_option("-i,--image", o.images,
                    "a picture to ask about, or - for stdin; may be given several times")
        ->allow_extra_args(false)
        ->group(kGroup);
    run->add_option("--video-frames", o.video_frames,
                    "a folder of pictures, the frames of a clip in the order of the numbers in "
                    "their names; may be given several times")
        ->allow_extra_args(false)
        ->group(kGroup);
    run->add_option_function<std::vector<std::string>>(
           "--fps",
           [&o](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) {
                   auto number = parse_real(text, {1e-3, 1e3});
                   if (!number) throw CLI::ValidationError("--fps", number.error().message);
                   o.fps.push_back(*number);
               }
           },
           "frames a second of the clips: one for all, or one for each in order")
        ->type_name("X")
        ->allow_extra_args(false)
        ->group(kGroup);
    run->add_option("--messages", o.messages,
                    "a conversation as JSON (- for stdin), as the API takes it; a question with it "
                    "is its next message")
        ->group(kGroup);
    run->add_option("--system", o.system, "system message")->group(kGroup);
    add_chat_template(run, o);
    run->add_option("--prefill", o.prefill, "the answer begins with this text and goes on from it")
        ->group(kGroup);
}

void add_pictures(CLI::App* run, Options& o) {
    constexpr char kGroup[] = "How pictures are seen";
    constexpr int64_t kMostSeen = Preprocessor::kMaxImageArea;
    add_whole<int64_t>(run, "--max-image-pixels", o.max_image_pixels, 1, int64_t{1} << 32,
                       "largest picture file that is decoded")
        ->default_str("200000000")
        ->group(kGroup);
    add_whole<int64_t>(run, "--min-pixels", o.min_pixels, 1, kMostSeen,
                       "pixels that the model sees of an image at least; default: the model's")
        ->group(kGroup);
    add_whole<int64_t>(run, "--max-pixels", o.max_pixels, 1, kMostSeen,
                       "pixels that the model sees of an image at most; default: the model's")
        ->group(kGroup);
    run->add_option("--resample", o.resample, "whose bicubic: torch (the reference's) or pillow")
        ->check(CLI::IsMember({"torch", "pillow"}))
        ->capture_default_str()
        ->group(kGroup);
}

void add_sampling(CLI::App* run, Options& o) {
    SamplingWishes& s = o.sampling;
    constexpr char kGroup[] = "How the answer is chosen (default: as the model says)";
    const auto real = [&](const char* flag, auto& target, RealRange range, const char* what) {
        add_real(run, flag, target, range, what)->group(kGroup);
    };
    add_generation_config(run, o);
    real("--temperature", s.temperature, {0, 2}, "0: greedy");
    add_whole<int64_t>(run, "--top-k", s.top_k, -1, INT32_MAX, "0 or -1: off")->group(kGroup);
    real("--top-p", s.top_p, {0, 1, true}, "1: off");
    real("--min-p", s.min_p, {0, 1}, "0: off");
    real("--repetition-penalty", s.repetition_penalty, {0, 1e6, true},
         "over prompt and answer; 1: off");
    real("--presence-penalty", s.presence_penalty, {-2, 2}, "over the answer; 0: off");
    real("--frequency-penalty", s.frequency_penalty, {-2, 2}, "over the answer; 0: off");
    add_whole<uint64_t>(run, "--seed", s.seed, 0, UINT64_MAX, "the same seed gives the same answer")
        ->group(kGroup);
    add_whole<int64_t>(run, "--max-tokens", s.max_tokens, 0, INT64_MAX,
                       "of the answer; 0: the model's limit, or as many as the context holds")
        ->group(kGroup);
    run->add_option("--stop", s.stop, "end the answer before this text; may be given several times")
        ->allow_extra_args(false)
        ->group(kGroup);
}

void add_output(CLI::App* run, Options& o) {
    constexpr char kGroup[] = "What is printed";
    run->add_flag("--json", o.json,
                  "one JSON object with text, finish_reason, usage, timings and seed; errors too")
        ->group(kGroup);
    add_whole<int64_t>(run, "--logprobs", o.sampling.logprobs, 0, 20,
                       "log-probability of each token, and of the N likeliest (default 0)")
        ->type_name("[N]")
        ->group(kGroup);
    run->add_flag("--stats", o.stats, "the time of each phase, on stderr")->group(kGroup);
}

Error contradiction(const std::string& one, const std::string& other, const std::string& advice) {
    return {ErrorCode::invalid_value,
            fmt::format("{} and {} contradict each other: {}.", one, other, advice), ""};
}

Error missing(const std::string& flag, const std::string& what) {
    return {ErrorCode::invalid_value, fmt::format("{} needs {}.", flag, what), ""};
}

Status check_media_flags(const Options& o) {
    if (!o.video_frames.empty() && o.fps.empty())
        return missing("--video-frames", "--fps, the frames a second of the clip");
    if (o.video_frames.empty() && !o.fps.empty() && o.messages.empty())
        return missing("--fps", "--video-frames, the folder of a clip");
    if (o.fps.size() > 1 && o.fps.size() != o.video_frames.size())
        return Error{
            ErrorCode::invalid_value,
            fmt::format("--fps is given {} times for {} clip(s) of --video-frames: give it "
                        "once, or once for each.",
                        o.fps.size(), o.video_frames.size()),
            ""};
    if (o.min_pixels && o.max_pixels && *o.min_pixels > *o.max_pixels)
        return contradiction(fmt::format("--min-pixels {}", *o.min_pixels),
                             fmt::format("--max-pixels {}", *o.max_pixels),
                             "the least must not be above the most");
    return Done{};
}

// stdin can be one thing only.
Status check_stdin(const Options& o) {
    const auto from_stdin = std::count(o.images.begin(), o.images.end(), "-");
    if (from_stdin > 1) return Error{ErrorCode::invalid_value, "--image - can be given once.", ""};
    if (from_stdin == 0) return Done{};
    if (o.messages == "-")
        return contradiction("--image -", "--messages -", "only one of them can come from stdin");
    if (!o.question)
        return missing("--image -", "the question on the command line, since stdin is the picture");
    return Done{};
}

Status check_messages(const Options& o) {
    if (o.messages.empty()) return Done{};
    if (!o.system.empty())
        return contradiction("--messages", "--system", "put the system message into the file");
    if (o.question) return Done{};
    if (!o.images.empty())
        return contradiction("--messages", "--image",
                             "a picture belongs into the file, or to a question that is given too");
    if (!o.video_frames.empty())
        return contradiction("--messages", "--video-frames",
                             "a clip belongs into the file, or to a question that is given too");
    return Done{};
}

Status check_texts(const Options& o) {
    const std::pair<const char*, const std::string*> texts[] = {
        {"The question", o.question ? &*o.question : nullptr},
        {"--system", &o.system},
        {"--prefill", &o.prefill}};
    for (const auto& [name, text] : texts)
        if (text && !is_utf8(*text))
            return Error{ErrorCode::invalid_utf8, std::string(name) + " is not valid UTF-8.", ""};
    if (o.question && o.question->find_first_not_of(" \t\r\n") == std::string::npos)
        return Error{ErrorCode::invalid_value, "The question is empty: say what to ask.", ""};
    for (const std::string& stop : o.sampling.stop)
        if (stop.empty())
            return Error{ErrorCode::invalid_value, "--stop must not be empty.", "stop"};
    return Done{};
}

}  // namespace

void add_run(CLI::App& app, Options& o) {
    CLI::App* run = app.add_subcommand("run", "ask a question; without one, hold a conversation");
    run->footer(kFooter);
    add_model(run, o);
    add_asking(run, o);
    add_pictures(run, o);
    add_sampling(run, o);
    add_output(run, o);
    add_whole<int64_t>(run, "--max-context", o.max_context, 0, int64_t{1} << 30,
                       "tokens of prompt and answer; 0: the model's, or what memory holds")
        ->group("The machine");
    add_execution(run, o);
}

Status check_run(Options& o) {
    if (o.question && o.question_flag)
        return contradiction("--question", quote(*o.question), "ask one question");
    if (o.question_flag) o.question = std::move(o.question_flag);
    // A lone word that is no folder is the question, or a mistake.
    if (!o.model.empty() && !o.question && !is_folder(o.model)) {
        if (looks_like_path(o.model))
            return Error{
                ErrorCode::invalid_value,
                fmt::format("{} is no folder of a checkpoint: mend the path, or ask it as a "
                            "question with --question.",
                            quote(o.model)),
                ""};
        o.question = std::exchange(o.model, "");
    }
    for (const auto& check : {check_media_flags, check_stdin, check_messages, check_texts})
        if (Status status = check(o); !status) return status;
    return Done{};
}

}  // namespace saker
