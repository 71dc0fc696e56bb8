// eos_token_id may be one number or a list; Hugging Face samples only where do_sample is true.
#include "serve/generation_config.h"

#include <algorithm>

#include "json/json.h"
#include "serve/generation_keys.h"

namespace saker {
namespace {

constexpr size_t kMaxStopStrings = 1024;  // each is looked for in every byte of the answer

std::vector<TokenId> to_ids(const JsonReader& reader, std::string_view key,
                            const std::vector<int64_t>& values, int64_t vocab_size) {
    std::vector<TokenId> out;
    for (int64_t value : values) {
        if (value < 0 || value >= vocab_size)
            reader.fail(key,
                        "holds " + std::to_string(value) + ", which is outside the vocabulary");
        out.emplace_back(static_cast<int32_t>(value));
    }
    return out;
}

// One id or a list of them; nothing where the key is absent.
std::vector<TokenId> read_ids(const JsonReader& reader, std::string_view key, int64_t vocab_size) {
    if (!reader.has(key)) return {};
    if (reader.value(key).is_array()) return to_ids(reader, key, reader.integers(key), vocab_size);
    return to_ids(reader, key, {reader.integer(key, INT64_MIN, INT64_MAX)}, vocab_size);
}

std::vector<std::vector<TokenId>> read_bad_words(const JsonReader& reader, int64_t vocab_size) {
    constexpr std::string_view kKey = "bad_words_ids";
    std::vector<std::vector<TokenId>> out;
    if (!reader.has(kKey)) return out;
    const json::value& words = reader.value(kKey);
    if (!words.is_array() || words.get_array().empty())
        reader.fail(kKey, "is not a list of lists of token ids");
    for (const json::value& word : words.get_array()) {
        std::vector<int64_t> values;
        if (!word.is_array() || word.get_array().empty())
            reader.fail(kKey, "has an item that is not a list of token ids");
        for (const json::value& id : word.get_array()) {
            if (!id.is_int64()) reader.fail(kKey, "has an id that is not an integer");
            values.push_back(id.get_int64());
        }
        out.push_back(to_ids(reader, kKey, values, vocab_size));
    }
    return out;
}

std::vector<std::string> read_stop_strings(const JsonReader& reader) {
    constexpr std::string_view kKey = "stop_strings";
    std::vector<std::string> out;
    if (!reader.has(kKey)) return out;
    const json::value& value = reader.value(kKey);
    const json::array items = value.is_array() ? value.get_array() : json::array{value};
    if (items.size() > kMaxStopStrings)
        reader.fail(kKey, "holds more than " + std::to_string(kMaxStopStrings) + " strings");
    for (const json::value& item : items) {
        if (!item.is_string()) reader.fail(kKey, "is not a string or a list of strings");
        out.emplace_back(item.get_string().data(), item.get_string().size());
        if (out.back().empty()) reader.fail(kKey, "holds an empty string");
    }
    return out;
}

std::optional<int64_t> read_length(const JsonReader& reader, std::string_view key, int64_t low) {
    if (!reader.has(key)) return std::nullopt;
    return reader.integer(key, low, INT64_MAX);
}

Sampling read_sampling(const JsonReader& reader, int64_t vocab_size) {
    const auto number = [&](const char* key, float fallback) {
        return static_cast<float>(reader.number_or(key, fallback));
    };
    Sampling s;
    s.temperature = 0;
    if (reader.boolean_or("do_sample", false)) {
        s.temperature = number("temperature", 1.0f);
        s.top_k = static_cast<int32_t>(
            std::max<int64_t>(0, reader.integer_or("top_k", 50, -1, INT32_MAX)));
        s.top_p = number("top_p", 1.0f);
        s.min_p = number("min_p", 0.0f);
    }
    s.repetition_penalty = number("repetition_penalty", 1.0f);
    s.presence_penalty = number("presence_penalty", 0.0f);
    s.frequency_penalty = number("frequency_penalty", 0.0f);
    s.no_repeat_ngram_size =
        static_cast<int32_t>(reader.integer_or("no_repeat_ngram_size", 0, 0, INT32_MAX));
    s.suppress_tokens = read_ids(reader, "suppress_tokens", vocab_size);
    s.begin_suppress_tokens = read_ids(reader, "begin_suppress_tokens", vocab_size);
    s.bad_words = read_bad_words(reader, vocab_size);
    if (auto status = s.validate(); !status)
        reader.fail(status.error().param, "is out of range: " + status.error().message);
    return s;
}

// The settings that stand in a config.json, its own before those of its text_config: what
// transformers takes where there is no generation_config.json.
json::object settings_in(const JsonReader& model) {
    json::object out;
    const auto take = [&](const JsonReader& from) {
        for (const KnownKey& key : generation_keys().keys)
            if (from.has(key.name) && !out.contains(key.name)) out[key.name] = from.value(key.name);
    };
    take(model);
    if (model.has("text_config")) take(model.object("text_config"));
    return out;
}

void read_settings(GenerationConfig& config, const JsonReader& reader, int64_t vocab_size) {
    check_generation_keys(reader.members(), reader.where(), reader.boolean_or("do_sample", false));
    config.sampling = read_sampling(reader, vocab_size);
    config.stop_strings = read_stop_strings(reader);
    config.max_new_tokens = read_length(reader, "max_new_tokens", 1);
    config.max_length = read_length(reader, "max_length", 1);
    config.min_new_tokens = read_length(reader, "min_new_tokens", 0);
    config.min_length = read_length(reader, "min_length", 0);
}

}  // namespace

GenerationConfig GenerationConfig::load(const std::filesystem::path& model_folder,
                                        int64_t vocab_size, GenerationDefaults defaults) {
    GenerationConfig config;
    config.sampling.temperature = 0;
    const auto path = model_folder / "generation_config.json";
    // A dangling link is a broken checkpoint, not one without the file: reading it says so.
    if (std::filesystem::exists(path) || std::filesystem::is_symlink(path)) {
        const json::object file = read_json_file(path);
        const JsonReader reader(file, path.string());
        config.eos_tokens = read_ids(reader, "eos_token_id", vocab_size);
        if (defaults == GenerationDefaults::from_file) read_settings(config, reader, vocab_size);
        if (!config.eos_tokens.empty()) return config;
        defaults = GenerationDefaults::none;  // of config.json the end tokens alone
    }
    const auto config_json = model_folder / "config.json";
    const json::object model = read_json_file(config_json);
    const json::object settings = settings_in(JsonReader(model, config_json.string()));
    const JsonReader reader(settings, config_json.string());
    config.eos_tokens = read_ids(reader, "eos_token_id", vocab_size);
    if (defaults == GenerationDefaults::from_file) read_settings(config, reader, vocab_size);
    return config;
}

Result<Sampling> GenerationConfig::fit_to_prompt(Sampling asked, int64_t prompt_tokens,
                                                 int64_t max_context) const {
    if (asked.max_tokens == 0 && (max_new_tokens || max_length)) {
        const int64_t limit = max_new_tokens ? *max_new_tokens : *max_length - prompt_tokens;
        if (limit <= 0)
            return Error{ErrorCode::context_length_exceeded,
                         "The prompt has " + std::to_string(prompt_tokens) +
                             " tokens, and the model's own max_length allows " +
                             std::to_string(*max_length) +
                             " for prompt and answer: shorten it or set max_tokens.",
                         "max_tokens"};
        // Where the context has no room the engine says so.
        if (prompt_tokens < max_context)
            asked.max_tokens = std::min(limit, max_context - prompt_tokens);
    }
    if (asked.min_tokens == 0) {
        asked.min_tokens = min_new_tokens
                               ? *min_new_tokens
                               : std::max<int64_t>(0, min_length.value_or(0) - prompt_tokens);
        if (asked.max_tokens > 0) asked.min_tokens = std::min(asked.min_tokens, asked.max_tokens);
    }
    return asked;
}

std::vector<std::string> GenerationConfig::stops_with(std::vector<std::string> asked) const {
    asked.insert(asked.end(), stop_strings.begin(), stop_strings.end());
    return asked;
}

}  // namespace saker
