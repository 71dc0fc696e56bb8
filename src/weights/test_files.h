// For the tests of this room: a folder that goes away, files built byte by byte, and the sentence
// that a call throws.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "weights/writer.h"

namespace saker {

/// A new folder, removed with all that is in it.
class TestFolder {
  public:
    TestFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "saker-test-XXXXXX").string();
        CHECK(mkdtemp(name.data()), "no temporary folder");
        path_ = std::filesystem::canonical(name);
    }
    ~TestFolder() { std::filesystem::remove_all(path_); }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

    std::filesystem::path put(std::string_view name, std::string_view bytes) const {
        // A new file each time: some file systems wait for the disk where an old one is shortened.
        std::filesystem::remove(path_ / name);
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

inline std::string read_all(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The eight bytes of a header length.
inline std::string length_bytes(uint64_t length) {
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>(length >> (8 * i) & 0xFF);
    return out;
}

/// A safetensors file with this header and so many bytes of numbers, 0, 1, 2 ...
inline std::string safetensors_bytes(std::string_view header, size_t num_bytes) {
    std::string out = length_bytes(header.size()) + std::string(header);
    for (size_t i = 0; i < num_bytes; ++i) out += static_cast<char>(i);
    return out;
}

/// What `call` says while it throws StartupError, or "" where it does not.
template <class Call>
std::string startup_error(Call call) {
    try {
        call();
    } catch (const StartupError& error) {
        return error.what();
    }
    return "";
}

/// A tensor for write_checkpoint.
struct TestTensor {
    std::string name;
    DType dtype;
    std::vector<int64_t> shape;
    std::string bytes;
};

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

inline void write_checkpoint(const std::filesystem::path& folder,
                             const std::vector<TestTensor>& tensors, int64_t shard_bytes = 0) {
    std::vector<SafetensorsWriter::Declared> declared;
    for (const TestTensor& t : tensors) declared.push_back({t.name, t.dtype, t.shape});
    SafetensorsWriter writer(folder, std::move(declared), shard_bytes);
    for (const TestTensor& t : tensors)
        writer.write(t.bytes.data(), static_cast<int64_t>(t.bytes.size()));
    writer.finish();
}

}  // namespace saker
