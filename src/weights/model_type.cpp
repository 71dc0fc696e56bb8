// Known names first; of an unknown type, the keys of its configuration tell what it is.
#include "weights/model_type.h"

#include <algorithm>

#include "base/utf8.h"

namespace saker {
namespace {

struct Known {
    std::string_view model_type, what;
};
constexpr Known kKnown[] = {
    {"qwen2_vl", "is a Qwen2-VL"},
    {"qwen2_5_vl", "is a Qwen2.5-VL"},
    {"qwen2_5_vl_text", "is the text model of a Qwen2.5-VL alone"},
    {"qwen3_vl_text", "is the text model of a Qwen3-VL alone, without its vision tower"},
    {"qwen3_vl_moe_text", "is the text model of a Qwen3-VL alone, without its vision tower"},
    {"qwen3_vl_vision", "is the vision tower of a Qwen3-VL alone, without its text model"},
    {"qwen3_vl_moe_vision", "is the vision tower of a Qwen3-VL alone, without its text model"},
    {"qwen2_5_omni", "is a Qwen2.5-Omni"},
    {"qwen3_omni_moe", "is a Qwen3-Omni"},
    {"qwen3_omni_moe_thinker", "is the thinker of a Qwen3-Omni"},
    {"qwen3_5", "is a Qwen3.5"},
    {"qwen3_5_moe", "is a Qwen3.5"},
    {"clip", "is a CLIP, two towers that compare pictures with texts"},
    {"siglip", "is a SigLIP, two towers that compare pictures with texts"},
    {"siglip2", "is a SigLIP, two towers that compare pictures with texts"},
};

bool has(const json::object& config, std::initializer_list<std::string_view> keys) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](std::string_view key) { return config.contains(key); });
}

std::string describe(std::string_view type, const json::object& config) {
    for (const Known& known : kKnown)
        if (type == known.model_type) return std::string(known.what);
    if (has(config, {"vision_config", "vit_config", "visual", "thinker_config"}))
        return "is a model for pictures of another family";
    if (has(config, {"patch_size", "image_size"}) && !has(config, {"vocab_size"}))
        return "is an image tower alone";
    if (has(config, {"vocab_size", "num_hidden_layers", "num_attention_heads"}))
        return "is a text-only model";
    return "is of another family";
}

}  // namespace

void check_model_type(const json::object& config, const std::string& file,
                      std::span<const std::string_view> served) {
    const json::value* value = config.if_contains("model_type");
    if (!value || !value->is_string()) {
        // TensorRT-LLM and its like keep the model's own configuration one level down.
        if (has(config, {"pretrained_config", "builder_config", "build_config"}))
            throw StartupError(
                file +
                ": is that of a TensorRT-LLM engine, which Saker does not read: give "
                "the folder of the checkpoint that it was made from.");
        return;
    }
    const std::string_view type = value->get_string();
    if (std::find(served.begin(), served.end(), type) != served.end()) return;
    std::string list;
    for (std::string_view each : served) list += (list.empty() ? "" : ", ") + std::string(each);
    throw StartupError(file + ": " + describe(type, config) + " (model_type " + quote(type) +
                       "): Saker serves " + list + ".");
}

}  // namespace saker
