// Checkpoint: the weight files of a model folder as one table of tensors by canonical name.
//
// Opened by app/ and models/ at start-up, read by loader.h. It takes `model.safetensors`, or the
// shards that `model.safetensors.index.json` names. Opening maps the files and checks every header,
// and reads no weights. Files of other formats in the folder (pickled `pytorch_model.bin`) are
// never opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weights/safetensors.h"

namespace saker {

/// The released name of a tensor, from the name in a file: exports differ in their prefixes.
///   model.language_model.X, language_model.model.X, model.X  ->  model.language_model.X
///   model.visual.X, visual.X                                 ->  model.visual.X
///   lm_head.X, language_model.lm_head.X                      ->  lm_head.X
/// Any other name stays as it is.
std::string canonical_name(std::string_view name_in_file);

/// True for the name of a file and nothing more: no folders, no dot segments.
bool is_plain_name(std::string_view name);

class Checkpoint {
  public:
    /// Opens a model folder. Throws StartupError naming the file and the rule that it breaks:
    /// files missing, cut short or outside the folder; a tensor absent or stored twice.
    /// Shards are plain names of regular files in the folder. A symbolic link must stay inside the
    /// folder, or lead from `snapshots/REVISION/` to `blobs/` of a Hugging Face cache.
    static Checkpoint open(const std::filesystem::path& model_dir);

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
    void add_file(const std::string& name);

    std::string folder_;
    std::vector<SafetensorsFile> files_;
    std::vector<std::string> file_names_;
    std::map<std::string, Location, std::less<>> tensors_;
};

}  // namespace saker
