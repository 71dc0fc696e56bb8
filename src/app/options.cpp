// The table of commands and flags.
#include "app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <utility>

#include "app/commands.h"
#include "app/model_choice.h"

namespace saker {
namespace {

bool is_folder(const std::string& path) {
    std::error_code ignored;  // a path that cannot be looked at is none
    return std::filesystem::is_directory(path, ignored);
}

// Unlike those of CLI11, these refuse a NaN and say their rule in a few words.
CLI::Validator number_that(bool (*holds)(double), const char* rule) {
    return CLI::Validator(
        [=](std::string& text) {
            double number = 0;
            const bool good = CLI::detail::lexical_cast(text, number) && holds(number);
            return good ? std::string() : std::string(rule);
        },
        "");
}

// CLI11 alone would read 1e3 and 0x3, and wrap what is too large.
CLI::Validator whole_number() {
    return CLI::Validator(
        [](std::string& text) {
            int64_t number = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, number);
            const bool good = read.ec == std::errc() && read.ptr == end && number >= 0;
            return std::string(good ? "" : "must be a whole number, 0 or more");
        },
        "");
}

CLI::Validator positive() {
    return number_that([](double n) { return n > 0; }, "must be above 0");
}

void add_model(CLI::App* app, Options& o) {
    app->add_option("model", o.model, "folder of a checkpoint; default: models/demo");
}

// `run`, `inspect` and `eval` take the model that ships where none is named. Says what is wrong, or
// nothing.
std::string choose_model(Options& o) {
    const std::string ours = shipped("models/demo");
    if (o.model.empty()) {
        if (!is_folder(ours)) return "No model is named, and there is no models/demo to take.";
        o.model = ours;
    } else if (o.command == "run" && o.question.empty() && !is_folder(o.model)) {
        // A lone word that is no folder is the question.
        if (!is_folder(ours))
            return o.model + " is no folder of a checkpoint, and there is no models/demo to ask.";
        o.question = std::exchange(o.model, ours);
    }
    return {};
}

void add_execution(CLI::App* app, Options& o) {
    app->add_option("--backend", o.backend, "ref (slow, the truth), cpu or cuda")
        ->check(CLI::IsMember({"ref", "cpu", "cuda"}))
        ->capture_default_str();
    app->add_option("--compute", o.compute, "dtype of activations and KV cache: bf16 or f32")
        ->check(CLI::IsMember({"bf16", "f32"}))
        ->capture_default_str();
    app->add_option("--threads", o.threads, "threads of the cpu backend; 0: one a core")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
}

void add_sampling(CLI::App* app, Options& o) {
    app->add_option("--temperature", o.temperature, "0: greedy; default: the model's");
    app->add_option("--top-k", o.top_k, "0: off");
    app->add_option("--top-p", o.top_p, "above 0, at most 1");
    app->add_option("--min-p", o.min_p, "0: off");
    app->add_option("--repetition-penalty", o.repetition_penalty, "over prompt and answer; 1: off");
    app->add_option("--presence-penalty", o.presence_penalty, "over the answer; 0: off");
    app->add_option("--frequency-penalty", o.frequency_penalty, "over the answer; 0: off");
    app->add_option("--seed", o.seed, "the same seed gives the same answer");
    app->add_option("--max-tokens", o.max_tokens,
                    "of the answer; 0: the model's limit, or as many as the context holds")
        ->check(whole_number());
    app->add_option("--stop", o.stop, "end the answer before this text; may be given several times")
        ->allow_extra_args(false);
}

void add_generation_config(CLI::App* app, Options& o) {
    app->add_option("--generation-config", o.generation_config,
                    "auto: defaults are those of the model's generation_config.json; none: of that "
                    "file only the end tokens count")
        ->check(CLI::IsMember({"auto", "none"}))
        ->capture_default_str();
}

void add_run(CLI::App& app, Options& o) {
    CLI::App* run = app.add_subcommand("run", "ask a question; without one, hold a conversation");
    add_model(run, o);
    run->add_option("question", o.question, "what to ask");
    run->add_option("--image", o.images, "a picture to ask about; may be given several times")
        ->allow_extra_args(false);
    CLI::Option* frames = run->add_option("--video-frames", o.video_frames,
                                          "a folder of pictures, the frames of a clip");
    CLI::Option* fps = run->add_option("--fps", o.fps, "frames a second of --video-frames")
                           ->check(number_that([](double n) { return n >= 1e-3 && n <= 1e3; },
                                               "must be from 0.001 to 1000"));
    frames->needs(fps);
    fps->needs(frames);
    run->add_option("--system", o.system, "system message");
    run->add_flag("--stats", o.stats, "print the time of each phase");
    run->add_option("--max-context", o.max_context,
                    "tokens of prompt and answer; 0: the model's, or what memory holds")
        ->check(whole_number());
    run->add_option("--resample", o.resample, "whose bicubic: torch (the reference's) or pillow")
        ->check(CLI::IsMember({"torch", "pillow"}))
        ->capture_default_str();
    add_generation_config(run, o);
    add_sampling(run, o);
    add_execution(run, o);
}

void add_verify(CLI::App& app, Options& o) {
    CLI::App* verify = app.add_subcommand(
        "verify",
        "compare every stage with a reference case (tools/export_reference.py makes them)");
    verify->add_option("model", o.model, "folder of a checkpoint")->required();
    verify->add_option("cases", o.cases, "folders of reference cases")->required();
    verify->add_flag("--video-outer-pair", o.video_outer_pair,
                     "keep vision_start and vision_end around a video, as transformers 5.10 does");
    verify
        ->add_option(
            "--rope", o.rope,
            "rotary frequencies of the reference: f32 (as from_pretrained makes them), bf16 "
            "(a model that was cast with .to(bfloat16)), or auto: f32, then bf16")
        ->check(CLI::IsMember({"auto", "f32", "bf16"}))
        ->capture_default_str();
    verify->add_option("--chunk", o.chunk, "prompt tokens in one step")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    verify->add_flag("--together", o.together, "run all cases in one batch");
    add_execution(verify, o);
}

void add_others(CLI::App& app, Options& o) {
    CLI::App* tokenize = app.add_subcommand(
        "tokenize", "JSON lines {\"text\": ...} from stdin to {\"ids\": [...], \"text\": ...}");
    tokenize->add_option("--tokenizer", o.tokenizer, "a tokenizer.json")->required();

    CLI::App* render =
        app.add_subcommand("render", "print prompt text and ids of an OpenAI-style chat request");
    render->add_option("model", o.model, "folder of a checkpoint")->required();
    render->add_option("request", o.request, "a JSON file; - for stdin")->required();

    CLI::App* inspect =
        app.add_subcommand("inspect", "what a checkpoint holds and what memory it needs");
    add_model(inspect, o);
    inspect->add_option("--context", o.context, "tokens of context to plan for")
        ->check(positive())
        ->capture_default_str();
    inspect->add_option("--compute", o.compute, "dtype of activations and KV cache: bf16 or f32")
        ->check(CLI::IsMember({"bf16", "f32"}))
        ->capture_default_str();
    inspect->add_flag("--check-finite", o.check_finite,
                      "read all weights and name the tensors that hold a NaN or an infinity");

    CLI::App* eval =
        app.add_subcommand("eval", "ask a set of questions and print the accuracy by kind");
    add_model(eval, o);
    eval->add_option(
            "--set", o.set,
            "a set of examples/eval, or the path of NAME.jsonl, beside which NAME.pack lies")
        ->capture_default_str();
    eval->add_option("--max-context", o.max_context,
                     "tokens of prompt and answer; 0: 2048, or the model's where that is less")
        ->check(whole_number());
    eval->add_option("--n", o.n, "ask this many, spread over the set; 0: all")
        ->check(whole_number())
        ->capture_default_str();
    add_generation_config(eval, o);
    eval->add_flag("--json", o.json, "print JSON");
    eval->add_flag("--show-wrong", o.show_wrong, "print each wrong answer to stderr");
    add_execution(eval, o);

    CLI::App* synth = app.add_subcommand("synth", "write a checkpoint of random weights");
    synth
        ->add_option("config", o.config,
                     "a config.json; tokenizer and processor files beside it are "
                     "copied")
        ->required();
    synth->add_option("out", o.out, "folder to write; must not hold a checkpoint")->required();
    synth->add_option("--seed", o.seed, "of the weights");
    synth->add_option("--scale", o.scale, "deviation of the weights")
        ->check(number_that([](double n) { return n > 0 && n <= 1e3; },
                            "must be above 0 and at most 1000"))
        ->capture_default_str();
    synth->add_option("--shard-mb", o.shard_mb, "size of a weight file")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv, int* exit_code) {
    Options options;
    CLI::App app("Saker: an inference server for Qwen3-VL.", "saker");
    app.set_version_flag("--version", std::string("saker ") + version());
    app.require_subcommand(1);
    app.failure_message([](const CLI::App*, const CLI::Error& e) {
        return std::string("saker: ") + e.what() + "; see saker --help.\n";
    });
    add_run(app, options);
    add_verify(app, options);
    add_others(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        *exit_code = app.exit(e) == 0 ? 0 : 2;
        return std::nullopt;
    }
    options.command = app.get_subcommands().at(0)->get_name();
    resolve_model(options);
    if (options.command == "run" || options.command == "inspect" || options.command == "eval") {
        const std::string fault = choose_model(options);
        if (!fault.empty()) {
            fmt::print(stderr, "saker: {}\n", fault);
            *exit_code = 2;
            return std::nullopt;
        }
    }
    return options;
}

std::string shipped(const std::string& path) {
    std::error_code ignored;  // what cannot be looked at is not there
    if (std::filesystem::exists(path, ignored)) return path;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto beside = program.parent_path().parent_path().parent_path() / path;
    return std::filesystem::exists(beside, ignored) ? beside.string() : path;
}

}  // namespace saker
