// What a checkpoint's generation_config.json says about ending and sampling: the defaults of each
// request.
//
// Every key of the file is honoured, known to change nothing, or refused: serve/generation_keys.h.
// Where the file is honoured it does what transformers' generate does with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ask/sampling.h"
#include "base/ids.h"
#include "base/result.h"

namespace saker {

/// Whether a request's defaults are the file's (`--generation-config auto`), or only the end tokens
/// are, and answers greedy (`none`).
enum class GenerationDefaults { from_file, none };

struct GenerationConfig {
    std::vector<TokenId> eos_tokens;
    Sampling sampling;  // greedy where the file does not say do_sample; its lengths are 0
    std::vector<std::string> stop_strings;  // none empty
    std::optional<int64_t> max_new_tokens, min_new_tokens;
    std::optional<int64_t> max_length, min_length;  // of prompt and answer together

    /// Reads generation_config.json of a model folder; without the file, the same keys of
    /// config.json and its text_config, as transformers does. A file without end tokens takes those
    /// of config.json. Throws StartupError: a key that is not known or not done, an id
    /// outside the vocabulary, a value of the wrong type or out of its range.
    static GenerationConfig load(const std::filesystem::path& model_folder, int64_t vocab_size,
                                 GenerationDefaults defaults = GenerationDefaults::from_file);

    /// `asked` with the lengths that it leaves open (0). The file's limit gives way to what the
    /// context holds, its least length to the limit. An Error where max_length leaves no room.
    Result<Sampling> fit_to_prompt(Sampling asked, int64_t prompt_tokens,
                                   int64_t max_context) const;
    /// `asked` and the file's own stop strings.
    std::vector<std::string> stops_with(std::vector<std::string> asked) const;
};

}  // namespace saker
