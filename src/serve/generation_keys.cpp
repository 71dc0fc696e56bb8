// One row a key: what becomes of it, which values ask for nothing, and what its value must be.
#include "serve/generation_keys.h"

#include <array>
#include <cstdint>
#include <iterator>

namespace saker {
namespace {

enum class Holds { boolean, integer, integers, number, text, object, anything };

struct Setting {
    KnownKey key;
    Holds holds;
    bool sampling_only = false;  // without do_sample nothing reads it
};

constexpr KeyUse kHonoured = KeyUse::honoured, kHarmless = KeyUse::harmless,
                 kRefused = KeyUse::refused;

constexpr std::string_view kBeams = "of beam search alone";
constexpr std::string_view kLossless = "speculation without loss: the same tokens";
constexpr std::string_view kCache = "how keys and values are kept";
constexpr std::string_view kOutputs = "what else generate returns";

// As transformers' documentation groups them.
constexpr Setting kSettings[] = {
    // How long an answer is.
    {{"max_new_tokens", kHonoured, "[]", "where the request has no limit"}, Holds::integer},
    {{"max_length", kHonoured, "[]", "likewise, prompt included; max_new_tokens goes first"},
     Holds::integer},
    {{"min_new_tokens", kHonoured}, Holds::integer},
    {{"min_length", kHonoured, "[]", "prompt included; min_new_tokens goes first"}, Holds::integer},
    {{"stop_strings", kHonoured, "[]", "cut off the answer, as --stop"}, Holds::anything},
    {{"eos_token_id", kHonoured, "[]", "else that of config.json"}, Holds::integers},
    {{"max_time", kRefused, "[]", "a limit in seconds"}, Holds::number},
    {{"forced_eos_token_id", kRefused, "[]", "a forced last token"}, Holds::integers},
    {{"forced_bos_token_id", kRefused, "[]", "a forced first token"}, Holds::integer},
    {{"forced_decoder_ids", kRefused, "[[]]", "forced tokens"}, Holds::anything},
    {{"exponential_decay_length_penalty", kRefused, "[]", "likelier ends with length"},
     Holds::anything},

    // How tokens are chosen.
    {{"do_sample", kHonoured, "[]", "false or absent: greedy"}, Holds::boolean},
    {{"temperature", kHonoured, "[]", "from 0 to 2; 0: greedy"}, Holds::number},
    {{"top_k", kHonoured, "[]", "0 and -1: off; absent: 50"}, Holds::integer},
    {{"top_p", kHonoured}, Holds::number},
    {{"min_p", kHonoured}, Holds::number},
    {{"top_h", kRefused, "[]", "sampling within a budget of entropy"}, Holds::number, true},
    {{"typical_p", kRefused, "[1]", "locally typical sampling"}, Holds::number, true},
    {{"epsilon_cutoff", kRefused, "[0]", "a least probability"}, Holds::number, true},
    {{"eta_cutoff", kRefused, "[0]", "a least probability by entropy"}, Holds::number, true},
    {{"num_beams", kRefused, "[1]", "beam search"}, Holds::integer},
    {{"num_beam_groups", kHarmless, "[]", kBeams}, Holds::integer},
    {{"diversity_penalty", kHarmless, "[]", kBeams}, Holds::number},
    {{"length_penalty", kHarmless, "[]", kBeams}, Holds::number},
    {{"early_stopping", kHarmless, "[]", kBeams}, Holds::anything},
    {{"constraints", kRefused, "[]", "constrained beam search"}, Holds::anything},
    {{"force_words_ids", kRefused, "[]", "constrained beam search"}, Holds::anything},
    {{"penalty_alpha", kRefused, "[0]", "contrastive search"}, Holds::number},
    {{"low_memory", kHarmless, "[]", "of contrastive search alone"}, Holds::boolean},
    {{"dola_layers", kRefused, "[]", "decoding by contrasting layers"}, Holds::anything},

    // What is added to logits.
    {{"repetition_penalty", kHonoured, "[]", "over prompt and answer"}, Holds::number},
    {{"presence_penalty", kHonoured, "[]", "vLLM's, over the answer"}, Holds::number},
    {{"frequency_penalty", kHonoured, "[]", "vLLM's, over the answer"}, Holds::number},
    {{"no_repeat_ngram_size", kHonoured, "[]", "over prompt and answer"}, Holds::integer},
    {{"bad_words_ids", kHonoured}, Holds::anything},
    {{"suppress_tokens", kHonoured}, Holds::integers},
    {{"begin_suppress_tokens", kHonoured}, Holds::integers},
    {{"sequence_bias", kRefused, "[]", "biases of token sequences"}, Holds::anything},
    {{"encoder_repetition_penalty", kRefused, "[1]", "a reward for tokens of the prompt"},
     Holds::number},
    {{"encoder_no_repeat_ngram_size", kRefused, "[0]", "no run of tokens of the prompt"},
     Holds::integer},
    {{"guidance_scale", kRefused, "[1]", "classifier-free guidance"}, Holds::number},
    {{"watermarking_config", kRefused, "[]", "a watermark"}, Holds::object},
    {{"renormalize_logits", kHarmless, "[]", "the same tokens"}, Holds::boolean},
    {{"remove_invalid_values", kHarmless, "[]", "logits that are not numbers end the answer"},
     Holds::boolean},
    {{"token_healing", kRefused, "[false]", "a prompt whose last token is chosen anew"},
     Holds::boolean},

    // Speculation.
    {{"num_assistant_tokens", kHarmless, "[]", kLossless}, Holds::integer},
    {{"num_assistant_tokens_schedule", kHarmless, "[]", kLossless}, Holds::text},
    {{"assistant_confidence_threshold", kHarmless, "[]", kLossless}, Holds::number},
    {{"assistant_early_exit", kHarmless, "[]", kLossless}, Holds::integer},
    {{"assistant_lookbehind", kHarmless, "[]", kLossless}, Holds::integer},
    {{"target_lookbehind", kHarmless, "[]", kLossless}, Holds::integer},
    {{"prompt_lookup_num_tokens", kHarmless, "[]", kLossless}, Holds::integer},
    {{"max_matching_ngram_size", kHarmless, "[]", kLossless}, Holds::integer},
    {{"speculation_type", kHarmless, "[]", kLossless}, Holds::text},
    {{"use_mtp", kHarmless, "[]", kLossless}, Holds::boolean},
    {{"assistant_ensemble_weight", kRefused, "[]", "a mixture of two models"}, Holds::number},
    {{"is_assistant", kRefused, "[false]", "a draft model, which stops when unsure"},
     Holds::boolean},

    // How transformers computes it.
    {{"use_cache", kHarmless, "[]", kCache}, Holds::boolean},
    {{"cache_implementation", kRefused,
      R"(["dynamic", "static", "offloaded", "offloaded_static", "sliding_window", "hybrid",
          "hybrid_chunked", "offloaded_hybrid", "offloaded_hybrid_chunked", "dynamic_full",
          "mamba", "paged"])",
      "a cache of quantised keys and values"},
     Holds::text},
    {{"cache_config", kHarmless, "[]", kCache}, Holds::object},
    {{"max_cache_len", kHarmless, "[]", kCache}, Holds::integer},
    {{"return_legacy_cache", kHarmless, "[]", kOutputs}, Holds::boolean},
    {{"prefill_chunk_size", kHarmless, "[]", "speed"}, Holds::integer},
    {{"compile_config", kHarmless, "[]", "speed"}, Holds::object},
    {{"disable_compile", kHarmless, "[]", "speed"}, Holds::boolean},
    {{"continuous_batching_config", kHarmless, "[]", "speed"}, Holds::object},

    // What transformers returns beside the tokens.
    {{"num_return_sequences", kRefused, "[1]", "several answers to one question"}, Holds::integer},
    {{"output_attentions", kHarmless, "[]", kOutputs}, Holds::boolean},
    {{"output_hidden_states", kHarmless, "[]", kOutputs}, Holds::boolean},
    {{"output_scores", kHarmless, "[]", kOutputs}, Holds::boolean},
    {{"output_logits", kHarmless, "[]", kOutputs}, Holds::boolean},
    {{"return_dict_in_generate", kHarmless, "[]", kOutputs}, Holds::boolean},

    // Tokens that an answer of this family does not use, and notes of whoever wrote the file.
    {{"pad_token_id", kHarmless, "[]", "nothing is padded"}, Holds::integer},
    {{"bos_token_id", kHarmless, "[]", "never put before a prompt"}, Holds::integers},
    {{"decoder_start_token_id", kHarmless, "[]", "of encoder-decoder models"}, Holds::integers},
    {{"generation_kwargs", kRefused, "[{}]", "arguments for code of its own"}, Holds::object},
    {{"transformers_version", kHarmless, "[]", "a note"}, Holds::text},
    {{"_from_model_config", kHarmless, "[]", "a note"}, Holds::boolean},
    {{"_commit_hash", kHarmless, "[]", "a note"}, Holds::text},
};

constexpr auto kKeys = [] {
    std::array<KnownKey, std::size(kSettings)> keys;
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = kSettings[i].key;
    return keys;
}();

void check_type(const JsonReader& reader, const Setting& setting) {
    const std::string_view key = setting.key.name;
    if (!reader.has(key)) return;
    constexpr int64_t kLow = INT64_MIN, kHigh = INT64_MAX;
    switch (setting.holds) {
        case Holds::boolean:
            reader.boolean_or(key, false);
            break;
        case Holds::integers:
            if (reader.value(key).is_array()) {
                reader.integers(key);
                break;
            }
            [[fallthrough]];
        case Holds::integer:
            reader.integer(key, kLow, kHigh);
            break;
        case Holds::number:
            reader.number(key);
            break;
        case Holds::text:
            reader.string(key);
            break;
        case Holds::object:
            reader.object(key);
            break;
        case Holds::anything:
            break;
    }
}

}  // namespace

KeyTable generation_keys() {
    return {"generation_config.json", "", UnknownKeys::refuse, kKeys};
}

void check_generation_keys(const json::object& file, const std::string& path, bool do_sample) {
    json::object asks = file;
    for (const Setting& setting : kSettings) {
        check_type(JsonReader(file, path), setting);
        if (setting.sampling_only && !do_sample) asks.erase(setting.key.name);
    }
    try {
        check_keys(JsonReader(asks, path), generation_keys());
    } catch (const StartupError& e) {
        std::string message = e.what();
        if (message.ends_with('.')) message.pop_back();
        throw StartupError(message +
                           "; --generation-config none leaves the file's settings aside.");
    }
}

}  // namespace saker
