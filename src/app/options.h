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

struct Options {
    std::string command;

    // Every command that loads a model.
    std::string model;
    std::string backend = "cpu";
    std::string compute = "bf16";
    int threads = 0;
    int64_t max_context = 0;  // 0: the model's, shortened to what memory holds

    // run, eval
    std::string generation_config = "auto";  // or none

    // run
    std::vector<std::string> images;
    std::string video_frames;
    double fps = 0;
    std::string question;
    std::string system;
    bool stats = false;
    std::optional<double> temperature, top_p, min_p;
    std::optional<double> repetition_penalty, presence_penalty, frequency_penalty;
    std::optional<int64_t> top_k;
    std::optional<uint64_t> seed;
    int64_t max_tokens = 0;
    std::vector<std::string> stop;
    std::string resample = "torch";

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
    bool json = false, show_wrong = false;

    // synth
    std::string config, out;
    int64_t shard_mb = 4096;
    double scale = 0.02;
};

/// Where a file or folder of the repository lies: in the working folder, or else in the tree that
/// the program was built in (two folders above its own). Where neither holds it, `path` itself.
std::string shipped(const std::string& path);

/// Parses; prints help or what is wrong and sets `exit_code` where the program is to end at once.
std::optional<Options> parse_options(int argc, const char* const* argv, int* exit_code);

}  // namespace saker
