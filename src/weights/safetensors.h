// SafetensorsFile: one safetensors file, mapped read-only, its header checked as a whole first.
//
// Used by checkpoint.h and by readers of reference values; written by writer.h. The format is eight
// bytes of header length (little endian), a JSON header of name -> {dtype, shape, data_offsets},
// and the numbers. Nothing of a file is believed before every rule has passed: lengths, JSON
// without duplicate keys, limits on depth and count, known types, sizes by checked multiplication,
// and byte ranges that cover the rest of the file once, without overlap, hole or remainder.
//
// The size is taken from the opened descriptor before the mapping and every range is checked
// against it. A file that another process shortens afterwards raises SIGBUS at the next touch: do
// not write to a checkpoint that is in use. loader.h reads pages through read_ahead, which reports
// this as a fault while loading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "tensor/tensor.h"

namespace saker {

/// One stored tensor. `at` points into the mapping and may be misaligned for its dtype.
struct TensorEntry {
    DType dtype = DType::f32;
    std::vector<int64_t> shape;  // [] is a single number
    const std::byte* at = nullptr;
    int64_t size_bytes = 0;
    std::string file;  // path of the file, for messages

    /// The same as a Tensor; CHECKs rank 1 to 5 and alignment. Borrows the mapping.
    Tensor view() const;
};

class SafetensorsFile {
  public:
    /// Maps and checks `path`. Throws StartupError "PATH: sentence."
    explicit SafetensorsFile(const std::filesystem::path& path);
    ~SafetensorsFile();
    SafetensorsFile(SafetensorsFile&& other) noexcept;
    SafetensorsFile& operator=(SafetensorsFile&&) = delete;

    bool has(std::string_view name) const { return stored_.find(name) != stored_.end(); }
    /// Throws StartupError where the tensor is absent or of a type that DType does not have (F64,
    /// BOOL, F8_E5M2 ...): such tensors may be present, but not used.
    const TensorEntry& entry(std::string_view name) const;
    /// The same, or null in place of the error.
    const TensorEntry* find(std::string_view name) const;
    std::vector<std::string> names() const;  // sorted
    int64_t total_bytes() const { return data_bytes_; }
    const std::string& path() const { return path_; }

  private:
    struct Stored {
        TensorEntry entry;
        std::string unusable_type;  // the format's name of a type that DType lacks, or empty
    };
    void map();
    std::string_view header_text() const;
    void read_header();
    [[noreturn]] void fail(const std::string& sentence) const;

    std::string path_;
    std::byte* at_ = nullptr;
    int64_t file_bytes_ = 0, data_bytes_ = 0;
    std::map<std::string, Stored, std::less<>> stored_;
};

/// The format's name of a dtype ("BF16").
std::string_view safetensors_type(DType dtype);

/// "[2, 3]".
std::string shape_text(std::span<const int64_t> shape);

/// Brings mapped bytes into memory. False where the file no longer has them.
bool read_ahead(const void* at, int64_t size_bytes);

}  // namespace saker
