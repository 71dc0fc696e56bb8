// SafetensorsWriter: streams a checkpoint to disk, in one file or in shards, holding none of it.
//
// Used by `saker synth` for checkpoints larger than memory, and by tests. All tensors are declared
// first, in file order, since the header precedes the numbers; then their bytes are written in that
// order. Files are written as NAME.partial and get their names in finish(), so that a run that
// stops half-way leaves nothing that looks like a checkpoint. A failing or full disk is a
// StartupError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace saker {

class SafetensorsWriter {
  public:
    struct Declared {
        std::string name;
        DType dtype;
        std::vector<int64_t> shape;
    };

    /// `model.safetensors` in `folder` (which must exist), or, where the tensors are more than
    /// `shard_bytes` (0: no limit), `model-00001-of-0000N.safetensors` with
    /// `model.safetensors.index.json`. A shard ends before the tensor that would pass the limit; a
    /// tensor is never split. Throws StartupError where the disk has too little room.
    SafetensorsWriter(const std::filesystem::path& folder, std::vector<Declared> tensors,
                      int64_t shard_bytes = 0);
    /// One file of any name.
    static SafetensorsWriter single(const std::filesystem::path& file,
                                    std::vector<Declared> tensors);
    ~SafetensorsWriter();  // without finish(): removes what was written
    SafetensorsWriter(SafetensorsWriter&&) noexcept;

    /// The next bytes of the numbers, in declared order; pieces need not match tensors. CHECKs that
    /// they are not more than was declared.
    void write(const void* bytes, int64_t size_bytes);
    /// CHECKs that all was written, flushes to disk and gives the files their names.
    void finish();

    int64_t total_bytes() const { return total_bytes_; }  // of all tensors
    int num_files() const { return static_cast<int>(shards_.size()); }

  private:
    struct Shard {
        std::filesystem::path path;
        size_t begin, end;  // of tensors_
        int64_t data_bytes;
    };
    SafetensorsWriter(std::vector<Declared> tensors, std::filesystem::path folder);
    void plan_shards(int64_t shard_bytes);
    void check_room() const;
    void open_next();
    void close_current();
    void put(const void* bytes, int64_t size_bytes);
    void write_index() const;
    [[noreturn]] void fail(const std::filesystem::path& path, int error) const;

    std::filesystem::path folder_;
    std::vector<Declared> tensors_;
    std::vector<Shard> shards_;
    int64_t total_bytes_ = 0, written_bytes_ = 0;
    size_t current_ = 0;           // shard being written; shards_.size() at the end
    int64_t left_in_current_ = 0;  // bytes of numbers that it still wants
    int descriptor_ = -1;
    bool finished_ = false;
};

}  // namespace saker
