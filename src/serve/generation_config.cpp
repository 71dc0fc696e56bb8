// eos_token_id may be one number or a list; Hugging Face samples only where do_sample is true.
#include "serve/generation_config.h"

#include <algorithm>

#include "json/json.h"

namespace saker {
namespace {

std::vector<TokenId> read_eos(const JsonReader& reader, int64_t vocab_size) {
    std::vector<TokenId> out;
    if (!reader.has("eos_token_id")) return out;
    const std::vector<int64_t> ids =
        reader.value("eos_token_id").is_array()
            ? reader.integers("eos_token_id")
            : std::vector{reader.integer("eos_token_id", 0, vocab_size - 1)};
    for (int64_t id : ids) {
        if (id < 0 || id >= vocab_size) reader.fail("eos_token_id", "is outside the vocabulary");
        out.emplace_back(static_cast<int32_t>(id));
    }
    return out;
}

}  // namespace

GenerationConfig GenerationConfig::load(const std::filesystem::path& model_folder,
                                        int64_t vocab_size) {
    GenerationConfig config;
    config.sampling.temperature = 0;
    const auto path = model_folder / "generation_config.json";
    // A dangling link is a broken checkpoint, not one without the file: reading it says so.
    if (std::filesystem::exists(path) || std::filesystem::is_symlink(path)) {
        const json::object file = read_json_file(path);
        const JsonReader reader(file, path.string());
        config.eos_tokens = read_eos(reader, vocab_size);
        Sampling& s = config.sampling;
        const auto number = [&](const char* key, float fallback) {
            return static_cast<float>(reader.number_or(key, fallback));
        };
        s.repetition_penalty = number("repetition_penalty", 1.0f);
        s.presence_penalty = number("presence_penalty", 0.0f);
        if (reader.boolean_or("do_sample", false)) {
            s.temperature = number("temperature", 1.0f);
            s.top_k = static_cast<int32_t>(reader.integer_or("top_k", 50, 0, INT32_MAX));
            s.top_p = number("top_p", 1.0f);
            s.min_p = number("min_p", 0.0f);
        }
        if (auto status = s.validate(); !status)
            reader.fail(status.error().param, "is out of range: " + status.error().message);
    }
    if (config.eos_tokens.empty()) {
        const auto config_json = model_folder / "config.json";
        const json::object file = read_json_file(config_json);
        const JsonReader reader(file, config_json.string());
        config.eos_tokens = read_eos(reader, vocab_size);
        if (config.eos_tokens.empty() && reader.has("text_config"))
            config.eos_tokens = read_eos(reader.object("text_config"), vocab_size);
    }
    return config;
}

}  // namespace saker
