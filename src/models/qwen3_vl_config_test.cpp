// Both spellings of config.json give the same configuration; every fault names file and key (C9).
#include "models/qwen3_vl_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
    EXPECT_FALSE(c.tied);
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
    EXPECT_FALSE(c.tied) << "the text's flag lies in such files";
}

TEST_F(ConfigTest, OldRopeKeysAndYarn) {
    EXPECT_EQ(fault("\"rope_type\": \"default\"", "\"type\": \"mrope\""), "");
    std::string text = kReleased;
    text.replace(text.find("\"rope_type\": \"default\""), 22,
                 "\"rope_type\": \"yarn\", \"factor\": 3.0, "
                 "\"original_max_position_embeddings\": 262144");
    const Qwen3VlConfig c = load(text);
    EXPECT_TRUE(c.text.rope.yarn);
    EXPECT_EQ(c.text.rope.factor, 3);
    EXPECT_EQ(c.text.rope.original_context, 262144);
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
        {"[24, 20, 20]", "[24, 20, 21]", "rope_scaling"},
        {"[24, 20, 20]", "[24, 20]", "mrope_section"},
        {"\"rope_theta\": 5000000", "\"rope_theta\": 1e999", ""},
        {"\"rope_theta\": 5000000", "\"rope_theta\": -5", "rope_theta"},
        {"\"rope_type\": \"default\"", "\"rope_type\": \"longrope\"", "rope_type"},
        {"\"num_experts_per_tok\": 8", "\"num_experts_per_tok\": 129", "num_experts_per_tok"},
        {"\"model_type\": \"qwen3_vl_moe\",", "\"model_type\": \"llama\",", "model_type"},
        {"\"attention_bias\": false", "\"attention_bias\": true", "attention_bias"},
        {"\"image_token_id\": 151655", "\"image_token_id\": 151936", "image_token_id"},
        {"\"vocab_size\": 151936", "\"vocab_size\": 0", "vocab_size"},
        {"\"num_heads\": 16", "\"num_heads\": 7", "hidden_size"},
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

}  // namespace
}  // namespace saker
