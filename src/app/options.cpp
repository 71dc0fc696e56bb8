// The table of commands and flags.
#include "app/options.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/commands.h"

namespace saker {
namespace {

const char* const kDefaultModel = "models/demo";

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

CLI::Validator not_negative() {
    return number_that([](double n) { return n >= 0; }, "must not be negative");
}

CLI::Validator positive() {
    return number_that([](double n) { return n > 0; }, "must be above 0");
}

void add_model(CLI::App* app, Options& o) {
    CLI::Option* model = app->add_option("model", o.model, "folder of a checkpoint");
    if (is_folder(kDefaultModel))
        o.model = kDefaultModel;
    else
        model->required();
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
    app->add_option("--max-tokens", o.max_tokens, "of the answer; 0: as many as the context holds")
        ->check(not_negative());
    app->add_option("--stop", o.stop, "end the answer before this text; may be given several times")
        ->allow_extra_args(false);
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
        ->check(not_negative());
    run->add_option("--resample", o.resample, "whose bicubic: torch (the reference's) or pillow")
        ->check(CLI::IsMember({"torch", "pillow"}))
        ->capture_default_str();
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

    CLI::App* eval =
        app.add_subcommand("eval", "ask a set of questions and print the accuracy by kind");
    add_model(eval, o);
    eval->add_option(
            "--set", o.set,
            "a set of examples/eval, or the path of NAME.jsonl and NAME.pack without its ending")
        ->capture_default_str();
    eval->add_option("--n", o.n, "ask this many, spread over the set; 0: all")
        ->check(not_negative())
        ->capture_default_str();
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
    // With a default model, `saker run "question"` needs no folder: a lone word that is none is the
    // question.
    if (options.command == "run" && options.question.empty() && !is_folder(options.model) &&
        is_folder(kDefaultModel)) {
        options.question = options.model;
        options.model = kDefaultModel;
    }
    return options;
}

}  // namespace saker
