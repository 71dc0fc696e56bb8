// Two spellings in, one struct out; every size is bounded before anything is multiplied or
// allocated.
#include "models/qwen3_vl_config.h"

#include <algorithm>
#include <cmath>

#include "models/qwen3_vl_keys.h"

namespace saker {
namespace {

constexpr int64_t kMaxSize = 1 << 20;  // no width or count of a real model comes near

// Several families write these keys to say that there is no window.
void check_attention(const JsonReader& text, int64_t num_layers) {
    if (text.has("sliding_window")) {
        text.integer("sliding_window", 0, int64_t{1} << 40);
        if (text.boolean_or("use_sliding_window", true))
            text.fail("sliding_window",
                      "asks for attention within a window, which Saker does not do: make it null");
    }
    if (!text.has("layer_types")) return;
    const json::value& types = text.value("layer_types");
    if (!types.is_array()) text.fail("layer_types", "is not a list");
    if (static_cast<int64_t>(types.get_array().size()) != num_layers)
        text.fail("layer_types", "does not have num_hidden_layers items");
    for (const json::value& type : types.get_array())
        if (!type.is_string() || type.get_string() != "full_attention")
            text.fail("layer_types", "must be \"full_attention\" in every layer");
}

// The number of experts under either name.
int64_t read_num_experts(const JsonReader& text) {
    const char* const kOld = "num_experts";
    const char* const kNew = "num_local_experts";
    const auto read = [&](const char* key) { return text.integer(key, 1, 65536); };
    if (!text.has(kNew)) return read(kOld);
    const int64_t num_experts = read(kNew);
    if (text.has(kOld) && read(kOld) != num_experts)
        text.fail(kOld, "is " + std::to_string(read(kOld)) + ", but num_local_experts is " +
                            std::to_string(num_experts) + ": take out the one that is wrong");
    return num_experts;
}

Qwen3VlTextConfig read_text(const JsonReader& text, bool moe) {
    check_keys(text, moe ? kMoeTextKeys : kTextKeys);
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
    if (!(c.rms_norm_eps >= 0 && c.rms_norm_eps <= 1))
        text.fail("rms_norm_eps", "must be from 0 to 1");
    if (text.string_or("hidden_act", "silu") != "silu") text.fail("hidden_act", "must be silu");
    check_attention(text, c.num_layers);
    c.rope = RopeConfig::read(text, c.head_dim, c.max_context);
    if (moe) {
        c.num_experts = read_num_experts(text);
        c.num_experts_per_token = text.integer("num_experts_per_tok", 1, c.num_experts);
        c.moe_intermediate_size = text.integer("moe_intermediate_size", 1, kMaxSize);
        c.decoder_sparse_step = text.integer_or("decoder_sparse_step", 1, 1, 1024);
        if (text.has("mlp_only_layers")) c.mlp_only_layers = text.integers("mlp_only_layers");
        for (int64_t layer : c.mlp_only_layers)
            if (layer < 0 || layer >= c.num_layers)
                text.fail("mlp_only_layers", "names a layer that there is not");
    }
    bool any_dense = false;
    for (int64_t l = 0; l < c.num_layers; ++l) any_dense = any_dense || !c.is_moe_layer(l);
    c.intermediate_size = any_dense ? text.integer("intermediate_size", 1, kMaxSize)
                                    : text.integer_or("intermediate_size", 0, 0, kMaxSize);
    return c;
}

Qwen3VlVisionConfig read_vision(const JsonReader& vision, const Qwen3VlTextConfig& text) {
    check_keys(vision, kVisionKeys);
    Qwen3VlVisionConfig c;
    c.depth = vision.integer("depth", 1, 1024);
    c.hidden_size = vision.integer("hidden_size", 1, kMaxSize);
    c.num_heads = vision.integer("num_heads", 1, 4096);
    if (c.hidden_size % (4 * c.num_heads) != 0)
        vision.fail("hidden_size", "must be a multiple of 4 * num_heads");
    if (vision.integer_or("num_attention_heads", c.num_heads, 1, 4096) != c.num_heads)
        vision.fail("num_attention_heads", "must equal num_heads");
    if (vision.integer_or("head_dim", c.head_dim(), 1, kMaxSize) != c.head_dim())
        vision.fail("head_dim", "must be hidden_size / num_heads");
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
    c.rope_theta = read_vision_rope_theta(vision);
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
    check_keys(top, kTopKeys);
    c.text = read_text(top.object("text_config"), c.model_type == "qwen3_vl_moe");
    c.vision = read_vision(top.object("vision_config"), c.text);
    const auto token = [&](const char* key) {
        return static_cast<int32_t>(top.integer(key, 0, c.text.vocab_size - 1));
    };
    c.image_token = token("image_token_id");
    c.video_token = token("video_token_id");
    c.vision_start_token = token("vision_start_token_id");
    c.vision_end_token = token("vision_end_token_id");
    if (c.image_token == c.video_token)
        top.fail("video_token_id", "must differ from image_token_id");
    c.tie = TieFlags::read(top);
    return c;
}

TieFlags TieFlags::read(const JsonReader& config) {
    const auto flag = [](const JsonReader& reader) {
        constexpr std::string_view kKey = "tie_word_embeddings";
        return reader.has(kKey) ? std::optional(reader.boolean_or(kKey, false)) : std::nullopt;
    };
    TieFlags flags;
    flags.top = flag(config);
    if (config.has("text_config")) flags.text = flag(config.object("text_config"));
    return flags;
}

std::string TieFlags::said() const {
    const auto word = [](bool flag) { return std::string(flag ? "true" : "false"); };
    const std::string key = "tie_word_embeddings";
    if (!top && !text) return "does not say whether it is tied (" + key + ")";
    if (!top) return "says in text_config that " + key + " is " + word(*text);
    if (!text || *text == *top) return "says that " + key + " is " + word(*top);
    return "says that " + key + " is " + word(*top) + ", though " + word(*text) + " in text_config";
}

std::vector<KeyTable> qwen3_vl_key_tables() {
    std::vector<KeyTable> tables = {kTopKeys, kTextKeys, kMoeTextKeys, kVisionKeys};
    const auto rope = rope_key_tables();
    tables.insert(tables.end(), rope.begin(), rope.end());
    return tables;
}

}  // namespace saker
