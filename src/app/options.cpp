// The table of commands and flags. Those of `run` are in run_options.cpp.
#include "app/options.h"

#include <algorithm>
#include <filesystem>

#include "app/commands.h"
#include "app/flags.h"
#include "app/model_choice.h"

namespace saker {
namespace {

// `run`, `inspect` and `eval` take the model that ships where none is named.
Status choose_model(Options& o) {
    if (!o.model.empty()) return Done{};
    o.model = shipped("models/demo");
    if (is_folder(o.model)) return Done{};
    return Error{ErrorCode::invalid_value,
                 "No model is named, and there is no models/demo to take.", ""};
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
    add_whole<int64_t>(verify, "--chunk", o.chunk, 1, 1 << 20, "prompt tokens in one step")
        ->default_str("512");
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
    add_chat_template(render, o);
    render->add_option("request", o.request, "a JSON file; - for stdin")->required();

    CLI::App* inspect =
        app.add_subcommand("inspect", "what a checkpoint holds and what memory it needs");
    add_model(inspect, o);
    add_whole<int64_t>(inspect, "--context", o.context, 1, int64_t{1} << 30,
                       "tokens of context to plan for")
        ->default_str("32768");
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
    add_whole<int64_t>(eval, "--max-context", o.max_context, 0, int64_t{1} << 30,
                       "tokens of prompt and answer; 0: 2048, or the model's where that is less");
    add_whole<int64_t>(eval, "--n", o.n, 0, int64_t{1} << 30,
                       "ask this many, spread over the set; 0: all")
        ->default_str("0");
    add_generation_config(eval, o);
    eval->add_flag("--json", o.json, "print JSON");
    eval->add_flag("--show-wrong", o.show_wrong, "print each wrong answer to stderr");
    add_execution(eval, o);

    app.add_subcommand(
        "compatibility",
        "print which keys, names and picture formats are read (docs/compatibility.md)");

    CLI::App* synth = app.add_subcommand("synth", "write a checkpoint of random weights");
    synth
        ->add_option("config", o.config,
                     "a config.json; tokenizer and processor files beside it are "
                     "copied")
        ->required();
    synth->add_option("out", o.out, "folder to write; must not hold a checkpoint")->required();
    add_whole<uint64_t>(synth, "--seed", o.seed, 0, UINT64_MAX, "of the weights");
    add_real(synth, "--scale", o.scale, {0, 1e3, true}, "deviation of the weights")
        ->default_str("0.02");
    add_whole<int64_t>(synth, "--shard-mb", o.shard_mb, 1, 1 << 20, "size of a weight file")
        ->default_str("4096");
}

// CLI11's sentence, as one of ours.
std::string sentence_of(const CLI::Error& error) {
    std::string sentence = error.what();
    while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == '\n'))
        sentence.pop_back();
    return sentence + "; see saker --help.";
}

// `--logprobs` alone is `--logprobs=0`, so that the question may follow it.
std::vector<std::string> with_values(int argc, const char* const* argv) {
    const auto is_number = [](std::string_view word) {
        if (word.starts_with('-')) word.remove_prefix(1);
        return !word.empty() && word[0] >= '0' && word[0] <= '9';
    };
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    for (size_t i = 0; i < words.size(); ++i)
        if (words[i] == "--logprobs" && !(i + 1 < words.size() && is_number(words[i + 1])))
            words[i] += "=0";
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    return words;
}

}  // namespace

bool is_folder(const std::string& path) {
    std::error_code ignored;  // a path that cannot be looked at is none
    return std::filesystem::is_directory(path, ignored);
}

void add_model(CLI::App* app, Options& o) {
    app->add_option("model", o.model, "folder of a checkpoint; default: models/demo");
}

void add_execution(CLI::App* app, Options& o) {
    constexpr char kGroup[] = "The machine";
    app->add_option("--backend", o.backend, "ref (slow, the truth), cpu or cuda")
        ->check(CLI::IsMember({"ref", "cpu", "cuda"}))
        ->capture_default_str()
        ->group(kGroup);
    app->add_option("--compute", o.compute, "dtype of activations and KV cache: bf16 or f32")
        ->check(CLI::IsMember({"bf16", "f32"}))
        ->capture_default_str()
        ->group(kGroup);
    add_whole<int>(app, "--threads", o.threads, 0, 1024,
                   "threads of the cpu backend; 0: one a core")
        ->default_str("0")
        ->group(kGroup);
}

void add_chat_template(CLI::App* app, Options& o) {
    app->add_option("--chat-template", o.chat_template,
                    "a .jinja file, or instruct or thinking, which are built in; default: the "
                    "model's own");
}

void add_generation_config(CLI::App* app, Options& o) {
    app->add_option("--generation-config", o.generation_config,
                    "auto: defaults are those of the model's generation_config.json; none: of that "
                    "file only the end tokens count")
        ->check(CLI::IsMember({"auto", "none"}))
        ->capture_default_str();
}

bool asks_for_json(int argc, const char* const* argv) {
    return std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
}

std::optional<Options> parse_options(int argc, const char* const* argv, int* exit_code) {
    Options options;
    CLI::App app("Saker: an inference server for Qwen3-VL.", "saker");
    app.set_version_flag("--version", std::string("saker ") + version());
    app.require_subcommand(1);
    add_run(app, options);
    add_verify(app, options);
    add_others(app, options);
    const auto refuse = [&](const Error& error) {
        *exit_code = report(error, asks_for_json(argc, argv));
        return std::nullopt;
    };
    if (argc > 2 && *argv[2] == '\0')
        return refuse({ErrorCode::invalid_value,
                       "The model's name is empty: a variable of the shell may not be set.", ""});
    try {
        app.parse(with_values(argc, argv));
    } catch (const CLI::Success& e) {  // help and version
        *exit_code = app.exit(e);
        return std::nullopt;
    } catch (const CLI::ParseError& e) {
        return refuse({ErrorCode::invalid_value, sentence_of(e), ""});
    }
    options.command = app.get_subcommands().at(0)->get_name();
    resolve_model(options);
    if (options.command == "run")
        if (Status status = check_run(options); !status) return refuse(status.error());
    if (options.command == "run" || options.command == "inspect" || options.command == "eval")
        if (Status status = choose_model(options); !status) return refuse(status.error());
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
