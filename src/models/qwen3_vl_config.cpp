// Two spellings in, one struct out; every size is bounded before anything is multiplied or
// allocated.
#include "models/qwen3_vl_config.h"

#include <algorithm>
#include <cmath>

namespace saker {
namespace {

constexpr int64_t kMaxSize = 1 << 20;  // no width or count of a real model comes near

RopeConfig read_rope(const JsonReader& text, int64_t head_dim, int64_t max_context) {
    RopeConfig rope;
    const bool v5 = text.has("rope_parameters");
    const char* key = v5 ? "rope_parameters" : "rope_scaling";
    if (v5) {
        rope.theta = text.object(key).number("rope_theta");
    } else {
        rope.theta = text.number("rope_theta");
    }
    if (!(rope.theta > 1)) text.fail("rope_theta", "must be above 1");
    rope.section[0] = 24, rope.section[1] = 20, rope.section[2] = 20;
    if (text.has(key)) {
        const JsonReader scaling = text.object(key);
        std::string type = scaling.has("rope_type") ? scaling.string("rope_type")
                                                    : scaling.string_or("type", "default");
        if (type == "mrope") type = "default";
        if (scaling.has("mrope_section")) {
            const auto section = scaling.integers("mrope_section");
            if (section.size() != 3) scaling.fail("mrope_section", "must have three numbers");
            std::copy(section.begin(), section.end(), rope.section);
        }
        if (!scaling.boolean_or("mrope_interleaved", true))
            scaling.fail("mrope_interleaved", "must be true: Qwen3-VL interleaves its axes");
        if (type == "yarn") {
            rope.yarn = true;
            rope.factor = scaling.number("factor");
            if (!(rope.factor >= 1)) scaling.fail("factor", "must be at least 1");
            rope.original_context = scaling.integer_or("original_max_position_embeddings",
                                                       max_context, 1, int64_t{1} << 30);
        } else if (type != "default") {
            scaling.fail("rope_type", "must be default or yarn");
        }
    }
    int64_t sum = 0;
    for (int64_t n : rope.section) {
        if (n < 0 || n > head_dim) text.fail(key, "has an mrope_section outside the head");
        sum += n;
    }
    if (sum != head_dim / 2)
        text.fail(key, "has an mrope_section that does not add up to head_dim / 2");
    return rope;
}

Qwen3VlTextConfig read_text(const JsonReader& text, bool moe) {
    Qwen3VlTextConfig c;
    c.vocab_size = text.integer("vocab_size", 1, int64_t{1} << 24);
    c.hidden_size = text.integer("hidden_size", 1, kMaxSize);
    c.num_layers = text.integer("num_hidden_layers", 1, 1024);
    c.num_heads = text.integer("num_attention_heads", 1, 4096);
    c.num_kv_heads = text.integer("num_key_value_heads", 1, 4096);
    if (!text.has("head_dim") && c.hidden_size % c.num_heads != 0)
        text.fail("hidden_size", "does not divide by num_attention_heads, and head_dim is missing");
    c.head_dim = text.integer_or("head_dim", c.hidden_size / c.num_heads, 2, 1024);
    if (c.head_dim % 2 != 0) text.fail("head_dim", "must be even");
    if (c.num_heads % c.num_kv_heads != 0)
        text.fail("num_attention_heads", "must be a multiple of num_key_value_heads");
    c.max_context = text.integer("max_position_embeddings", 1, int64_t{1} << 30);
    c.rms_norm_eps = text.number("rms_norm_eps");
    if (!(c.rms_norm_eps >= 0)) text.fail("rms_norm_eps", "must not be negative");
    if (text.boolean_or("attention_bias", false))
        text.fail("attention_bias", "must be false: Qwen3-VL has no attention bias");
    if (text.string_or("hidden_act", "silu") != "silu") text.fail("hidden_act", "must be silu");
    c.rope = read_rope(text, c.head_dim, c.max_context);
    if (moe) {
        const char* experts = text.has("num_experts") ? "num_experts" : "num_local_experts";
        c.num_experts = text.integer(experts, 1, 65536);
        c.num_experts_per_token = text.integer("num_experts_per_tok", 1, c.num_experts);
        c.moe_intermediate_size = text.integer("moe_intermediate_size", 1, kMaxSize);
        c.decoder_sparse_step = text.integer_or("decoder_sparse_step", 1, 1, 1024);
        if (text.has("mlp_only_layers")) c.mlp_only_layers = text.integers("mlp_only_layers");
    }
    bool any_dense = false;
    for (int64_t l = 0; l < c.num_layers; ++l) any_dense = any_dense || !c.is_moe_layer(l);
    c.intermediate_size = any_dense ? text.integer("intermediate_size", 1, kMaxSize)
                                    : text.integer_or("intermediate_size", 0, 0, kMaxSize);
    return c;
}

Qwen3VlVisionConfig read_vision(const JsonReader& vision, const Qwen3VlTextConfig& text) {
    Qwen3VlVisionConfig c;
    c.depth = vision.integer("depth", 1, 1024);
    c.hidden_size = vision.integer("hidden_size", 1, kMaxSize);
    c.num_heads = vision.integer("num_heads", 1, 4096);
    if (c.hidden_size % (4 * c.num_heads) != 0)
        vision.fail("hidden_size", "must be a multiple of 4 * num_heads");
    c.intermediate_size = vision.integer("intermediate_size", 1, kMaxSize);
    c.out_hidden_size = vision.integer("out_hidden_size", 1, kMaxSize);
    if (c.out_hidden_size != text.hidden_size)
        vision.fail("out_hidden_size", "must equal the text's hidden_size");
    if (vision.integer_or("in_channels", 3, 1, 1024) != 3) vision.fail("in_channels", "must be 3");
    c.patch_size = vision.integer("patch_size", 1, 256);
    c.temporal_patch_size = vision.integer("temporal_patch_size", 1, 16);
    c.merge_size = vision.integer("spatial_merge_size", 1, 16);
    const int64_t positions = vision.integer("num_position_embeddings", 1, int64_t{1} << 24);
    c.grid_side = std::llround(std::sqrt(static_cast<double>(positions)));
    if (c.grid_side * c.grid_side != positions)
        vision.fail("num_position_embeddings", "must be a square");
    if (vision.string_or("hidden_act", "gelu_pytorch_tanh") != "gelu_pytorch_tanh")
        vision.fail("hidden_act", "must be gelu_pytorch_tanh");
    c.deepstack_indexes = vision.integers("deepstack_visual_indexes");
    for (size_t i = 0; i < c.deepstack_indexes.size(); ++i) {
        const int64_t index = c.deepstack_indexes[i];
        if (index < 0 || index >= c.depth || (i > 0 && index <= c.deepstack_indexes[i - 1]))
            vision.fail("deepstack_visual_indexes", "must rise and stay below depth");
    }
    if (static_cast<int64_t>(c.deepstack_indexes.size()) > text.num_layers)
        vision.fail("deepstack_visual_indexes", "has more levels than the text has layers");
    return c;
}

}  // namespace

bool Qwen3VlTextConfig::is_moe_layer(int64_t layer) const {
    return num_experts > 0 && (layer + 1) % decoder_sparse_step == 0 &&
           std::find(mlp_only_layers.begin(), mlp_only_layers.end(), layer) ==
               mlp_only_layers.end();
}

Qwen3VlConfig Qwen3VlConfig::load(const std::filesystem::path& config_json) {
    const json::object file = read_json_file(config_json);
    const JsonReader top(file, config_json.string());
    Qwen3VlConfig c;
    c.model_type = top.string("model_type");
    if (c.model_type != "qwen3_vl" && c.model_type != "qwen3_vl_moe")
        top.fail("model_type", "must be qwen3_vl or qwen3_vl_moe");
    c.text = read_text(top.object("text_config"), c.model_type == "qwen3_vl_moe");
    c.vision = read_vision(top.object("vision_config"), c.text);
    const auto token = [&](const char* key) {
        return static_cast<int32_t>(top.integer(key, 0, c.text.vocab_size - 1));
    };
    c.image_token = token("image_token_id");
    c.video_token = token("video_token_id");
    c.vision_start_token = token("vision_start_token_id");
    c.vision_end_token = token("vision_end_token_id");
    c.tied = top.boolean_or("tie_word_embeddings", false);
    return c;
}

}  // namespace saker
