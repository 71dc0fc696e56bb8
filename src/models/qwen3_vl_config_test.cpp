// Both spellings of config.json give the same configuration; every fault names file and key (C9).
#include "models/qwen3_vl_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/qwen3_vl.h"
#include "models/registry.h"

namespace saker {
namespace {

// The released 30B-A3B-Instruct configuration (specification 1.1).
const char* const kReleased = R"({
 "architectures": ["Qwen3VLMoeForConditionalGeneration"], "model_type": "qwen3_vl_moe",
 "image_token_id": 151655, "video_token_id": 151656, "vision_start_token_id": 151652,
 "vision_end_token_id": 151653, "tie_word_embeddings": false,
 "text_config": {"model_type": "qwen3_vl_moe_text", "hidden_size": 2048, "num_hidden_layers": 48,
  "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "hidden_act": "silu",
  "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
  "num_experts_per_tok": 8, "norm_topk_prob": true, "decoder_sparse_step": 1, "mlp_only_layers": [],
  "rms_norm_eps": 1e-06, "rope_theta": 5000000, "vocab_size": 151936,
  "rope_scaling": {"mrope_interleaved": true, "mrope_section": [24, 20, 20], "rope_type": "default"},
  "max_position_embeddings": 262144, "attention_bias": false},
 "vision_config": {"model_type": "qwen3_vl_moe", "depth": 27, "hidden_size": 1152, "num_heads": 16,
  "intermediate_size": 4304, "in_channels": 3, "patch_size": 16, "temporal_patch_size": 2,
  "spatial_merge_size": 2, "out_hidden_size": 2048, "num_position_embeddings": 2304,
  "deepstack_visual_indexes": [8, 16, 24], "hidden_act": "gelu_pytorch_tanh"}})";

class ConfigTest : public testing::Test {
  protected:
    ConfigTest()
        : path_(std::filesystem::temp_directory_path() /
                ("saker_config_" + std::to_string(getpid()) + ".json")) {}
    ~ConfigTest() override { std::filesystem::remove(path_); }

    Qwen3VlConfig load(const std::string& text) {
        std::ofstream(path_) << text;
        return Qwen3VlConfig::load(path_);
    }
    // The released text with `from` replaced by `to`; "" where it loads, else the fault.
    std::string fault(const std::string& from, const std::string& to) {
        std::string text = kReleased;
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        try {
            load(text);
        } catch (const StartupError& e) {
            EXPECT_NE(std::string(e.what()).find(path_.string()), std::string::npos) << e.what();
            return e.what();
        }
        return "";
    }

    std::filesystem::path path_;
};

TEST_F(ConfigTest, ReleasedSpelling) {
    const Qwen3VlConfig c = load(kReleased);
    EXPECT_EQ(c.model_type, "qwen3_vl_moe");
    EXPECT_EQ(c.text.num_experts, 128);
    EXPECT_EQ(c.text.head_dim, 128);
    EXPECT_EQ(c.text.rope.theta, 5e6);
    EXPECT_EQ(c.vision.grid_side, 48);
    EXPECT_EQ(c.vision.head_dim(), 72);
    EXPECT_EQ(c.vision.deepstack_indexes, (std::vector<int64_t>{8, 16, 24}));
    EXPECT_FALSE(c.tie.tied());
    EXPECT_EQ(c.vision.rope_theta, 10000);
    for (int64_t l = 0; l < 48; ++l) EXPECT_TRUE(c.text.is_moe_layer(l));
}

// The byte count that the specification derives for the released checkpoint (1.2), from our own
// list.
TEST_F(ConfigTest, WeightsOf30BAddUp) {
    load(kReleased);
    int64_t parameters = 0;
    int64_t text = 0, vision = 0;
    for (const WeightSpec& spec : list_weights(path_)) {
        parameters += spec.num_elements();
        (spec.name.rfind("model.visual.", 0) == 0 ? vision : text) += 1;
    }
    EXPECT_EQ(parameters, 31'070'754'032);
    EXPECT_EQ(text, 531);
    EXPECT_EQ(vision, 351);
}

TEST_F(ConfigTest, SpellingOfTransformers5) {
    std::string text = kReleased;
    const auto replace = [&](const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    };
    replace("\"rope_theta\": 5000000, ", "");
    replace("\"rope_scaling\": {", "\"rope_parameters\": {\"rope_theta\": 5000000.0, ");
    replace("\"num_experts\"", "\"num_local_experts\"");
    replace("\"norm_topk_prob\": true, ", "\"tie_word_embeddings\": true, ");
    replace("\"model_type\": \"qwen3_vl_moe\", \"depth\"",
            "\"model_type\": \"qwen3_vl_moe_vision\", \"depth\"");
    const Qwen3VlConfig c = load(text);
    EXPECT_EQ(c.text.rope.theta, 5e6);
    EXPECT_EQ(c.text.num_experts, 128);
    EXPECT_FALSE(c.tie.tied()) << "the text's flag lies in such files";
}

TEST_F(ConfigTest, SparseStepAndDenseLayers) {
    std::string text = kReleased;
    text.replace(text.find("\"decoder_sparse_step\": 1, \"mlp_only_layers\": []"), 47,
                 "\"decoder_sparse_step\": 2, \"mlp_only_layers\": [3]");
    const Qwen3VlConfig c = load(text);
    EXPECT_FALSE(c.text.is_moe_layer(0));
    EXPECT_TRUE(c.text.is_moe_layer(1));
    EXPECT_FALSE(c.text.is_moe_layer(3));
    EXPECT_TRUE(c.text.is_moe_layer(5));
}

TEST_F(ConfigTest, EveryFaultNamesItsKey) {
    const struct {
        const char *from, *to, *key;
    } kFaults[] = {
        {"\"num_attention_heads\": 32", "\"num_attention_heads\": 0", "num_attention_heads"},
        {"\"num_attention_heads\": 32", "\"num_attention_heads\": 30", "num_attention_heads"},
        {"\"num_hidden_layers\": 48", "\"num_hidden_layers\": -1", "num_hidden_layers"},
        {"\"num_hidden_layers\": 48", "\"num_hidden_layers\": 1000000", "num_hidden_layers"},
        {"\"num_hidden_layers\": 48", "\"num_hidden_layers\": 2", "deepstack_visual_indexes"},
        {"\"num_hidden_layers\": 48,", "", "num_hidden_layers"},
        {"\"hidden_size\": 2048", "\"hidden_size\": 2048.5", "hidden_size"},
        {"\"hidden_size\": 2048", "\"hidden_size\": \"2048\"", "hidden_size"},
        {"\"hidden_size\": 2048", "\"hidden_size\": 4294967296", "hidden_size"},
        {"\"patch_size\": 16", "\"patch_size\": 0", "patch_size"},
        {"\"spatial_merge_size\": 2", "\"spatial_merge_size\": 0", "spatial_merge_size"},
        {"\"out_hidden_size\": 2048", "\"out_hidden_size\": 1024", "out_hidden_size"},
        {"\"num_position_embeddings\": 2304", "\"num_position_embeddings\": 2300",
         "num_position_embeddings"},
        {"[8, 16, 24]", "[8, 16, 27]", "deepstack_visual_indexes"},
        {"[8, 16, 24]", "[16, 8, 24]", "deepstack_visual_indexes"},
        {"[24, 20, 20]", "[24, 20, 21]", "rope_scaling.mrope_section"},
        {"[24, 20, 20]", "[24, 20]", "mrope_section"},
        {"\"rope_theta\": 5000000", "\"rope_theta\": 1e999", ""},
        {"\"rope_theta\": 5000000", "\"rope_theta\": -5", "rope_theta"},
        {"\"rope_type\": \"default\"", "\"rope_type\": \"longrope\"", "rope_type"},
        {"\"num_experts_per_tok\": 8", "\"num_experts_per_tok\": 129", "num_experts_per_tok"},
        {"\"model_type\": \"qwen3_vl_moe\",", "\"model_type\": \"llama\",", "model_type"},
        {"\"attention_bias\": false", "\"attention_bias\": true", "attention_bias"},
        {"\"image_token_id\": 151655", "\"image_token_id\": 151936", "image_token_id"},
        {"\"video_token_id\": 151656", "\"video_token_id\": 151655", "video_token_id"},
        {"\"vocab_size\": 151936", "\"vocab_size\": 0", "vocab_size"},
        {"\"num_heads\": 16", "\"num_heads\": 7", "hidden_size"},
        {"\"rms_norm_eps\": 1e-06", "\"rms_norm_eps\": 1e300", "rms_norm_eps"},
        {"\"num_heads\": 16", "\"num_heads\": 16, \"num_attention_heads\": 8",
         "num_attention_heads"},
        {"\"num_heads\": 16", "\"num_heads\": 16, \"head_dim\": 80", "head_dim"},
        {"\"num_heads\": 16", "\"num_heads\": 16, \"rope_parameters\": {\"rope_type\": \"yarn\"}",
         "vision_config.rope_parameters.rope_type"},
        {"\"num_experts\": 128", "\"num_experts\": 128, \"num_local_experts\": 64",
         "num_experts is 128, but num_local_experts is 64"},
        {"\"mlp_only_layers\": []", "\"mlp_only_layers\": [48]", "mlp_only_layers"},
        {"\"norm_topk_prob\": true", "\"norm_topk_prob\": false", "norm_topk_prob"},
        {"\"attention_bias\": false", "\"sliding_window\": 4096", "sliding_window"},
        {"\"attention_bias\": false", "\"use_sliding_window\": true", "use_sliding_window"},
        {"\"attention_bias\": false", "\"layer_types\": [\"full_attention\"]", "layer_types"},
        {"\"attention_bias\": false", "\"tie_word_embeddings\": 1",
         "text_config.tie_word_embeddings"},
        {"\"model_type\": \"qwen3_vl_moe\",",
         "\"model_type\": \"qwen3_vl_moe\", \"rope_scaling\": {},",
         "rope_scaling asks for something that Saker does not do (it belongs in text_config)"},
    };
    for (const auto& f : kFaults) {
        const std::string message = fault(f.from, f.to);
        EXPECT_NE(message, "") << f.to << " loads";
        EXPECT_NE(message.find(f.key), std::string::npos) << message;
    }
    EXPECT_THROW(load("{"), StartupError);
    EXPECT_THROW(load("[]"), StartupError);
    EXPECT_THROW(load(R"({"model_type": "qwen3_vl", "model_type": "qwen3_vl"})"), StartupError);
    std::filesystem::remove(path_);
    EXPECT_THROW(Qwen3VlConfig::load(path_), StartupError);
}

// --- Keys (the right values are those of transformers 5.17) ---

TEST_F(ConfigTest, WhatTransformersSavesGivesNoWarning) {
    size_t num_files = 0;
    for (const auto& folder : std::filesystem::directory_iterator("tests/saved")) {
        if (!folder.is_directory()) continue;
        ++num_files;
        testing::internal::CaptureStderr();
        const Qwen3VlConfig c = Qwen3VlConfig::load(folder.path() / "config.json");
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << folder.path();
        const bool moe = c.model_type == "qwen3_vl_moe";
        EXPECT_EQ(c.tie.tied(), !moe) << folder.path();
        EXPECT_EQ(c.text.num_experts, moe ? 128 : 0) << folder.path();
        EXPECT_EQ(c.text.rope.theta, 5e6) << folder.path();
        EXPECT_EQ(c.text.rope.scaling, RopeConfig::Scaling::none) << folder.path();
    }
    EXPECT_EQ(num_files, 4u);
}

TEST_F(ConfigTest, UnknownKeysAreToldOnce) {
    const auto told = [&](const std::string& from, const std::string& to) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(fault(from, to), "");
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(told("\"num_experts_per_tok\"", "\"num_experts_per_tok\""), "");
    const std::string text =
        told("\"attention_bias\"", "\"rms_norm_ep\": 1e-5, \"x\": 1, \"attention_bias\"");
    EXPECT_NE(text.find("text_config: keys that Saker does not know are passed over: "
                        "\"rms_norm_ep\" (did you mean rms_norm_eps?), \"x\""),
              std::string::npos)
        << text;
    EXPECT_NE(told("\"depth\"", "\"window_size\": 112, \"depth\"").find("vision_config: keys"),
              std::string::npos);
    EXPECT_NE(told("\"image_token_id\"", "\"vocab\": 112, \"image_token_id\"").find("\"vocab\""),
              std::string::npos);
}

TEST_F(ConfigTest, AttentionThatAsksForNoWindow) {
    std::string types;
    for (int i = 0; i < 48; ++i) types += std::string(i ? ", " : "") + "\"full_attention\"";
    for (const std::string& neutral :
         {std::string("\"sliding_window\": null"),
          std::string("\"sliding_window\": 4096, \"use_sliding_window\": false"),
          "\"layer_types\": [" + types + "]"})
        EXPECT_EQ(fault("\"attention_bias\": false", neutral), "") << neutral;
    types.replace(types.find("full"), 4, "sliding");
    EXPECT_NE(fault("\"attention_bias\": false", "\"layer_types\": [" + types + "]"), "");
}

// transformers goes by the flag at the top, and by false where there is none.
TEST_F(ConfigTest, TieFlagsOfBothLevels) {
    const auto flags = [&](const std::string& top, const std::string& text) {
        std::string file = kReleased;
        const auto put = [&](const std::string& from, const std::string& flag) {
            const std::string member = "\"tie_word_embeddings\": " + flag + ", ";
            file.replace(file.find(from), from.size(), (flag.empty() ? "" : member) + from);
        };
        file.replace(file.find("\"tie_word_embeddings\": false,"), 29, "");
        put("\"image_token_id\"", top);
        put("\"hidden_size\": 2048", text);
        return load(file).tie;
    };
    const struct {
        const char *top, *text;
        bool tied;
        const char* said;
    } kCases[] = {
        {"", "", false, "does not say whether it is tied (tie_word_embeddings)"},
        {"null", "", false, "does not say whether it is tied (tie_word_embeddings)"},
        {"false", "", false, "says that tie_word_embeddings is false"},
        {"true", "", true, "says that tie_word_embeddings is true"},
        {"", "true", true, "says in text_config that tie_word_embeddings is true"},
        {"", "false", false, "says in text_config that tie_word_embeddings is false"},
        {"false", "false", false, "says that tie_word_embeddings is false"},
        {"true", "false", true,
         "says that tie_word_embeddings is true, though false in text_config"},
        {"false", "true", false,
         "says that tie_word_embeddings is false, though true in text_config"},
    };
    for (const auto& c : kCases) {
        const TieFlags flag = flags(c.top, c.text);
        EXPECT_EQ(flag.tied(), c.tied) << c.top << ' ' << c.text;
        EXPECT_EQ(flag.said(), c.said);
    }
}

// No message says of a file what stands in none.
TEST_F(ConfigTest, UntiedWithoutAHeadSaysWhatTheFileSays) {
    WeightList without_head(true);
    const auto told = [&](const std::string& flag) {
        std::string text = kReleased;
        text.replace(text.find("\"tie_word_embeddings\": false,"), 29, flag);
        try {
            Qwen3Vl(load(text), without_head, DType::bf16);
        } catch (const StartupError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(told("\"tie_word_embeddings\": true,"), "");
    const std::string end =
        ": where the model is tied, set tie_word_embeddings to true there, else fetch the weights "
        "again.";
    EXPECT_EQ(told("\"tie_word_embeddings\": false,"),
              "The checkpoint has no lm_head.weight, and its config.json says that "
              "tie_word_embeddings is false" +
                  end);
    EXPECT_EQ(told(""),
              "The checkpoint has no lm_head.weight, and its config.json does not say whether it "
              "is tied (tie_word_embeddings)" +
                  end);
}

}  // namespace
}  // namespace saker
