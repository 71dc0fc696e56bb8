// The configuration of a Qwen3-VL checkpoint, dense or mixture of experts.
//
// Read from config.json in the released spelling and in that of transformers 5 (model
// specification 1.1 to 1.5). A key that decides a shape is never guessed: a missing one is a
// StartupError naming file and key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "json/json.h"

namespace saker {

struct RopeConfig {
    double theta = 0;
    int64_t section[3] = {};  // frequencies of the temporal, height and width axes
    bool yarn = false;
    double factor = 1;             // yarn
    int64_t original_context = 0;  // yarn
};

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
    int64_t grid_side = 0;  // of the position table: square root of num_position_embeddings
    std::vector<int64_t> deepstack_indexes;  // blocks whose output is tapped, rising

    int64_t head_dim() const { return hidden_size / num_heads; }
    int64_t patch_elements() const { return 3 * temporal_patch_size * patch_size * patch_size; }
    int64_t merged_size() const { return hidden_size * merge_size * merge_size; }
};

struct Qwen3VlConfig {
    std::string model_type;  // "qwen3_vl" or "qwen3_vl_moe"
    Qwen3VlTextConfig text;
    Qwen3VlVisionConfig vision;
    int32_t image_token = 0, video_token = 0, vision_start_token = 0, vision_end_token = 0;
    bool tied = false;  // as the file says; a checkpoint with lm_head.weight is not tied

    /// Throws StartupError.
    static Qwen3VlConfig load(const std::filesystem::path& config_json);
};

}  // namespace saker
