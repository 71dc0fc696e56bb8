// Finds the files of a folder, keeps them inside it, and joins their tables.
#include "weights/checkpoint.h"

#include <system_error>

#include "base/check.h"
#include "json/json.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr char kSingle[] = "model.safetensors";
constexpr char kIndex[] = "model.safetensors.index.json";

// True where `path` lies below `folder`; both canonical.
bool is_below(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
}

// The real path of the file `name` of `folder` (canonical). A link out of the folder could make the
// server read, and answer with, what the owner of the folder never meant to share. The one link
// out that is usual is that of a Hugging Face cache: MODEL/snapshots/REVISION/x -> MODEL/blobs/y.
fs::path confine(const fs::path& folder, const std::string& name) {
    const fs::path path = folder / name;
    std::error_code fault;
    const fs::path real = fs::canonical(path, fault);
    if (fault)
        throw StartupError(path.string() + ": is missing (" + fault.message() +
                           "): download the checkpoint again.");
    if (is_below(real, folder)) return real;
    const fs::path snapshots = folder.parent_path();
    if (snapshots.filename() == "snapshots" && is_below(real, snapshots.parent_path() / "blobs"))
        return real;
    throw StartupError(
        path.string() +
        ": is a link that leads out of the model folder: put the file itself there.");
}

// Tensor name -> shard, from the index.
std::map<std::string, std::string> read_index(const fs::path& path) {
    const json::object index = read_json_file(path);
    const JsonReader reader(index, path.string());
    const json::value& weight_map = reader.value("weight_map");
    if (!weight_map.is_object()) reader.fail("weight_map", "is not an object");
    std::map<std::string, std::string> shards;
    for (const auto& [tensor, file] : weight_map.get_object()) {
        const std::string_view name = tensor;
        if (!file.is_string())
            throw StartupError(path.string() + ": tensor " + quote(name) + " has no file name.");
        const std::string_view shard = file.get_string();
        if (!is_plain_name(shard) || !shard.ends_with(".safetensors"))
            throw StartupError(path.string() + ": tensor " + quote(name) + " lies in " +
                               quote(shard) +
                               ", which is not the name of a safetensors file in this folder.");
        shards.emplace(name, shard);
    }
    if (shards.empty()) reader.fail("weight_map", "is empty");
    return shards;
}

[[noreturn]] void fail_without_weights(const fs::path& folder) {
    std::string sentence = folder.string() + ": holds neither " + kSingle + " nor " + kIndex;
    std::error_code ignored;
    for (const auto& item : fs::directory_iterator(folder, ignored)) {
        const std::string extension = item.path().extension().string();
        if (extension == ".bin" || extension == ".pt" || extension == ".pth")
            throw StartupError(sentence + "; " + quote(item.path().filename().string()) +
                               " may be a pickle, which can run code and is never opened: convert "
                               "the checkpoint to safetensors.");
    }
    throw StartupError(sentence + ": is it the folder of a model?");
}

}  // namespace

bool is_plain_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

std::string canonical_name(std::string_view name) {
    const auto renamed = [&](std::string_view from, std::string_view to) {
        return std::string(to).append(name.substr(from.size()));
    };
    constexpr std::string_view kText = "model.language_model.", kVision = "model.visual.";
    if (name.starts_with(kText) || name.starts_with(kVision)) return std::string(name);
    if (name.starts_with("language_model.model.")) return renamed("language_model.model.", kText);
    if (name.starts_with("language_model.lm_head."))
        return renamed("language_model.lm_head.", "lm_head.");
    if (name.starts_with("visual.")) return renamed("visual.", kVision);
    if (name.starts_with("model.")) return renamed("model.", kText);
    return std::string(name);
}

Checkpoint Checkpoint::open(const fs::path& model_dir) {
    std::error_code fault;
    const fs::path folder = fs::canonical(model_dir, fault);
    if (fault || !fs::is_directory(folder))
        throw StartupError(model_dir.string() + ": is not a folder: give the folder of a model.");
    Checkpoint checkpoint(folder.string());
    // A dangling link counts as present, so that the message names it.
    const auto is_there = [&](const char* name) {
        std::error_code ignored;
        return fs::symlink_status(folder / name, ignored).type() != fs::file_type::not_found;
    };
    if (is_there(kSingle)) {
        checkpoint.add_file(kSingle);
    } else if (is_there(kIndex)) {
        const fs::path index = folder / kIndex;
        const auto shards = read_index(confine(folder, kIndex));
        std::map<std::string, size_t> file_of_shard;
        for (const auto& [name, shard] : shards) file_of_shard.emplace(shard, 0);
        for (auto& [shard, file] : file_of_shard) {
            file = checkpoint.files_.size();
            checkpoint.add_file(shard);
        }
        for (const auto& [name, shard] : shards)
            if (!checkpoint.files_[file_of_shard.at(shard)].has(name))
                throw StartupError(index.string() + ": says that tensor " + quote(name) +
                                   " lies in " + quote(shard) + ", which does not hold it.");
    } else {
        fail_without_weights(folder);
    }
    if (checkpoint.tensors_.empty())
        throw StartupError(checkpoint.folder_ + ": its weight files hold no tensors.");
    return checkpoint;
}

void Checkpoint::add_file(const std::string& name_in_folder) {
    const size_t file_index = files_.size();
    files_.emplace_back(confine(folder_, name_in_folder));
    file_names_.push_back(name_in_folder);
    for (const std::string& name : files_.back().names()) {
        const auto [known, is_new] =
            tensors_.emplace(canonical_name(name), Location{file_index, name});
        if (!is_new)
            throw StartupError(files_.back().path() + ": tensor " + quote(name) +
                               " is stored twice, as " + quote(known->second.name_in_file) +
                               " in " + files_[known->second.file_index].path() + " too.");
    }
}

const TensorEntry& Checkpoint::entry(std::string_view name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        throw StartupError(folder_ + ": the checkpoint holds no tensor " + quote(name) + ".");
    return files_[found->second.file_index].entry(found->second.name_in_file);
}

const TensorEntry* Checkpoint::find(std::string_view name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return nullptr;
    return files_[found->second.file_index].find(found->second.name_in_file);
}

std::vector<std::string> Checkpoint::names() const {
    std::vector<std::string> names;
    for (const auto& [name, location] : tensors_) names.push_back(name);
    return names;
}

int64_t Checkpoint::total_bytes() const {
    int64_t total = 0;
    for (const SafetensorsFile& file : files_) total += file.total_bytes();
    return total;
}

}  // namespace saker
