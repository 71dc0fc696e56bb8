// What a checkpoint's generation_config.json says about ending and sampling: the defaults of each
// request.
#pragma once

#include <filesystem>
#include <vector>

#include "ask/sampling.h"
#include "base/ids.h"

namespace saker {

struct GenerationConfig {
    std::vector<TokenId> eos_tokens;
    Sampling sampling;  // greedy where the file does not say do_sample

    /// Reads generation_config.json of a model folder; without the file, the end token of
    /// config.json and greedy. Throws StartupError: an end token outside the vocabulary, a value
    /// out of its range.
    static GenerationConfig load(const std::filesystem::path& model_folder, int64_t vocab_size);
};

}  // namespace saker
