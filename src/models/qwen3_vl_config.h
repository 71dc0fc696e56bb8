// The configuration of a Qwen3-VL checkpoint, dense or mixture of experts.
//
// Read from config.json in the released spelling and in that of transformers 5 (model
// specification 1.1 to 1.6). A key that decides a shape is never guessed: a missing one is a
// StartupError naming file and key. The keys of each object are in tables (json/keys.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "json/keys.h"
#include "models/rope_config.h"

namespace saker {

struct Qwen3VlTextConfig {
    int64_t vocab_size = 0;         // V
    int64_t hidden_size = 0;        // C
    int64_t intermediate_size = 0;  // F of dense layers
    int64_t num_layers = 0;         // L
    int64_t num_heads = 0;          // H
    int64_t num_kv_heads = 0;       // K
    int64_t head_dim = 0;           // D
    int64_t max_context = 0;
    double rms_norm_eps = 0;
    RopeConfig rope;
    // Mixture of experts; num_experts = 0: dense.
    int64_t num_experts = 0;            // E
    int64_t num_experts_per_token = 0;  // A
    int64_t moe_intermediate_size = 0;  // F of experts
    int64_t decoder_sparse_step = 1;
    std::vector<int64_t> mlp_only_layers;

    bool is_moe_layer(int64_t layer) const;
};

struct Qwen3VlVisionConfig {
    int64_t depth = 0;
    int64_t hidden_size = 0;  // Cv
    int64_t num_heads = 0;
    int64_t intermediate_size = 0;
    int64_t out_hidden_size = 0;  // the text's C
    int64_t patch_size = 0;
    int64_t temporal_patch_size = 0;
    int64_t merge_size = 0;
    double rope_theta = 0;
    int64_t grid_side = 0;  // of the position table: square root of num_position_embeddings
    std::vector<int64_t> deepstack_indexes;  // blocks whose output is tapped, rising

    int64_t head_dim() const { return hidden_size / num_heads; }
    int64_t patch_elements() const { return 3 * temporal_patch_size * patch_size * patch_size; }
    int64_t merged_size() const { return hidden_size * merge_size * merge_size; }
};

/// tie_word_embeddings, which files have at the top, in text_config, in both, or nowhere. A
/// checkpoint with lm_head.weight is not tied whatever they say (specification 1.4).
struct TieFlags {
    std::optional<bool> top, text;

    /// `config`: the whole file. Throws StartupError where a flag is neither true nor false.
    static TieFlags read(const JsonReader& config);

    /// The flag at the top decides, as in transformers; where it is silent, that of text_config.
    bool tied() const { return top.value_or(text.value_or(false)); }

    /// What the file says, as the end of a sentence that begins with its name.
    std::string said() const;
};

struct Qwen3VlConfig {
    std::string model_type;  // "qwen3_vl" or "qwen3_vl_moe"
    Qwen3VlTextConfig text;
    Qwen3VlVisionConfig vision;
    int32_t image_token = 0, video_token = 0, vision_start_token = 0, vision_end_token = 0;
    TieFlags tie;

    /// Throws StartupError.
    static Qwen3VlConfig load(const std::filesystem::path& config_json);
};

/// The tables of every object of config.json, those of rope included.
std::vector<KeyTable> qwen3_vl_key_tables();

}  // namespace saker
