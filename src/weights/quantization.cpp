// One method is served; of the others the name and the bits are read, wherever a tool writes them.
#include "weights/quantization.h"

#include "base/check.h"
#include "base/utf8.h"
#include "weights/decode.h"

namespace saker {
namespace {

constexpr KnownKey kFp8Keys[] = {
    {"quant_method", KeyUse::honoured, "[]", "fp8"},
    {"fmt", KeyUse::honoured, "[]", "e4m3 or float8_e4m3fn"},
    {"weight_block_size", KeyUse::honoured, "[]", "[128, 128]"},
    {"activation_scheme", KeyUse::harmless, "[]",
     "dynamic or static: weights are decoded to bf16, activations are never quantised"},
    {"modules_to_not_convert", KeyUse::harmless, "[]", "each tensor is read as it is stored"},
    {"ignored_layers", KeyUse::harmless, "[]", "each tensor is read as it is stored"},
    {"modules_to_convert", KeyUse::harmless, "[]", "each tensor is read as it is stored"},
    {"dequantize", KeyUse::harmless, "[]", "weights are always decoded"},
    {"scale_fmt", KeyUse::harmless, "[]", "scales are read as they are stored, BF16 or F32"},
};
constexpr KeyTable kFp8Table = {"config.json", "quantization_config", UnknownKeys::refuse,
                                kFp8Keys};

constexpr std::string_view kNeeded =
    ": an unquantised checkpoint or an FP8 one (quant_method fp8, blocks of 128 x 128) is needed.";

// The first of `keys` that is a sensible whole number in `object`; 0 where none is.
int64_t bits_at(const json::object& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        const json::value* value = object.if_contains(key);
        if (value && value->is_int64() && value->get_int64() > 0 && value->get_int64() <= 64)
            return value->get_int64();
    }
    return 0;
}

bool is_on(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_bool() && value->get_bool();
}

// Of the first group of compressed-tensors: {"group_0": {"weights": {"num_bits": 4}}}.
int64_t bits_of_groups(const json::object& object) {
    const json::value* groups = object.if_contains("config_groups");
    if (!groups || !groups->is_object() || groups->get_object().empty()) return 0;
    const json::value& group = groups->get_object().begin()->value();
    const json::value* weights =
        group.is_object() ? group.get_object().if_contains("weights") : nullptr;
    return weights && weights->is_object() ? bits_at(weights->get_object(), {"num_bits"}) : 0;
}

int64_t bits_of(const json::object& object) {
    if (is_on(object, "load_in_4bit") || is_on(object, "_load_in_4bit")) return 4;
    if (is_on(object, "load_in_8bit") || is_on(object, "_load_in_8bit")) return 8;
    const int64_t bits = bits_at(object, {"bits", "w_bit", "wbits", "num_bits", "nbits"});
    return bits > 0 ? bits : bits_of_groups(object);
}

std::string text_at(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// "awq (4 bits)", "compressed-tensors (format pack-quantized, 4 bits)", "modelopt (NVFP4)".
std::string describe(const std::string& method, const json::object& object) {
    std::string detail;
    const auto add = [&](const std::string& part) {
        detail += (detail.empty() ? "" : ", ") + part;
    };
    if (const std::string format = text_at(object, "format"); !format.empty())
        add("format " + quote(format));
    if (const std::string algorithm = text_at(object, "quant_algo"); !algorithm.empty())
        add(quote(algorithm));
    if (const std::string type = text_at(object, "bnb_4bit_quant_type"); !type.empty())
        add(quote(type));
    if (const int64_t bits = bits_of(object); bits > 0) add(std::to_string(bits) + " bits");
    return quote(method) + (detail.empty() ? "" : " (" + detail + ")");
}

[[noreturn]] void refuse(const JsonReader& reader, const std::string& what) {
    throw StartupError(reader.where() + ": the checkpoint is quantised with " + what +
                       ", which Saker does not read" + std::string(kNeeded));
}

void check_fp8(const JsonReader& reader) {
    check_keys(reader, kFp8Table);
    const std::string format = reader.string_or("fmt", "e4m3");
    if (format != "e4m3" && format != "float8_e4m3fn" && format != "float8_e4m3")
        refuse(reader, "fp8 of the format " + quote(format));
    const std::string scheme = reader.string_or("activation_scheme", "dynamic");
    if (scheme != "dynamic" && scheme != "static")
        reader.fail("activation_scheme", "must be dynamic or static, not " + quote(scheme));
    const std::string scale = reader.string_or("scale_fmt", "float");
    if (scale != "float" && scale != "ue8m0")
        reader.fail("scale_fmt", "must be float or ue8m0, not " + quote(scale));
    reader.boolean_or("dequantize", false);
    for (const char* key : {"modules_to_not_convert", "ignored_layers", "modules_to_convert"})
        if (reader.has(key) && !reader.value(key).is_array()) reader.fail(key, "is not a list");
    // transformers takes 128 x 128 where the key is left out, and one scale a tensor for null.
    if (!reader.has("weight_block_size")) {
        if (reader.members().contains("weight_block_size"))
            refuse(reader, "fp8 with one scale for each tensor (weight_block_size null)");
        return;
    }
    const std::vector<int64_t> block = reader.integers("weight_block_size");
    if (block.size() != 2 || block[0] != kScaleBlock || block[1] != kScaleBlock)
        refuse(reader, "fp8 of another weight_block_size than [128, 128]");
}

void check_method(const JsonReader& reader) {
    const json::object& object = reader.members();
    std::string method = reader.has("quant_method") ? reader.string("quant_method") : "";
    // Early files of bitsandbytes and of AutoGPTQ name no method.
    if (method.empty() && (object.contains("load_in_4bit") || object.contains("load_in_8bit")))
        method = "bitsandbytes";
    if (method.empty() && object.contains("config_groups")) method = "compressed-tensors";
    if (method.empty() && object.contains("quant_algo")) method = "modelopt";
    if (method.empty() && object.contains("desc_act")) method = "gptq";
    if (method.empty()) {
        if (object.empty()) return;
        reader.fail("quant_method", "is missing");
    }
    if (method == "fp8")
        check_fp8(reader);
    else
        refuse(reader, describe(method, object));
}

}  // namespace

const KeyTable& fp8_keys() {
    return kFp8Table;
}

void check_quantization(const json::object& config, const std::string& file) {
    const JsonReader top(config, file);
    // compression_config is an older name; MLX writes quantization.
    for (const char* key : {"quantization_config", "compression_config"})
        if (top.has(key)) check_method(top.object(key));
    if (top.has("quantization") && top.value("quantization").is_object())
        refuse(top, describe("MLX", top.object("quantization").members()));
    if (top.has("text_config") && top.value("text_config").is_object()) {
        const JsonReader text = top.object("text_config");
        if (text.has("quantization_config")) check_method(text.object("quantization_config"));
    }
}

}  // namespace saker
