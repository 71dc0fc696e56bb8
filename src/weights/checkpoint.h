// Checkpoint: the weight files of a model folder as one table of tensors by canonical name.
//
// Opened by app/ and models/ at start-up, read by loader.h. It takes `model.safetensors`, or the
// shards that `model.safetensors.index.json` names; beside an index, `model.safetensors` only where
// it holds every tensor that the index lists. Among shards the index has the word: a tensor lies
// where it says, and copies, tensors and files that it does not list are left aside, with one line
// in the log. Opening maps the files and checks every header, and reads no weights. Files of other
// formats in the folder (pickled `pytorch_model.bin`) are never opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weights/safetensors.h"

namespace saker {

/// True for the name of a file and nothing more: no folders, no dot segments.
bool is_plain_name(std::string_view name);

class Checkpoint {
  public:
    /// Opens a model folder. Throws StartupError naming the file and the rule that it breaks:
    /// files missing or cut short; a tensor absent, stored twice, or of a kind that no plain
    /// checkpoint holds (tensor_names.h).
    /// Shards are plain names of regular files in the folder; such a name may be a link, which is
    /// followed wherever its owner made it lead.
    static Checkpoint open(const std::filesystem::path& model_dir);
    using Index = std::map<std::string, std::string, std::less<>>;  // tensor name -> shard

    bool has(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }
    /// Throws StartupError naming the folder and the tensor where it is absent or of a type that
    /// cannot be used.
    const TensorEntry& entry(std::string_view name) const;
    /// The same, or null in place of the error.
    const TensorEntry* find(std::string_view name) const;
    std::vector<std::string> names() const;  // canonical, sorted
    int64_t total_bytes() const;             // of all tensors
    int num_files() const { return static_cast<int>(files_.size()); }
    const std::vector<std::string>& file_names() const { return file_names_; }  // in the folder
    const std::string& folder() const { return folder_; }

  private:
    // Where a canonical name lies: a file, and the name in it.
    struct Location {
        size_t file_index;
        std::string name_in_file;
    };
    explicit Checkpoint(std::string folder) : folder_(std::move(folder)) {}
    bool add_single_of(const Index& index);
    void add_shards(const Index& index);
    size_t add_file(SafetensorsFile file);
    void add_tensors(size_t file);
    void add_tensor(size_t file, const std::string& name);
    void tell_left_aside(std::string_view reason) const;
    [[noreturn]] void fail_on_absent(std::string_view name) const;

    std::string folder_;
    std::vector<SafetensorsFile> files_;
    std::vector<std::string> file_names_;
    std::map<std::string, Location, std::less<>> tensors_;
    std::multimap<std::string, std::string> left_aside_;  // name in file -> file
};

}  // namespace saker
