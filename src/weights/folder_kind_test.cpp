// Folders that people give in place of a model, each told for what it is.
#include "weights/folder_kind.h"

#include <gtest/gtest.h>

#include "weights/test_files.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kServed[] = {"qwen3_vl", "qwen3_vl_moe"};

std::string error_of(const fs::path& folder, const std::vector<fs::path>& caches = {}) {
    return startup_error([&] { check_model_folder(folder, kServed, caches); });
}

// The whole sentence, so that a failing test shows it; and it ends with one full stop.
#define EXPECT_SAYS(error, part)                                                             \
    do {                                                                                     \
        const std::string said = (error);                                                    \
        EXPECT_NE(std::string::npos, said.find(part)) << said;                               \
        EXPECT_TRUE((said.ends_with(".") || said.ends_with("?")) && !said.ends_with("..") && \
                    !said.ends_with("?."))                                                   \
            << said;                                                                         \
        EXPECT_EQ(std::string::npos, said.find('\n')) << said;                               \
    } while (false)

// What a folder says that holds these files beside nothing else.
struct File {
    std::string name, bytes;
};
std::string error_with(const std::vector<File>& files) {
    const TestFolder folder;
    for (const File& file : files) {
        fs::create_directories((folder / file.name).parent_path());
        folder.put(file.name, file.bytes);
    }
    return error_of(folder.path());
}

const File kConfig = {"config.json", R"({"model_type":"qwen3_vl","text_config":{}})"};
const std::string kPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n";

TEST(FolderKind, PassesWhatMayBeAModel) {
    EXPECT_EQ("", error_with({kConfig, {"model.safetensors", "x"}}));
    // What lies beside a model does no harm.
    EXPECT_EQ("", error_with({kConfig,
                              {"model.safetensors", "x"},
                              {"optimizer.pt", "x"},
                              {"model-q4.gguf", "x"},
                              {"onnx/model.onnx", "x"},
                              {"README.md", kPointer},
                              {"checkpoint-5/config.json", "{}"}}));
    // Of weights that are missing, the loader speaks.
    EXPECT_EQ("", error_with({kConfig}));
    EXPECT_EQ("", error_with({kConfig, {"pytorch_model.bin", "x"}, {"training_args.bin", "x"}}));
}

TEST(FolderKind, NoFolder) {
    const TestFolder folder;
    EXPECT_SAYS(error_of(folder / "absent"), "absent: is not a folder");
    const std::string model = folder.path().string();
    EXPECT_SAYS(error_of(folder.put("a.safetensors", "x")), "give the folder, " + model);
    EXPECT_SAYS(error_of(folder.put("config.json", "{}")), "give the folder, " + model);
    EXPECT_SAYS(error_of(folder.put("model-Q4_K_M.gguf", "x")), "is a GGUF file");
    EXPECT_SAYS(error_of(folder.put("model", "GGUF\3")), "is a GGUF file");
    EXPECT_SAYS(error_of(folder.put("model.pth", "x")), "may be a pickle");
    EXPECT_SAYS(error_of(folder.put("notes.txt", "x")), "is not a folder");
    EXPECT_SAYS(error_of("Qwen/Absent", {"/hub/a", "/hub/b"}),
                "Qwen/Absent: is not a folder, and no repository of that name lies in the Hugging "
                "Face cache (/hub/a, /hub/b)");
    EXPECT_SAYS(error_of("Qwen/Absent"), "Qwen/Absent: is not a folder");
}

TEST(FolderKind, StandInsForFiles) {
    for (const char* name :
         {"config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json",
          "preprocessor_config.json", "video_preprocessor_config.json", "processor_config.json",
          "chat_template.jinja", "chat_template.json", "model.safetensors.index.json",
          "SHA256SUMS"}) {
        EXPECT_SAYS(error_with({kConfig, {name, kPointer}}), std::string(name) + ": is a Git LFS");
        EXPECT_SAYS(error_with({kConfig, {name, "<!DOCTYPE html>"}}), "is a web page");
    }
    const TestFolder folder;
    folder.put(kConfig.name, kConfig.bytes);
    fs::create_symlink("gone.json", folder / "generation_config.json");
    EXPECT_SAYS(error_of(folder.path()),
                "generation_config.json: is a link to gone.json, which is");
    EXPECT_SAYS(error_with({{"config.json", R"({"model_type":)"}}), "at byte 14, where it ends");
}

TEST(FolderKind, Adapters) {
    const std::string config =
        R"({"peft_type":"LORA","base_model_name_or_path":"Qwen/Qwen3-VL-2B-Instruct"})";
    EXPECT_SAYS(error_with({{"adapter_config.json", config}, {"adapter_model.safetensors", "x"}}),
                "\"LORA\", for \"Qwen/Qwen3-VL-2B-Instruct\") that is not merged: merge it");
    EXPECT_SAYS(error_with({kConfig, {"model.safetensors", "x"}, {"adapter_config.json", "["}}),
                "holds an adapter (adapter_config.json) that is not merged");
    EXPECT_SAYS(error_with({{"checkpoint-500/adapter_config.json", config}}),
                "in its subfolder \"checkpoint-500\" lies an adapter that is not merged");
}

TEST(FolderKind, OtherFormats) {
    EXPECT_SAYS(error_with({{"Qwen3-VL-Q4_K_M.gguf", "x"}}),
                "GGUF files (\"Qwen3-VL-Q4_K_M.gguf\")");
    EXPECT_SAYS(error_with({kConfig, {"mmproj.gguf", "x"}}), "GGUF");
    EXPECT_SAYS(error_with({kConfig, {"onnx/decoder.onnx", "x"}}), "ONNX files (\"onnx/decoder");
    EXPECT_SAYS(error_with({kConfig, {"rank0.engine", "x"}}), "TensorRT");
    EXPECT_SAYS(error_with({{"config.json", R"({"pretrained_config":{}})"}}), "TensorRT-LLM");
    EXPECT_SAYS(error_with({kConfig, {"openvino_model.xml", "x"}}), "OpenVINO");
    EXPECT_SAYS(error_with({{"params.json", "{}"}}), "Llama and Mistral");
    EXPECT_SAYS(error_with({{"model_index.json", R"({"_class_name":"QwenImagePipeline"})"},
                            {"text_encoder/config.json", "{}"}}),
                "a pipeline of diffusers (model_index.json, \"QwenImagePipeline\")");
}

TEST(FolderKind, FoldersAroundAModel) {
    const TestFolder empty;
    EXPECT_SAYS(error_of(empty.path()), "is an empty folder");
    EXPECT_SAYS(error_with({{"Qwen3-VL/config.json", "{}"}, {"notes.txt", "x"}}),
                "give its subfolder \"Qwen3-VL\"");
    EXPECT_SAYS(
        error_with({{"checkpoint-10/config.json", "{}"}, {"checkpoint-5/config.json", "{}"}}),
        "give one of its subfolders \"checkpoint-10\", \"checkpoint-5\"");
    EXPECT_SAYS(error_with({{"models--Qwen--Qwen3-VL-2B-Instruct/refs/main", "x"}}),
                "is a Hugging Face cache");
    EXPECT_SAYS(error_with({{"optimizer.pt", "x"}, {"trainer_state.json", "{}"}}),
                "the state of a training (\"optimizer.pt\")");
    EXPECT_SAYS(error_with({kConfig, {"optimizer.pt", "x"}}), "the state of a training");
    EXPECT_SAYS(error_with({{"notes.txt", "x"}}), "holds no config.json");
}

TEST(FolderKind, OtherModels) {
    const auto error = [](const std::string& config) {
        return error_with({{"config.json", config}, {"model.safetensors", "x"}});
    };
    const std::string served = "): Saker serves qwen3_vl, qwen3_vl_moe.";
    for (const char* type : {"qwen3", "qwen3_moe", "llama", "never_heard_of"})
        EXPECT_SAYS(error(std::string(R"({"vocab_size":5,"model_type":")") + type + "\"}"),
                    std::string("is a text-only model (model_type \"") + type + "\"" + served);
    const char* kKnown[][2] = {{"qwen2_vl", "is a Qwen2-VL "},
                               {"qwen2_5_vl", "is a Qwen2.5-VL "},
                               {"qwen3_5", "is a Qwen3.5 "},
                               {"qwen3_omni_moe", "is a Qwen3-Omni "},
                               {"qwen3_vl_text", "is the text model of"},
                               {"qwen3_vl_vision", "is the vision tower of"},
                               {"siglip", "is a SigLIP"}};
    for (const auto& [type, words] : kKnown)
        EXPECT_SAYS(error(std::string(R"({"model_type":")") + type + "\"}"), words);
    EXPECT_SAYS(error(R"({"model_type":"dinov2","patch_size":14})"), "is an image tower alone");
    EXPECT_SAYS(error(R"({"model_type":"llava","vision_config":{}})"),
                "pictures of another family");
    EXPECT_SAYS(error(R"({"model_type":"x"})"), "is of another family");
    // Its own reader says that it is missing.
    EXPECT_EQ("", error("{}"));
    EXPECT_EQ("", error(R"({"model_type":7})"));
}

TEST(FolderKind, QuantisedCheckpointsAreNamedBeforeTheirTensors) {
    const std::string error = error_with(
        {{"config.json",
          R"({"model_type":"qwen3_vl","quantization_config":{"quant_method":"awq","bits":4}})"},
         {"model.safetensors", "x"}});
    EXPECT_SAYS(error,
                "config.json: quantization_config: the checkpoint is quantised with \"awq\"");
}

TEST(FolderKind, WeightsUnderAnotherName) {
    const auto error = [](const std::string& value) {
        return error_with(
            {{"config.json", R"({"model_type":"qwen3_vl","transformers_weights":)" + value + "}"},
             {"model.safetensors", "x"}});
    };
    EXPECT_EQ("", error("null"));
    EXPECT_EQ("", error("\"model.safetensors\""));
    EXPECT_SAYS(error("\"other.safetensors\""), "config.json: transformers_weights names another");
    EXPECT_SAYS(error("7"), "transformers_weights");
}

// What needs no weights and no configuration: `saker render`.
TEST(FolderKind, FilesAlone) {
    const TestFolder folder;
    const auto error = [&] { return startup_error([&] { check_files(folder.path()); }); };
    folder.put("adapter_config.json", "{}");
    EXPECT_EQ("", error());
    folder.put("tokenizer.json", kPointer);
    EXPECT_SAYS(error(), "tokenizer.json: is a Git LFS pointer");
    EXPECT_SAYS(startup_error([&] { check_files(folder / "absent"); }), "is not a folder");
}

}  // namespace
}  // namespace saker
