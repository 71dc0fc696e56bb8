// Which chat template a checkpoint brings, and the special tokens that it may name.
//
// Read once at start-up, in transformers' order: chat_template.jinja, else chat_template.json, else
// tokenizer_config.json. The last two hold one template, or a list of named ones.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/json.h"

namespace saker {

struct ChatTemplateFile {
    /// Where the templates are, for messages; empty where the folder has none.
    std::string name;
    std::string standard;  // of the name "default", or the only one
    std::optional<std::string> tool_use;
};

/// Throws StartupError where a file cannot be read, or has a list without a default.
ChatTemplateFile read_chat_template_file(const std::filesystem::path& model_folder);

/// The text of one template's own file. Throws StartupError.
std::string read_template(const std::filesystem::path& file);

/// Variables of every template: bos_token, eos_token and the rest that tokenizer_config.json names.
std::vector<std::pair<std::string, std::string>> read_special_tokens(
    const std::filesystem::path& model_folder);

}  // namespace saker
