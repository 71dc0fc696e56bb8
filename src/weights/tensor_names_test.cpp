// Spellings against the names that transformers saves, and names of what is no plain checkpoint.
#include "weights/tensor_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "json/json.h"

namespace saker {
namespace {

TEST(TensorNames, EverySpelling) {
    const char* kNames[][2] = {
        {"model.language_model.layers.0.mlp.gate.weight",
         "model.language_model.layers.0.mlp.gate.weight"},
        {"language_model.model.norm.weight", "model.language_model.norm.weight"},
        {"language_model.norm.weight", "model.language_model.norm.weight"},
        {"model.embed_tokens.weight", "model.language_model.embed_tokens.weight"},
        {"model.layers.3.mlp.experts.down_proj",
         "model.language_model.layers.3.mlp.experts.down_proj"},
        {"model.visual.pos_embed.weight", "model.visual.pos_embed.weight"},
        {"visual.pos_embed.weight", "model.visual.pos_embed.weight"},
        {"lm_head.weight", "lm_head.weight"},
        {"language_model.lm_head.weight", "lm_head.weight"},
        {"model.lm_head.weight", "lm_head.weight"},
        {"model.model.visual.pos_embed.weight", "model.visual.pos_embed.weight"},
        {"model.model.language_model.norm.weight", "model.language_model.norm.weight"},
        {"_orig_mod.model.visual.pos_embed.weight", "model.visual.pos_embed.weight"},
        {"module._orig_mod.lm_head.weight", "lm_head.weight"},
        {"mtp.layers.0.weight", "mtp.layers.0.weight"},
        {"score.weight", "score.weight"},
        {"visualx", "visualx"},
        {"model", "model"},
        {"module.", ""},
        {"", ""}};
    for (const auto& [in_file, canonical] : kNames) EXPECT_EQ(canonical, canonical_name(in_file));
}

// tests/weights/make_saved_names.py made the file with transformers: what it saves for each class
// of a model, and whether it loads each spelling without a missing tensor.
TEST(TensorNames, NamesThatTransformersSavesAndLoads) {
    const json::object file = read_json_file("tests/weights/saved_names.json");
    int spellings = 0;
    for (const auto& [family, saved] : file) {
        const json::array& whole = saved.at("whole").as_array();
        ASSERT_GT(whole.size(), 30u);
        for (const auto& name : whole)
            EXPECT_EQ(std::string_view(name.as_string()), canonical_name(name.as_string()));
        const json::array& base = saved.at("base").as_array();
        ASSERT_EQ(whole.size(), base.size() + 1);  // all but lm_head.weight
        for (const auto& name : base) {
            const std::string canonical = canonical_name(name.as_string());
            EXPECT_NE(std::find(whole.begin(), whole.end(), json::value(canonical)), whole.end())
                << name;
            EXPECT_NE(canonical, std::string_view(name.as_string()));
        }
        // What transformers takes off or puts before a name is taken off or put here.
        for (const auto& [prefix, cut] : saved.at("loads").as_object()) {
            ++spellings;
            for (const auto& name : whole) {
                const std::string_view text = name.as_string();
                const std::string_view left = cut.as_string();
                if (!text.starts_with(left)) continue;
                EXPECT_EQ(text,
                          canonical_name(std::string(prefix).append(text.substr(left.size()))));
            }
        }
    }
    EXPECT_GE(spellings, 6);
}

TEST(TensorNames, RepeatedPrefixesTakeLinearTime) {
    std::string name;
    for (int i = 0; i < 2'000'000; ++i) name += "module.";
    EXPECT_EQ("x", canonical_name(name + "x"));
}

TEST(TensorNames, WhatIsNoPlainCheckpoint) {
    const char* kNames[][2] = {
        {"base_model.model.model.language_model.norm.weight", "not merged"},
        {"model.language_model.layers.0.self_attn.q_proj.lora_A.weight", "not merged"},
        {"model.layers.0.self_attn.q_proj.lora_B.default.weight", "not merged"},
        {"model.layers.0.self_attn.q_proj.base_layer.weight", "not merged"},
        {"model.layers.0.self_attn.q_proj.qweight", "AWQ and GPTQ"},
        {"model.layers.0.self_attn.q_proj.qzeros", "AWQ and GPTQ"},
        {"model.layers.0.self_attn.q_proj.weight_packed", "compressed-tensors"},
        {"model.layers.0.self_attn.q_proj.weight.absmax", "bitsandbytes"},
        {"model.layers.0.self_attn.q_proj.weight.quant_state.bitsandbytes__nf4", "bitsandbytes"},
        {"model.layers.0.self_attn.q_proj.SCB", "bitsandbytes"},
        {"model.layers.0.self_attn.q_proj.weight_scale", "128 x 128 blocks"},
        {"model.layers.0.mlp.experts.gate_up_proj_blocks", "MXFP4"},
        {"model.layers.0.self_attn.q_proj.W_q", "HQQ"},
        {"vision_tower.blocks.0.norm1.weight", "MLX"},
        {"thinker.model.layers.0.mlp.gate.weight", "Omni"}};
    for (const auto& [name, part] : kNames)
        EXPECT_NE(std::string_view::npos, foreign_tensor(name).find(part)) << name;
    for (const char* name :
         {"model.language_model.layers.0.self_attn.q_proj.weight", "lm_head.weight",
          "model.language_model.layers.0.mlp.experts.gate_up_proj_scale_inv",
          "model.language_model.layers.0.mlp.gate_proj.weight_scale_inv", "score.weight", ""})
        EXPECT_EQ("", foreign_tensor(name)) << name;
}

}  // namespace
}  // namespace saker
