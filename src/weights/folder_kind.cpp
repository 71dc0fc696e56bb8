// From the outside in: the name, the files, the configuration. Every function throws or passes.
#include "weights/folder_kind.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/stand_in.h"
#include "base/utf8.h"
#include "weights/model_folder.h"
#include "weights/model_type.h"
#include "weights/quantization.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEntries = 10'000;  // of a folder that is looked through

// Files that some room reads as text. Weight files are looked at where they are opened, since a
// stale one may lie beside those that are read.
constexpr const char* kTextFiles[] = {"config.json",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "generation_config.json",
                                      "preprocessor_config.json",
                                      "video_preprocessor_config.json",
                                      "processor_config.json",
                                      "chat_template.jinja",
                                      "chat_template.json",
                                      "model.safetensors.index.json",
                                      "SHA256SUMS"};

[[noreturn]] void refuse(const fs::path& path, const std::string& sentence) {
    throw StartupError(path.string() + ": " + sentence + (sentence.ends_with('?') ? "" : "."));
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

std::string first_bytes(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return "";
    std::string bytes(kStandInBytes, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return bytes;
}

// Names of files and folders, sorted.
struct Entries {
    std::vector<std::string> files, folders;

    explicit Entries(const fs::path& folder) {
        std::error_code ignored;
        for (const auto& item : fs::directory_iterator(folder, ignored)) {
            (item.is_directory(ignored) ? folders : files)
                .push_back(item.path().filename().string());
            if (files.size() + folders.size() == kMaxEntries) break;
        }
        std::sort(files.begin(), files.end());
        std::sort(folders.begin(), folders.end());
    }

    // The first file whose name ends so, or "".
    std::string ending(std::string_view end) const {
        for (const std::string& name : files)
            if (name.ends_with(end)) return name;
        return "";
    }
    bool has(std::string_view name) const {
        return std::find(files.begin(), files.end(), name) != files.end();
    }
};

[[noreturn]] void refuse_file(const fs::path& file) {
    const std::string name = file.filename().string();
    const std::string bytes = first_bytes(file);
    if (name.ends_with(".gguf") || bytes.starts_with("GGUF"))
        refuse(file,
               "is a GGUF file, which Saker does not read: give the folder of the checkpoint that "
               "it was made from (config.json and safetensors)");
    if (name.ends_with(".bin") || name.ends_with(".pt") || name.ends_with(".pth") ||
        name.ends_with(".ckpt"))
        refuse(file,
               "may be a pickle, which can run code and is never opened: give the folder of a "
               "model in safetensors");
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (name.ends_with(".safetensors") || name.ends_with(".json"))
        refuse(file, "is a file of a model and not a folder: give the folder, " + folder.string());
    refuse(file, "is not a folder: give the folder of a model");
}

void check_is_folder(const fs::path& folder, std::span<const fs::path> caches) {
    std::error_code fault;
    if (fs::is_directory(folder, fault)) return;
    if (fs::exists(folder, fault)) refuse_file(folder);
    const bool may_be_missing = !fault || fault == std::errc::no_such_file_or_directory;
    if (!may_be_missing) refuse(folder, "is not a folder (" + fault.message() + ")");
    if (!is_repository_id(folder.string()) || caches.empty())
        refuse(folder, "is not a folder: give the folder of a model");
    std::string searched;
    for (const fs::path& cache : caches)
        searched += (searched.empty() ? "" : ", ") + cache.string();
    refuse(folder,
           "is not a folder, and no repository of that name lies in the Hugging Face cache (" +
               searched + "): give the folder of a model, or download it first");
}

void check_stand_ins(const fs::path& folder) {
    for (const char* name : kTextFiles) {
        const fs::path file = folder / name;
        std::error_code ignored;
        if (fs::is_symlink(file, ignored) &&
            fs::status(file, ignored).type() == fs::file_type::not_found)
            refuse(file, "is a link to " + fs::read_symlink(file, ignored).string() +
                             ", which is not there: put the file there, or take the link away");
        if (const std::string_view sentence = stand_in(first_bytes(file)); !sentence.empty())
            refuse(file, std::string(sentence));
    }
}

// A member of an object that may be anything, as quoted text, or "".
std::string quoted_member(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() && !value->get_string().empty()
               ? quote(std::string_view(value->get_string()))
               : "";
}

// Loading the model beside an adapter without it would give other answers than were trained.
void check_adapter(const fs::path& folder) {
    const fs::path file = folder / "adapter_config.json";
    if (!is_there(file)) return;
    std::string kind, base;
    try {
        const json::object config = read_json_file(file);
        kind = quoted_member(config, "peft_type");
        base = quoted_member(config, "base_model_name_or_path");
    } catch (const StartupError&) {
        // Without its particulars it is an adapter still.
    }
    refuse(folder, "holds an adapter (adapter_config.json" + (kind.empty() ? "" : ", " + kind) +
                       (base.empty() ? "" : ", for " + base) +
                       ") that is not merged: merge it into its base model and save that (in peft: "
                       "merge_and_unload, then save_pretrained); if it was merged already, take "
                       "adapter_config.json away");
}

// transformers lets a configuration name the weight file; here the two usual names are read.
void check_named_weights(const json::object& config, const fs::path& config_json) {
    const json::value* value = config.if_contains("transformers_weights");
    if (!value || value->is_null()) return;
    if (value->is_string() && (value->get_string() == "model.safetensors" ||
                               value->get_string() == "model.safetensors.index.json")) {
        const fs::path single = config_json.parent_path() / "model.safetensors";
        if (value->get_string() != single.filename().string() && is_there(single))
            refuse(config_json,
                   "transformers_weights names the index, but a model.safetensors lies beside it: "
                   "take one of them away");
        return;
    }
    refuse(config_json,
           "transformers_weights names another weight file than model.safetensors or "
           "its index: give the file that name and take the key out");
}

void check_pipeline(const fs::path& folder) {
    const fs::path file = folder / "model_index.json";
    if (!is_there(file) || is_there(folder / "config.json")) return;
    std::string name;
    try {
        name = quoted_member(read_json_file(file), "_class_name");
    } catch (const StartupError&) {
        // Its name is all that is wanted of it.
    }
    refuse(folder, "is a pipeline of diffusers (model_index.json" +
                       (name.empty() ? "" : ", " + name) +
                       "), which makes pictures: give the folder of a Qwen3-VL");
}

struct Format {
    std::string_view ending, what;
};
constexpr Format kFormats[] = {
    {".gguf", "GGUF"},     {".onnx", "ONNX"},         {".engine", "TensorRT"},
    {".mnn", "MNN"},       {".tflite", "TensorFlow"}, {".distcp", "distributed training"},
    {".h5", "TensorFlow"}, {".msgpack", "Flax"},      {".nemo", "NeMo"},
};

// Files of other programs, where there is nothing that Saker reads.
void check_formats(const fs::path& folder, const Entries& entries) {
    const auto refuse_format = [&](std::string_view what, const std::string& name) {
        refuse(folder, "holds no safetensors but " + std::string(what) + " files (" + quote(name) +
                           "), which Saker does not read: give the folder of the checkpoint that "
                           "they were made from");
    };
    for (const Format& format : kFormats)
        if (const std::string name = entries.ending(format.ending); !name.empty())
            refuse_format(format.what, name);
    if (const std::string name = entries.ending(".xml"); name.starts_with("openvino"))
        refuse_format("OpenVINO", name);
    if (const std::string name = Entries(folder / "onnx").ending(".onnx"); !name.empty())
        refuse_format("ONNX", "onnx/" + name);
}

// What a trainer leaves: the optimizer's state, random numbers, its own arguments.
void check_training(const fs::path& folder, const Entries& entries) {
    // Pickled weights have a sentence of their own (checkpoint.h).
    for (const std::string& name : entries.files)
        if (name.starts_with("pytorch_model")) return;
    for (const char* name : {"optimizer.pt", "optimizer.bin", "trainer_state.json", "scheduler.pt",
                             "training_args.bin"})
        if (entries.has(name))
            refuse(folder, "holds the state of a training (" + quote(name) +
                               ") and no weights in safetensors: save the trained model with "
                               "save_pretrained and give that folder");
}

// Subfolders that hold a file of this name: `its subfolder "a"`, `one of its subfolders "a", "b"`.
std::string subfolders_with(const fs::path& folder, const Entries& entries, const char* file) {
    constexpr int kNamed = 3;
    std::string list;
    int found = 0;
    for (const std::string& name : entries.folders)
        if (is_there(folder / name / file) && ++found <= kNamed)
            list += (found > 1 ? ", " : "") + quote(name);
    if (found == 0) return "";
    return (found == 1 ? "its subfolder " : "one of its subfolders ") + list +
           (found > kNamed ? " ..." : "");
}

[[noreturn]] void refuse_without_config(const fs::path& folder, const Entries& entries) {
    if (entries.files.empty() && entries.folders.empty()) refuse(folder, "is an empty folder");
    for (const std::string& name : entries.folders)
        if (name.starts_with("models--"))
            refuse(folder,
                   "is a Hugging Face cache of several models: give one of its folders, "
                   "such as " +
                       quote(name) + ", or the id of its repository");
    if (const std::string list = subfolders_with(folder, entries, "config.json"); !list.empty())
        refuse(folder, "holds no model itself: give " + list);
    if (const std::string list = subfolders_with(folder, entries, "adapter_config.json");
        !list.empty())
        refuse(folder, "holds no model; in " + list +
                           " lies an adapter that is not merged: merge it into its base model and "
                           "give that folder");
    check_formats(folder, entries);
    check_training(folder, entries);
    if (entries.has("params.json"))
        refuse(folder,
               "has a params.json and no config.json, as original releases of Llama and "
               "Mistral have: give the folder of a Qwen3-VL");
    refuse(folder, "holds no config.json: is it the folder of a model?");
}

}  // namespace

void check_files(const fs::path& folder, std::span<const fs::path> caches) {
    check_is_folder(folder, caches);
    check_stand_ins(folder);
}

void check_model_folder(const fs::path& folder, std::span<const std::string_view> served,
                        std::span<const fs::path> caches) {
    check_files(folder, caches);
    check_download(folder);
    check_adapter(folder);
    check_pipeline(folder);
    const Entries entries(folder);
    const fs::path config_json = folder / "config.json";
    if (!is_there(config_json)) refuse_without_config(folder, entries);
    const json::object config = read_json_file(config_json);
    check_model_type(config, config_json.string(), served);
    check_quantization(config, config_json.string());
    check_named_weights(config, config_json);
    if (!entries.ending(".safetensors").empty() || !entries.ending(".index.json").empty()) return;
    check_formats(folder, entries);
    check_training(folder, entries);
}

}  // namespace saker
