// Two tables, read from the top.
#include "weights/tensor_names.h"

namespace saker {
namespace {

constexpr std::string_view kText = "model.language_model.", kVision = "model.visual.";

constexpr NamePrefix kPrefixes[] = {
    // Released, and as transformers 5 saves a whole model.
    {kText, kText},
    {kVision, kVision},
    {"lm_head.", "lm_head."},
    // One `model.` too many; transformers cuts it off.
    {"model.model.", "model."},
    {"model.lm_head.", "lm_head."},
    // Serving engines and older exports, whose text model has a head of its own.
    {"language_model.model.", kText},
    {"language_model.lm_head.", "lm_head."},
    // Saved through the base class, `model.model.save_pretrained`.
    {"language_model.", kText},
    {"visual.", kVision},
    // Saved from inside torch.compile and DistributedDataParallel.
    {"_orig_mod.", ""},
    {"module.", ""},
    // As transformers before 4.52 nested it: the text model stands in `model` itself.
    {"model.", kText},
};

enum class Part { begins, holds, ends };

struct Foreign {
    Part part;
    std::string_view text;
    std::string_view sentence;
};

constexpr std::string_view kAdapter =
    "belongs to a LoRA adapter that is not merged: merge it into its base model and save that (in "
    "peft: merge_and_unload, then save_pretrained)";
constexpr std::string_view kGptq =
    "is packed as AWQ and GPTQ do it: an unquantised or an FP8 checkpoint (blocks of 128 x 128) is "
    "needed";
constexpr std::string_view kCompressed =
    "is quantised as compressed-tensors does it: an unquantised or an FP8 checkpoint (blocks of "
    "128 x 128) is needed";
constexpr std::string_view kBitsAndBytes =
    "is quantised with bitsandbytes: an unquantised or an FP8 checkpoint (blocks of 128 x 128) is "
    "needed";
constexpr std::string_view kOneScale =
    "is the scale of a whole tensor or of rows: of FP8 checkpoints only those with scales of "
    "128 x 128 blocks (weight_scale_inv) can be read";
constexpr std::string_view kMxfp4 =
    "is quantised as MXFP4: an unquantised or an FP8 checkpoint (blocks of 128 x 128) is needed";
constexpr std::string_view kHqq =
    "is quantised with HQQ: an unquantised or an FP8 checkpoint (blocks of 128 x 128) is needed";
constexpr std::string_view kMlx =
    "has a name that MLX gives: take the checkpoint from which the MLX model was made";
constexpr std::string_view kOmni = "belongs to a Qwen-Omni model: Saker serves Qwen3-VL";

constexpr Foreign kForeign[] = {
    {Part::begins, "base_model.model.", kAdapter},
    {Part::holds, ".lora_A.", kAdapter},
    {Part::holds, ".lora_B.", kAdapter},
    {Part::holds, ".lora_embedding_", kAdapter},
    {Part::holds, ".lora_magnitude_vector", kAdapter},
    {Part::holds, ".base_layer.", kAdapter},
    {Part::ends, ".qweight", kGptq},
    {Part::ends, ".qzeros", kGptq},
    {Part::ends, ".weight_packed", kCompressed},
    {Part::ends, ".weight_zero_point", kCompressed},
    {Part::ends, ".weight_global_scale", kCompressed},
    {Part::ends, ".absmax", kBitsAndBytes},
    {Part::ends, ".nested_absmax", kBitsAndBytes},
    {Part::ends, ".quant_map", kBitsAndBytes},
    {Part::ends, ".SCB", kBitsAndBytes},
    {Part::holds, ".quant_state.", kBitsAndBytes},
    {Part::ends, ".weight_scale", kOneScale},
    {Part::ends, ".weight_scale_2", kOneScale},
    {Part::ends, "_proj_blocks", kMxfp4},
    {Part::ends, ".W_q", kHqq},
    {Part::begins, "vision_tower.", kMlx},
    {Part::begins, "thinker.", kOmni},
    {Part::begins, "talker.", kOmni},
};

bool fits(std::string_view name, const Foreign& foreign) {
    switch (foreign.part) {
        case Part::begins:
            return name.starts_with(foreign.text);
        case Part::holds:
            return name.find(foreign.text) != std::string_view::npos;
        case Part::ends:
            return name.ends_with(foreign.text);
    }
    return false;
}

}  // namespace

std::span<const NamePrefix> name_prefixes() {
    return kPrefixes;
}

std::string canonical_name(std::string_view name) {
    // A loop and no recursion: a hostile name may repeat a prefix as often as it is long.
    for (bool is_cut = true; is_cut;) {
        is_cut = false;
        for (const NamePrefix& prefix : kPrefixes) {
            if (!name.starts_with(prefix.in_file)) continue;
            if (prefix.in_file == prefix.released) return std::string(name);
            if (!prefix.in_file.ends_with(prefix.released))
                return std::string(prefix.released).append(name.substr(prefix.in_file.size()));
            name.remove_prefix(prefix.in_file.size() - prefix.released.size());
            is_cut = true;
            break;
        }
    }
    return std::string(name);
}

std::vector<ForeignTensor> foreign_tensors() {
    std::vector<ForeignTensor> tensors;
    for (const Foreign& foreign : kForeign)
        tensors.push_back({foreign.part == Part::begins  ? "begins with"
                           : foreign.part == Part::holds ? "holds"
                                                         : "ends in",
                           foreign.text, foreign.sentence});
    return tensors;
}

std::string_view foreign_tensor(std::string_view name) {
    for (const Foreign& foreign : kForeign)
        if (fits(name, foreign)) return foreign.sentence;
    return {};
}

}  // namespace saker
