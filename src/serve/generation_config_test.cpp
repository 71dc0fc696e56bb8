// Which keys of generation_config.json are honoured, passed over or refused, and what is said of
// each fault. What the honoured ones do to an answer is compared with transformers in
// tests/sampling.
#include "serve/generation_config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/log.h"
#include "serve/generation_keys.h"

namespace saker {
namespace {

using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

class GenerationConfigTest : public testing::Test {
  protected:
    GenerationConfigTest() {
        std::filesystem::create_directories(folder_);
        write("config.json", R"({"text_config": {"eos_token_id": 7}})");
    }
    ~GenerationConfigTest() override { std::filesystem::remove_all(folder_); }

    void write(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }
    GenerationConfig load(const std::string& text,
                          GenerationDefaults defaults = GenerationDefaults::from_file) {
        write("generation_config.json", text);
        return GenerationConfig::load(folder_, 100, defaults);
    }
    // The message of the fault, without the folder; empty where there is none.
    std::string fault(const std::string& text) {
        try {
            load(text);
            return "";
        } catch (const StartupError& e) {
            const std::string message = e.what();
            EXPECT_EQ(message.rfind(folder_.string() + "/generation_config.json: ", 0), 0u)
                << message;
            EXPECT_EQ(message.find(".."), std::string::npos) << message;
            return message.substr(folder_.string().size() + 1);
        }
    }
    void expect_fault(const std::string& text, const std::string& part) {
        const std::string message = fault(text);
        EXPECT_NE(message.find(part), std::string::npos) << text << "\n" << message;
    }

    const std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("saker_generation_" + std::to_string(getpid()));
};

std::vector<TokenId> ids(std::initializer_list<int32_t> values) {
    std::vector<TokenId> out;
    for (int32_t value : values) out.emplace_back(value);
    return out;
}

TEST_F(GenerationConfigTest, WithoutTheFile) {
    const GenerationConfig config = GenerationConfig::load(folder_, 100);
    EXPECT_EQ(config.eos_tokens, ids({7})) << "of config.json";
    EXPECT_EQ(config.sampling.temperature, 0) << "transformers is greedy unless do_sample is true";
    EXPECT_FALSE(config.sampling.has_bans());
    EXPECT_FALSE(config.max_new_tokens);
}

// What transformers' from_pretrained makes of the same config.json.
TEST_F(GenerationConfigTest, WithoutTheFileSettingsOfConfigJsonCount) {
    const char* text = R"({"model_type": "x", "repetition_penalty": 1.5, "suppress_tokens": [93],
                           "text_config": {"eos_token_id": 7, "no_repeat_ngram_size": 2,
                                           "repetition_penalty": 1.25, "hidden_size": 64}})";
    write("config.json", text);
    const GenerationConfig config = GenerationConfig::load(folder_, 100);
    EXPECT_EQ(config.sampling.repetition_penalty, 1.5f);
    EXPECT_EQ(config.sampling.suppress_tokens, ids({93}));
    EXPECT_EQ(config.sampling.no_repeat_ngram_size, 2);
    EXPECT_EQ(config.eos_tokens, ids({7}));
    const GenerationConfig none = GenerationConfig::load(folder_, 100, GenerationDefaults::none);
    EXPECT_FALSE(none.sampling.has_bans());
    EXPECT_EQ(none.eos_tokens, ids({7}));
    const GenerationConfig beside = load(R"({"pad_token_id": 3})");
    EXPECT_FALSE(beside.sampling.has_bans()) << "beside the file they do not count";
    EXPECT_EQ(beside.eos_tokens, ids({7}));
    std::filesystem::remove(folder_ / "generation_config.json");
    write("config.json", R"({"text_config": {"num_beams": 4}})");
    EXPECT_THROW(GenerationConfig::load(folder_, 100), StartupError);
}

// The files of Qwen3-VL as they were released, their ids made to fit.
TEST_F(GenerationConfigTest, ReleasedFilesLoadWithoutAWord) {
    CaptureStderr();
    const GenerationConfig instruct = load(R"({
        "bos_token_id": 43, "pad_token_id": 43, "do_sample": true, "eos_token_id": [45, 43],
        "top_p": 0.8, "top_k": 20, "temperature": 0.7, "repetition_penalty": 1.0,
        "transformers_version": "4.56.0"})");
    const GenerationConfig thinking = load(R"({
        "bos_token_id": 43, "pad_token_id": 43, "do_sample": true, "eos_token_id": [45, 43],
        "top_p": 0.95, "top_k": 20, "temperature": 1.0, "transformers_version": "4.57.0.dev0"})");
    const GenerationConfig derived = load(R"({
        "_from_model_config": true, "eos_token_id": [12, 10], "output_attentions": false,
        "output_hidden_states": false, "pad_token_id": 10, "transformers_version": "5.17.0",
        "use_cache": true})");
    EXPECT_EQ(GetCapturedStderr(), "");
    EXPECT_EQ(instruct.eos_tokens, ids({45, 43}));
    EXPECT_FLOAT_EQ(instruct.sampling.temperature, 0.7f);
    EXPECT_FLOAT_EQ(instruct.sampling.top_p, 0.8f);
    EXPECT_EQ(instruct.sampling.top_k, 20);
    EXPECT_EQ(instruct.sampling.repetition_penalty, 1.0f);
    EXPECT_FLOAT_EQ(thinking.sampling.top_p, 0.95f);
    EXPECT_EQ(derived.sampling.temperature, 0);
}

TEST_F(GenerationConfigTest, EveryHonouredKeyArrives) {
    const GenerationConfig config = load(R"({
        "do_sample": true, "temperature": 0.5, "top_k": 3, "top_p": 0.25, "min_p": 0.125,
        "repetition_penalty": 1.5, "presence_penalty": 0.75, "frequency_penalty": -0.25,
        "max_new_tokens": 11, "max_length": 12, "min_new_tokens": 13, "min_length": 14,
        "suppress_tokens": [1, 2], "begin_suppress_tokens": [3], "bad_words_ids": [[4], [5, 6]],
        "no_repeat_ngram_size": 15, "stop_strings": ["a", "b"], "eos_token_id": 99})");
    const Sampling& s = config.sampling;
    EXPECT_EQ(s.temperature, 0.5f);
    EXPECT_EQ(s.top_k, 3);
    EXPECT_EQ(s.top_p, 0.25f);
    EXPECT_EQ(s.min_p, 0.125f);
    EXPECT_EQ(s.repetition_penalty, 1.5f);
    EXPECT_EQ(s.presence_penalty, 0.75f);
    EXPECT_EQ(s.frequency_penalty, -0.25f);
    EXPECT_EQ(config.max_new_tokens, 11);
    EXPECT_EQ(config.max_length, 12);
    EXPECT_EQ(config.min_new_tokens, 13);
    EXPECT_EQ(config.min_length, 14);
    EXPECT_EQ(s.suppress_tokens, ids({1, 2}));
    EXPECT_EQ(s.begin_suppress_tokens, ids({3}));
    EXPECT_EQ(s.bad_words, (std::vector{ids({4}), ids({5, 6})}));
    EXPECT_EQ(s.no_repeat_ngram_size, 15);
    EXPECT_EQ(config.stops_with({"c"}), (std::vector<std::string>{"c", "a", "b"}));
    EXPECT_EQ(config.eos_tokens, ids({99}));
    EXPECT_EQ(load(R"({"do_sample": true})").sampling.top_k, 50) << "transformers' default";
    EXPECT_EQ(load(R"({"do_sample": true, "top_k": -1})").sampling.top_k, 0) << "off, as in vLLM";
    EXPECT_EQ(load(R"({"stop_strings": "a"})").stop_strings, std::vector<std::string>{"a"});
}

TEST_F(GenerationConfigTest, UnknownKeysAreRefusedWithTheNearest) {
    expect_fault(R"({"supress_tokens": [1]})",
                 "generation_config.json: \"supress_tokens\" is not a key that Saker knows (did "
                 "you mean suppress_tokens?)");
    expect_fault(R"({"temprature": 0.7})", "did you mean temperature?");
    expect_fault(R"({"max_tokens": 7})", "did you mean max_new_tokens?");
    expect_fault(R"({"frobnicate": null})", "\"frobnicate\" is not a key that Saker knows");
    expect_fault(R"({"frobnicate": 1})",
                 "--generation-config none leaves the file's settings aside.");
}

TEST_F(GenerationConfigTest, WhatSakerDoesNotDoIsRefusedUnlessItAsksForNothing) {
    for (const char* asks : {R"("num_beams": 4)",
                             R"("penalty_alpha": 0.6)",
                             R"("guidance_scale": 1.5)",
                             R"("sequence_bias": [[[1], 2.0]])",
                             R"("exponential_decay_length_penalty": [5, 1.1])",
                             R"("forced_eos_token_id": 5)",
                             R"("forced_bos_token_id": 5)",
                             R"("encoder_repetition_penalty": 1.2)",
                             R"("encoder_no_repeat_ngram_size": 2)",
                             R"("watermarking_config": {})",
                             R"("num_return_sequences": 2)",
                             R"("max_time": 1.5)",
                             R"("token_healing": true)",
                             R"("cache_implementation": "quantized")",
                             R"("do_sample": true, "typical_p": 0.9)",
                             R"("do_sample": true, "top_h": 0.4)",
                             R"("do_sample": true, "epsilon_cutoff": 0.01)",
                             R"("do_sample": true, "eta_cutoff": 1)",
                             R"("dola_layers": "high")",
                             R"("constraints": [])",
                             R"("force_words_ids": [[1]])",
                             R"("is_assistant": true)",
                             R"("assistant_ensemble_weight": 0.5)"})
        expect_fault("{" + std::string(asks) + "}", "asks for something that Saker does not do");
    EXPECT_EQ(
        fault(R"({"num_beams": 1, "penalty_alpha": 0.0, "guidance_scale": 1, "do_sample": true,
                        "typical_p": 1.0, "top_h": null, "epsilon_cutoff": 0.0, "eta_cutoff": 0,
                        "encoder_repetition_penalty": 1.0, "encoder_no_repeat_ngram_size": 0,
                        "sequence_bias": null, "forced_eos_token_id": null,
                        "num_return_sequences": 1, "cache_implementation": "hybrid",
                        "token_healing": false, "is_assistant": false, "max_time": null})"),
        "");
}

// As transformers: without do_sample nothing reads them.
TEST_F(GenerationConfigTest, WithoutDoSampleWhatOnlySamplingReadsIsPassedOver) {
    const char* text = R"({"do_sample": false, "temperature": 0.7, "top_k": 20, "top_p": 0.0,
                           "min_p": 7, "typical_p": 0.5, "top_h": 0.5, "epsilon_cutoff": 0.1,
                           "eta_cutoff": 0.1})";
    EXPECT_EQ(load(text).sampling.temperature, 0);
    expect_fault(R"({"temperature": "rubbish"})", "temperature is not a number");
    expect_fault(R"({"typical_p": "rubbish"})", "typical_p is not a number");
    expect_fault(R"({"top_k": 2.5})", "top_k is not an integer");
}

TEST_F(GenerationConfigTest, TypesAndRanges) {
    expect_fault(R"({"do_sample": 1})", "do_sample is not true or false");
    expect_fault(R"({"use_cache": "yes"})", "use_cache is not true or false");
    expect_fault(R"({"transformers_version": 5})", "transformers_version is not a string");
    expect_fault(R"({"pad_token_id": [1]})", "pad_token_id is not an integer");
    expect_fault(R"({"suppress_tokens": [1.5]})", "suppress_tokens has an item that is not");
    expect_fault(R"({"suppress_tokens": [100]})", "suppress_tokens holds 100, which is outside");
    expect_fault(R"({"begin_suppress_tokens": [-1]})", "begin_suppress_tokens holds -1");
    expect_fault(R"({"bad_words_ids": [[100]]})", "bad_words_ids holds 100");
    for (const char* words : {"[]", "[[]]", "[1]", "[[true]]", "7", "{}", "[[1], \"a\"]"})
        expect_fault(R"({"bad_words_ids": )" + std::string(words) + "}", "bad_words_ids ");
    for (const char* stops : {"\"\"", "[\"a\", \"\"]", "[1]", "1", "{}"})
        expect_fault(R"({"stop_strings": )" + std::string(stops) + "}", "stop_strings ");
    expect_fault(R"({"eos_token_id": 100})", "eos_token_id holds 100, which is outside");
    expect_fault(R"({"eos_token_id": [-1]})", "eos_token_id holds -1");
    expect_fault(R"({"eos_token_id": "x"})", "eos_token_id is not an integer");
    expect_fault(R"({"max_new_tokens": 0})", "max_new_tokens is 0, outside 1 to");
    expect_fault(R"({"max_length": -5})", "max_length is -5");
    expect_fault(R"({"min_new_tokens": -1})", "min_new_tokens is -1");
    expect_fault(R"({"no_repeat_ngram_size": -1})", "no_repeat_ngram_size is -1");
    expect_fault(R"({"repetition_penalty": 0})",
                 "repetition_penalty is out of range: repetition_penalty must be above 0.");
    expect_fault(R"({"do_sample": true, "top_p": 0})", "top_p is out of range");
    expect_fault(R"({"do_sample": true, "temperature": -0.5})", "temperature is out of range");
    expect_fault(R"({"do_sample": true, "top_k": -2})", "top_k is -2");
    std::string many = "[";
    for (int i = 0; i < 1025; ++i) many += (i ? ",\"s" : "\"s") + std::to_string(i) + "\"";
    expect_fault(R"({"stop_strings": )" + many + "]}", "stop_strings holds more than 1024");
}

TEST_F(GenerationConfigTest, NoneTakesTheEndTokensAlone) {
    const GenerationConfig config =
        load(R"({"eos_token_id": 5, "do_sample": true, "temperature": 0.7, "num_beams": 4,
                 "frobnicate": 1, "max_new_tokens": 3, "stop_strings": "a"})",
             GenerationDefaults::none);
    EXPECT_EQ(config.eos_tokens, ids({5}));
    EXPECT_EQ(config.sampling.temperature, 0);
    EXPECT_FALSE(config.max_new_tokens);
    EXPECT_TRUE(config.stop_strings.empty());
}

TEST_F(GenerationConfigTest, LengthsFitThePrompt) {
    struct Lengths {
        int64_t most, least;
        bool operator==(const Lengths&) const = default;
    };
    Sampling asked;
    const auto fit = [&](const char* text, int64_t prompt, int64_t context = 1000) {
        const auto fitted = load(text).fit_to_prompt(asked, prompt, context);
        EXPECT_TRUE(fitted.ok()) << fitted.error().message;
        EXPECT_TRUE(fitted->validate().ok());
        return Lengths{fitted->max_tokens, fitted->min_tokens};
    };
    EXPECT_EQ(fit("{}", 10), (Lengths{0, 0}));
    EXPECT_EQ(fit(R"({"max_new_tokens": 5})", 10), (Lengths{5, 0}));
    EXPECT_EQ(fit(R"({"max_new_tokens": 5})", 997), (Lengths{3, 0})) << "what the context holds";
    EXPECT_EQ(fit(R"({"max_new_tokens": 5})", 1000), (Lengths{0, 0})) << "the engine refuses it";
    EXPECT_EQ(fit(R"({"max_length": 15})", 10), (Lengths{5, 0}));
    EXPECT_EQ(fit(R"({"max_length": 15, "max_new_tokens": 90})", 10), (Lengths{90, 0}));
    EXPECT_EQ(fit(R"({"min_length": 15})", 10), (Lengths{0, 5}));
    EXPECT_EQ(fit(R"({"min_length": 15})", 16), (Lengths{0, 0}));
    EXPECT_EQ(fit(R"({"min_length": 15, "min_new_tokens": 0})", 10), (Lengths{0, 0}));
    EXPECT_EQ(fit(R"({"min_new_tokens": 8, "max_new_tokens": 4})", 10), (Lengths{4, 4}));
    asked.max_tokens = 6;
    EXPECT_EQ(fit(R"({"max_new_tokens": 5, "min_new_tokens": 9})", 10), (Lengths{6, 6}));
    EXPECT_EQ(fit(R"({"max_length": 5})", 10), (Lengths{6, 0})) << "the request goes first";
    asked.min_tokens = 2;
    EXPECT_EQ(fit(R"({"min_new_tokens": 5})", 10), (Lengths{6, 2}));

    const auto refused = load(R"({"max_length": 10})").fit_to_prompt(Sampling(), 10, 1000);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::context_length_exceeded);
}

// A key of the table that is refused names what it would do; every name stands once.
TEST_F(GenerationConfigTest, TheTable) {
    const KeyTable table = generation_keys();
    EXPECT_EQ(table.unknown, UnknownKeys::refuse);
    for (size_t i = 0; i < table.keys.size(); ++i) {
        const KnownKey& key = table.keys[i];
        EXPECT_TRUE(key.use != KeyUse::refused || !key.note.empty()) << key.name;
        for (size_t j = i + 1; j < table.keys.size(); ++j) EXPECT_NE(key.name, table.keys[j].name);
        EXPECT_EQ(fault("{\"" + std::string(key.name) + "\": null}"), "") << key.name;
    }
}

}  // namespace
}  // namespace saker
