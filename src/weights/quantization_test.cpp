// The one method that is read, with every key; the others refused by name and bits.
#include "weights/quantization.h"

#include <gtest/gtest.h>

#include "weights/test_files.h"

namespace saker {
namespace {

std::string error_of(const std::string& config) {
    const auto parsed = parse_json(config, "the test");
    EXPECT_TRUE(parsed) << config;
    return startup_error([&] { check_quantization(parsed.value().as_object(), "F/config.json"); });
}

std::string error_with(const std::string& quantization) {
    return error_of(R"({"quantization_config":)" + quantization + "}");
}

bool says(const std::string& error, std::string_view part) {
    return error.find(part) != std::string::npos;
}

TEST(Quantization, NoneAndBlockFp8Pass) {
    EXPECT_EQ("", error_of("{}"));
    EXPECT_EQ("", error_with("null"));
    EXPECT_EQ("", error_with("{}"));
    EXPECT_EQ("", error_with(R"({"quant_method":"fp8"})")) << "transformers takes 128 x 128";
    // As released.
    EXPECT_EQ("", error_with(R"({"activation_scheme":"dynamic","fmt":"e4m3","quant_method":"fp8",
        "modules_to_not_convert":["lm_head","model.visual.pos_embed"],
        "weight_block_size":[128,128]})"));
    EXPECT_EQ("", error_with(R"({"activation_scheme":"static","fmt":"float8_e4m3fn",
        "quant_method":"fp8","ignored_layers":null,"modules_to_convert":null,"dequantize":true,
        "scale_fmt":"ue8m0","weight_block_size":[128,128]})"));
}

TEST(Quantization, OtherFp8IsNamed) {
    const auto error = [](const std::string& keys) {
        return error_with(R"({"quant_method":"fp8",)" + keys + "}");
    };
    EXPECT_TRUE(says(error(R"("weight_block_size":[64,64])"), "than [128, 128]"));
    EXPECT_TRUE(says(error(R"("weight_block_size":[128])"), "than [128, 128]"));
    EXPECT_TRUE(says(error(R"("weight_block_size":null)"), "one scale for each tensor"));
    EXPECT_TRUE(says(error(R"("weight_block_size":128)"), "weight_block_size is not a list"));
    EXPECT_TRUE(says(error(R"("fmt":"e5m2")"), "format \"e5m2\""));
    EXPECT_TRUE(says(error(R"("activation_scheme":"x")"), "must be dynamic or static"));
    EXPECT_TRUE(says(error(R"("scale_fmt":"x")"), "must be float or ue8m0"));
    EXPECT_TRUE(says(error(R"("modules_to_not_convert":"lm_head")"), "is not a list"));
    EXPECT_TRUE(says(error(R"("dequantize":"yes")"), "is not true or false"));
    const std::string misspelt = error(R"("weight_block_sizes":[64,64])");
    EXPECT_TRUE(says(misspelt, "\"weight_block_sizes\" is not a key")) << misspelt;
    EXPECT_TRUE(says(misspelt, "did you mean weight_block_size?")) << misspelt;
}

TEST(Quantization, OtherMethodsAreNamedWithTheirBits) {
    const char* kMethods[][2] = {
        {R"({"quant_method":"awq","bits":4,"group_size":128,"version":"gemm"})",
         "\"awq\" (4 bits)"},
        {R"({"quant_method":"gptq","bits":8,"desc_act":false})", "\"gptq\" (8 bits)"},
        {R"({"bits":4,"desc_act":false})", "\"gptq\" (4 bits)"},
        {R"({"quant_method":"bitsandbytes","_load_in_4bit":true,"load_in_4bit":true,
            "bnb_4bit_quant_type":"nf4"})",
         "\"bitsandbytes\" (\"nf4\", 4 bits)"},
        {R"({"load_in_8bit":true})", "\"bitsandbytes\" (8 bits)"},
        {R"({"quant_method":"compressed-tensors","format":"pack-quantized",
            "config_groups":{"group_0":{"weights":{"num_bits":4}}}})",
         "\"compressed-tensors\" (format \"pack-quantized\", 4 bits)"},
        {R"({"quant_method":"modelopt","quant_algo":"NVFP4"})", "\"modelopt\" (\"NVFP4\")"},
        {R"({"quant_method":"mxfp4"})", "\"mxfp4\""},
        {R"({"quant_method":"hqq","nbits":4})", "\"hqq\" (4 bits)"},
        {R"({"quant_method":"torchao","quant_type":{}})", "\"torchao\""},
        {R"({"quant_method":"quark"})", "\"quark\""},
        {R"({"quant_method":"eetq"})", "\"eetq\""},
        {R"({"quant_method":"fbgemm_fp8"})", "\"fbgemm_fp8\""},
        {R"({"quant_method":"exl2","bits":4.5})", "\"exl2\""}};
    for (const auto& [config, name] : kMethods) {
        const std::string error = error_with(config);
        EXPECT_TRUE(says(error, std::string("is quantised with ") + name + ", which")) << error;
        EXPECT_TRUE(says(error, "an unquantised checkpoint or an FP8 one")) << error;
        EXPECT_TRUE(says(error, "F/config.json: quantization_config: ")) << error;
    }
    EXPECT_TRUE(says(error_with(R"({"bits":4})"), "quant_method is missing"));
    EXPECT_TRUE(says(error_with(R"({"quant_method":4})"), "quant_method is not a string"));
    EXPECT_TRUE(says(error_with("[]"), "quantization_config is not an object"));
}

TEST(Quantization, OtherPlaces) {
    EXPECT_TRUE(says(error_of(R"({"text_config":{"quantization_config":{"quant_method":"awq"}}})"),
                     "F/config.json: text_config.quantization_config: the checkpoint is"));
    EXPECT_TRUE(
        says(error_of(R"({"compression_config":{"config_groups":{}}})"), "\"compressed-tensors\""));
    EXPECT_TRUE(
        says(error_of(R"({"quantization":{"group_size":64,"bits":4}})"), "\"MLX\" (4 bits)"));
}

}  // namespace
}  // namespace saker
