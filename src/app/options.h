// Options: the command line, parsed once, const afterwards. One struct, one table (options.cpp).
//
// To add a flag: a member here and a row there. A flag that has no effect on a command is not a
// flag of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace saker {

/// What was asked of sampling and of the end of an answer: by flags, or by a file of messages. What
/// is not set is the model's own.
struct SamplingWishes {
    std::optional<double> temperature, top_p, min_p;
    std::optional<double> repetition_penalty, presence_penalty, frequency_penalty;
    std::optional<int64_t> top_k;  // -1 and 0: off
    std::optional<uint64_t> seed;
    std::optional<int64_t> max_tokens;  // 0: as many as the context holds
    std::optional<int64_t> logprobs;    // likeliest tokens to report with each of the answer
    std::vector<std::string> stop;
};

struct Options {
    std::string command;

    // Every command that loads a model.
    std::string model;
    std::string backend = "cpu";
    std::string compute = "bf16";
    int threads = 0;
    int64_t max_context = 0;  // 0: the model's, shortened to what memory holds

    // run, render: a .jinja file, or one of the built-in templates; empty: the checkpoint's own
    std::string chat_template;

    // run, eval
    std::string generation_config = "auto";  // or none

    // run
    std::optional<std::string> question;  // a word of the command line, or --question
    std::optional<std::string> question_flag;
    std::vector<std::string> images;
    std::vector<std::string> video_frames;
    std::vector<double> fps;  // one for all of video_frames, or one each
    std::string messages;     // a JSON file
    std::string system, prefill;
    SamplingWishes sampling;
    int64_t max_image_pixels = 200'000'000;         // of a picture file
    std::optional<int64_t> min_pixels, max_pixels;  // in place of the processor's
    std::string resample = "torch";
    bool stats = false;

    // verify
    std::vector<std::string> cases;
    bool video_outer_pair = false;
    std::string rope = "auto";
    int64_t chunk = 512;
    bool together = false;

    // tokenize
    std::string tokenizer;

    // render
    std::string request;

    // inspect
    int64_t context = 32768;
    bool check_finite = false;

    // eval
    std::string set = "demo";
    int64_t n = 0;  // questions; 0: all
    bool show_wrong = false;

    // run, eval
    bool json = false;

    // synth
    std::string config, out;
    int64_t shard_mb = 4096;
    double scale = 0.02;
    std::optional<uint64_t> seed;
};

/// Where a file or folder of the repository lies: in the working folder, or else in the tree that
/// the program was built in (two folders above its own). Where neither holds it, `path` itself.
std::string shipped(const std::string& path);

/// Whether the command line asks for JSON, before it is parsed: what is wrong with the rest of it
/// is then told as JSON too.
bool asks_for_json(int argc, const char* const* argv);

/// Parses; prints help or what is wrong and sets `exit_code` where the program is to end at once.
std::optional<Options> parse_options(int argc, const char* const* argv, int* exit_code);

}  // namespace saker
