// Rows that several objects share stand once, above the tables.
#include "models/qwen3_vl_keys.h"

#include <array>

namespace saker {
namespace {

constexpr auto kHonoured = KeyUse::honoured;
constexpr auto kHarmless = KeyUse::harmless;
constexpr auto kRefused = KeyUse::refused;

// What transformers may write into any object of a configuration.
constexpr auto kShared = std::to_array<KnownKey>({
    {"_name_or_path", kHarmless},
    {"_commit_hash", kHarmless},
    {"_attn_implementation", kHarmless},
    {"_attn_implementation_autoset", kHarmless},
    {"_experts_implementation", kHarmless},
    {"name_or_path", kHarmless},
    {"architectures", kHarmless},
    {"attn_implementation", kHarmless},
    {"auto_map", kHarmless, "[]", "code in a checkpoint is never run"},
    {"base_model_tp_plan", kHarmless},
    {"bos_token_id", kHarmless},
    {"chunk_size_feed_forward", kHarmless},
    {"decoder_start_token_id", kHarmless},
    {"dtype", kHarmless, "[]", "the tensors say theirs"},
    {"eos_token_id", kHarmless, "[]", "generation_config.json says where answers end"},
    {"finetuning_task", kHarmless},
    {"id2label", kHarmless},
    {"initializer_range", kHarmless},
    {"label2id", kHarmless},
    {"model_type", kHonoured, "[]", "at the top: qwen3_vl, qwen3_vl_moe"},
    {"num_labels", kHarmless},
    {"output_attentions", kHarmless},
    {"output_hidden_states", kHarmless},
    {"pad_token_id", kHarmless},
    {"prefix", kHarmless},
    {"problem_type", kHarmless},
    {"return_dict", kHarmless},
    {"sep_token_id", kHarmless},
    {"task_specific_params", kHarmless},
    {"tf_legacy_loss", kHarmless},
    {"tokenizer_class", kHarmless},
    {"torch_dtype", kHarmless},
    {"torchscript", kHarmless},
    {"transformers_version", kHarmless},
    {"unsloth_fixed", kHarmless},
    {"unsloth_version", kHarmless},
    {"use_bfloat16", kHarmless},
    {"use_cache", kHarmless},
    {"add_cross_attention", kRefused, "[false]", "cross attention"},
    {"cross_attention_hidden_size", kRefused, "[]", "cross attention"},
    {"is_decoder", kRefused, "[false]", "a decoder of an encoder"},
    {"is_encoder_decoder", kRefused, "[false]", "an encoder"},
    {"per_layer_config", kRefused, "[{}]", "layers that differ"},
    {"pruned_heads", kRefused, "[{}]", "pruned heads"},
    {"tie_encoder_decoder", kRefused, "[false]", "an encoder"},
});

// Settings that transformers 4 wrote into configurations too. serve/generation_config.h reads them
// where there is no generation_config.json.
constexpr std::string_view kGenerate = "see generation_config.json";
constexpr auto kGeneration = std::to_array<KnownKey>({
    {"begin_suppress_tokens", kHonoured, "[]", kGenerate},
    {"bad_words_ids", kHonoured, "[]", kGenerate},
    {"diversity_penalty", kHonoured, "[]", kGenerate},
    {"do_sample", kHonoured, "[]", kGenerate},
    {"early_stopping", kHonoured, "[]", kGenerate},
    {"encoder_no_repeat_ngram_size", kHonoured, "[]", kGenerate},
    {"exponential_decay_length_penalty", kHonoured, "[]", kGenerate},
    {"forced_bos_token_id", kHonoured, "[]", kGenerate},
    {"forced_eos_token_id", kHonoured, "[]", kGenerate},
    {"length_penalty", kHonoured, "[]", kGenerate},
    {"max_length", kHonoured, "[]", kGenerate},
    {"min_length", kHonoured, "[]", kGenerate},
    {"no_repeat_ngram_size", kHonoured, "[]", kGenerate},
    {"num_beam_groups", kHonoured, "[]", kGenerate},
    {"num_beams", kHonoured, "[]", kGenerate},
    {"num_return_sequences", kHonoured, "[]", kGenerate},
    {"output_scores", kHonoured, "[]", kGenerate},
    {"remove_invalid_values", kHonoured, "[]", kGenerate},
    {"repetition_penalty", kHonoured, "[]", kGenerate},
    {"return_dict_in_generate", kHonoured, "[]", kGenerate},
    {"suppress_tokens", kHonoured, "[]", kGenerate},
    {"temperature", kHonoured, "[]", kGenerate},
    {"top_k", kHonoured, "[]", kGenerate},
    {"top_p", kHonoured, "[]", kGenerate},
    {"typical_p", kHonoured, "[]", kGenerate},
});
constexpr auto kCommon = join_keys(kShared, kGeneration);

constexpr auto kTop = join_keys(
    kCommon, std::to_array<KnownKey>({
                 {"compression_config", kHonoured, "[]", "an old name of quantization_config"},
                 {"image_token_id"},
                 {"quantization", kHonoured, "[]", "MLX writes it, whose weights are refused"},
                 {"quantization_config", kHonoured, "[]", "read with the weights"},
                 {"text_config"},
                 {"tie_word_embeddings"},
                 {"transformers_weights", kHonoured, "[]", "one of the two usual file names"},
                 {"video_token_id"},
                 {"vision_config"},
                 {"vision_end_token_id"},
                 {"vision_start_token_id"},
                 {"max_position_embeddings", kRefused, "[]", "it belongs in text_config"},
                 {"rope_parameters", kRefused, "[]", "it belongs in text_config"},
                 {"rope_scaling", kRefused, "[]", "it belongs in text_config"},
                 {"rope_theta", kRefused, "[]", "it belongs in text_config"},
             }));

constexpr auto kText = join_keys(
    kCommon, std::to_array<KnownKey>({
                 {"attention_bias", kRefused, "[false]", "Qwen3-VL has no bias in its attention"},
                 {"attention_dropout", kHarmless, "[]", "for training"},
                 {"head_dim"},
                 {"hidden_act", kHonoured, "[]", "must be silu"},
                 {"hidden_size"},
                 {"intermediate_size"},
                 {"layer_types", kHonoured, "[]", "must be full_attention in every layer"},
                 {"max_position_embeddings"},
                 {"max_window_layers", kHarmless, "[]", "of sliding_window"},
                 {"num_attention_heads"},
                 {"num_hidden_layers"},
                 {"num_key_value_heads"},
                 {"original_max_position_embeddings", kHonoured, "[]", "of rope_type yarn"},
                 {"partial_rotary_factor", kRefused, "[1]", "every part of a head is rotated"},
                 {"rms_norm_eps"},
                 {"rope_parameters"},
                 {"rope_scaling"},
                 {"rope_theta"},
                 {"sliding_window", kHonoured, "[]", "must be null, or use_sliding_window false"},
                 {"tie_word_embeddings"},
                 {"use_sliding_window", kRefused, "[false]", "attention within a window"},
                 {"vocab_size"},
             }));

constexpr auto kMoeText =
    join_keys(kText, std::to_array<KnownKey>({
                         {"decoder_sparse_step"},
                         {"mlp_only_layers"},
                         {"moe_intermediate_size"},
                         {"norm_topk_prob", kRefused, "[true]", "weights of experts add up to 1"},
                         {"num_experts"},
                         {"num_experts_per_tok"},
                         {"num_local_experts", kHonoured, "[]", "num_experts in transformers 5"},
                         {"output_router_logits", kHarmless},
                         {"router_aux_loss_coef", kHarmless, "[]", "for training"},
                         {"shared_expert_intermediate_size", kRefused, "[0]", "a shared expert"},
                     }));

constexpr auto kVision = join_keys(
    kShared, std::to_array<KnownKey>({
                 {"attention_dropout", kHarmless, "[]", "for training"},
                 {"deepstack_visual_indexes"},
                 {"depth"},
                 {"head_dim", kHonoured, "[]", "must be hidden_size / num_heads"},
                 {"hidden_act", kHonoured, "[]", "must be gelu_pytorch_tanh"},
                 {"hidden_size"},
                 {"in_channels", kHonoured, "[]", "must be 3"},
                 {"intermediate_size"},
                 {"num_attention_heads", kHonoured, "[]", "must equal num_heads"},
                 {"num_heads"},
                 {"num_position_embeddings"},
                 {"out_hidden_size"},
                 {"partial_rotary_factor", kRefused, "[1]", "every part of a head is rotated"},
                 {"patch_size"},
                 {"rope_parameters"},
                 {"rope_scaling"},
                 {"rope_theta"},
                 {"spatial_merge_size"},
                 {"temporal_patch_size"},
                 {"tie_word_embeddings", kHarmless},
             }));

}  // namespace

const KeyTable kTopKeys = {"config.json", "", UnknownKeys::warn, kTop};
const KeyTable kTextKeys = {"config.json", "text_config", UnknownKeys::warn, kText};
const KeyTable kMoeTextKeys = {"config.json", "text_config of qwen3_vl_moe", UnknownKeys::warn,
                               kMoeText};
const KeyTable kVisionKeys = {"config.json", "vision_config", UnknownKeys::warn, kVision};

}  // namespace saker
