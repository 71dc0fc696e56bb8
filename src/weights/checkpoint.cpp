// Finds the files of a folder and joins their tables.
#include "weights/checkpoint.h"

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "base/check.h"
#include "base/log.h"
#include "json/json.h"
#include "weights/tensor_names.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr char kSingle[] = "model.safetensors";
constexpr char kIndex[] = "model.safetensors.index.json";

// Where the file `name` of `folder` lies. A link is its owner's word and is followed wherever it
// leads; one that leads nowhere is named.
fs::path find_file(const fs::path& folder, const std::string& name) {
    const fs::path path = folder / name;
    std::error_code fault;
    if (fs::exists(path, fault)) return path;
    std::error_code ignored;
    const fs::path target = fs::read_symlink(path, ignored);
    if (!ignored)
        throw StartupError(
            path.string() + ": is a link to " + target.string() + ", which " +
            (fault ? "cannot be followed (" + fault.message() + ")" : "is not there") +
            ": put the file there, or download the checkpoint again.");
    throw StartupError(path.string() + ": is missing: download the checkpoint again.");
}

// Tensor name -> shard, from the index.
Checkpoint::Index read_index(const fs::path& path) {
    const json::object index = read_json_file(path);
    const JsonReader reader(index, path.string());
    const json::value& weight_map = reader.value("weight_map");
    if (!weight_map.is_object()) reader.fail("weight_map", "is not an object");
    Checkpoint::Index shards;
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
    const std::string sentence = folder.string() + ": holds neither " + kSingle + " nor " + kIndex;
    std::string pickle, weights;
    std::error_code ignored;
    for (const auto& item : fs::directory_iterator(folder, ignored)) {
        const std::string extension = item.path().extension().string();
        if (extension == ".bin" || extension == ".pt" || extension == ".pth")
            pickle = item.path().filename().string();
        if (extension == ".safetensors") weights = item.path().filename().string();
    }
    if (!weights.empty())
        throw StartupError(sentence + ", which would say what " + quote(weights) +
                           " is: download the index, or name a file that holds everything " +
                           kSingle + ".");
    if (!pickle.empty())
        throw StartupError(sentence + "; " + quote(pickle) +
                           " may be a pickle, which can run code and is never opened: convert "
                           "the checkpoint to safetensors.");
    throw StartupError(sentence + ": is it the folder of a model?");
}

// Names the first few of a list: `3 tensors ("a", "b" ...)`.
std::string first_few(const std::vector<std::string>& names, const char* noun) {
    constexpr size_t kNamed = 2;
    std::string out = std::to_string(names.size()) + " " + noun + (names.size() == 1 ? "" : "s");
    for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
        out += (i ? ", " : " (") + quote(names[i]);
    return out + (names.size() > kNamed ? " ...)" : ")");
}

}  // namespace

bool is_plain_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
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
    if (is_there(kIndex)) {
        const Index index = read_index(find_file(folder, kIndex));
        const bool whole = is_there(kSingle) && checkpoint.add_single_of(index);
        if (!whole) checkpoint.add_shards(index);
        checkpoint.tell_left_aside(whole ? "model.safetensors holds everything"
                                         : "the index does not list them there");
    } else if (is_there(kSingle)) {
        checkpoint.add_tensors(checkpoint.add_file(SafetensorsFile(find_file(folder, kSingle))));
    } else {
        fail_without_weights(folder);
    }
    if (checkpoint.tensors_.empty())
        throw StartupError(checkpoint.folder_ + ": its weight files hold no tensors.");
    return checkpoint;
}

// The whole checkpoint in one file comes before the shards beside it, as transformers has it; but
// one that lacks tensors, or cannot be read, is none, and one that is a shard itself is that.
bool Checkpoint::add_single_of(const Index& index) {
    for (const auto& [name, shard] : index)
        if (shard == kSingle) return false;
    std::optional<SafetensorsFile> single;
    try {
        single.emplace(find_file(folder_, kSingle));
    } catch (const StartupError&) {
        return false;
    }
    std::set<std::string> held;
    for (const std::string& name : single->names()) held.insert(canonical_name(name));
    for (const auto& [name, shard] : index)
        if (!held.contains(canonical_name(name))) return false;
    add_tensors(add_file(std::move(*single)));
    return true;
}

void Checkpoint::add_shards(const Index& index) {
    std::map<std::string, size_t> file_of_shard;
    for (const auto& [name, shard] : index) file_of_shard.emplace(shard, 0);
    for (auto& [shard, file] : file_of_shard)
        file = add_file(SafetensorsFile(find_file(folder_, shard)));
    for (const auto& [name, shard] : index) {
        const size_t file = file_of_shard.at(shard);
        if (!files_[file].has(name))
            throw StartupError(folder_ + "/" + kIndex + ": says that tensor " + quote(name) +
                               " lies in " + quote(shard) +
                               ", which does not hold it: download both again.");
        add_tensor(file, name);
    }
    for (size_t file = 0; file < files_.size(); ++file)
        for (const std::string& name : files_[file].names()) {
            const auto listed = index.find(name);
            if (listed == index.end() || listed->second != file_names_[file])
                left_aside_.emplace(name, file_names_[file]);
        }
}

size_t Checkpoint::add_file(SafetensorsFile file) {
    file_names_.push_back(fs::path(file.path()).filename().string());
    files_.push_back(std::move(file));
    return files_.size() - 1;
}

void Checkpoint::add_tensors(size_t file) {
    for (const std::string& name : files_[file].names()) add_tensor(file, name);
}

void Checkpoint::add_tensor(size_t file, const std::string& name) {
    const std::string where = files_[file].path() + ": tensor " + quote(name) + " ";
    if (const std::string_view foreign = foreign_tensor(name); !foreign.empty())
        throw StartupError(where + std::string(foreign) + ".");
    const auto [known, is_new] = tensors_.emplace(canonical_name(name), Location{file, name});
    if (!is_new)
        throw StartupError(where + "is stored twice, as " + quote(known->second.name_in_file) +
                           " in " + files_[known->second.file_index].path() + " too.");
}

// Whoever left more in the folder than is read may have meant it to be read.
void Checkpoint::tell_left_aside(std::string_view reason) const {
    std::vector<std::string> tensors, files;
    for (const auto& [name, file] : left_aside_) tensors.push_back(name);
    std::error_code ignored;
    for (const auto& item : fs::directory_iterator(folder_, ignored)) {
        const std::string name = item.path().filename().string();
        if (name.ends_with(".safetensors") &&
            std::find(file_names_.begin(), file_names_.end(), name) == file_names_.end())
            files.push_back(name);
    }
    if (tensors.empty() && files.empty()) return;
    std::sort(files.begin(), files.end());
    std::string what = tensors.empty() ? "" : first_few(tensors, "tensor");
    if (!files.empty()) what += (what.empty() ? "" : " and ") + first_few(files, "file");
    log_info(folder_ + ": left aside, since " + std::string(reason) + ": " + what + ".");
}

const TensorEntry& Checkpoint::entry(std::string_view name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) fail_on_absent(name);
    return files_[found->second.file_index].entry(found->second.name_in_file);
}

void Checkpoint::fail_on_absent(std::string_view name) const {
    const std::string sentence = folder_ + ": the checkpoint holds no tensor " + quote(name);
    for (const auto& [left, file] : left_aside_)
        if (canonical_name(left) == name)
            throw StartupError(sentence + ": one lies in " + quote(file) + ", but " + kIndex +
                               " does not list it.");
    throw StartupError(sentence + ".");
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
