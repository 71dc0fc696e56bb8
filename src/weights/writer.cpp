// Lays out the header, then streams through one buffer per call of write(2).
#include "weights/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "json/json.h"
#include "weights/safetensors.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

int64_t size_bytes(const SafetensorsWriter::Declared& tensor) {
    int64_t size = size_of(tensor.dtype);
    for (int64_t dim : tensor.shape)
        CHECK(dim >= 0 && !__builtin_mul_overflow(size, dim, &size),
              "a declared shape is negative or too large");
    return size;
}

std::string gigabytes(int64_t bytes) {
    return fmt::format("{:.1f} GB", static_cast<double>(bytes) * 1e-9);
}

fs::path partial(const fs::path& path) {
    fs::path name = path;
    return name += ".partial";
}

// Length and text. Padded with blanks to a multiple of 8, so that the numbers begin aligned.
std::string header(const SafetensorsWriter::Declared* begin,
                   const SafetensorsWriter::Declared* end) {
    json::object entries;
    // Readers in Python refuse a checkpoint that does not say whose layout it has.
    entries["__metadata__"] = json::object{{"format", "pt"}};
    int64_t at = 0;
    for (const auto* tensor = begin; tensor != end; ++tensor) {
        const int64_t next = at + size_bytes(*tensor);
        entries[tensor->name] =
            json::object{{"dtype", safetensors_type(tensor->dtype)},
                         {"shape", json::array(tensor->shape.begin(), tensor->shape.end())},
                         {"data_offsets", json::array{at, next}}};
        at = next;
    }
    std::string text = dump_json(entries);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::string out;
    for (uint64_t length = text.size(), i = 0; i < 8; ++i)
        out += static_cast<char>(length >> (8 * i) & 0xFF);
    return out + text;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::vector<Declared> tensors, fs::path folder)
    : folder_(std::move(folder)), tensors_(std::move(tensors)) {
    std::set<std::string_view> names;
    for (const Declared& tensor : tensors_) {
        CHECK(names.insert(tensor.name).second, "a tensor is declared twice");
        total_bytes_ += size_bytes(tensor);
    }
}

SafetensorsWriter::SafetensorsWriter(const fs::path& folder, std::vector<Declared> tensors,
                                     int64_t shard_bytes)
    : SafetensorsWriter(std::move(tensors), folder) {
    plan_shards(shard_bytes);
    check_room();
    open_next();
}

SafetensorsWriter SafetensorsWriter::single(const fs::path& file, std::vector<Declared> tensors) {
    SafetensorsWriter writer(std::move(tensors), file.parent_path());
    writer.shards_ = {{file, 0, writer.tensors_.size(), writer.total_bytes_}};
    writer.check_room();
    writer.open_next();
    return writer;
}

SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&& other) noexcept
    : folder_(std::move(other.folder_)),
      tensors_(std::move(other.tensors_)),
      shards_(std::move(other.shards_)),
      total_bytes_(other.total_bytes_),
      written_bytes_(other.written_bytes_),
      current_(other.current_),
      left_in_current_(other.left_in_current_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      finished_(std::exchange(other.finished_, true)) {}

SafetensorsWriter::~SafetensorsWriter() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (finished_) return;
    std::error_code ignored;
    for (const Shard& shard : shards_) fs::remove(partial(shard.path), ignored);
}

void SafetensorsWriter::plan_shards(int64_t shard_bytes) {
    for (size_t i = 0; i < tensors_.size(); ++i) {
        const int64_t bytes = size_bytes(tensors_[i]);
        // An empty tensor never begins a shard, so that each but the first has numbers.
        const bool is_full = shard_bytes > 0 && bytes > 0 && !shards_.empty() &&
                             shards_.back().data_bytes > 0 &&
                             shards_.back().data_bytes + bytes > shard_bytes;
        if (shards_.empty() || is_full) shards_.push_back({{}, i, i, 0});
        shards_.back().end = i + 1;
        shards_.back().data_bytes += bytes;
    }
    CHECK(!shards_.empty(), "a checkpoint without tensors");
    for (size_t i = 0; i < shards_.size(); ++i)
        shards_[i].path =
            folder_ / (shards_.size() == 1 ? std::string("model.safetensors")
                                           : fmt::format("model-{:05}-of-{:05}.safetensors", i + 1,
                                                         shards_.size()));
}

// A disk that is too small is known now, and not after an hour.
void SafetensorsWriter::check_room() const {
    struct statvfs room = {};
    const std::string folder = folder_.empty() ? "." : folder_.string();
    if (statvfs(folder.c_str(), &room) != 0) fail(folder, errno);
    const auto free_bytes =
        static_cast<int64_t>(room.f_bavail) * static_cast<int64_t>(room.f_frsize);
    if (free_bytes < total_bytes_)
        throw StartupError(folder + ": needs " + gigabytes(total_bytes_) + ", but its disk has " +
                           gigabytes(free_bytes) + " free: choose another folder or free space.");
}

void SafetensorsWriter::open_next() {
    const Shard& shard = shards_[current_];
    const fs::path path = partial(shard.path);
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail(path, errno);
    const std::string text = header(tensors_.data() + shard.begin, tensors_.data() + shard.end);
    put(text.data(), static_cast<int64_t>(text.size()));
    left_in_current_ = shard.data_bytes;
}

void SafetensorsWriter::close_current() {
    const fs::path path = partial(shards_[current_].path);
    if (::fsync(descriptor_) != 0) fail(path, errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(path, errno);
    ++current_;
}

void SafetensorsWriter::put(const void* bytes, int64_t size) {
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t done = ::write(descriptor_, at, static_cast<size_t>(size));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(partial(shards_[current_].path), errno);
        at += done;
        size -= done;
    }
}

void SafetensorsWriter::write(const void* bytes, int64_t size) {
    CHECK(size <= total_bytes_ - written_bytes_, "more bytes than were declared");
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
        if (left_in_current_ == 0) {
            close_current();
            open_next();
            continue;
        }
        const int64_t now = std::min(size, left_in_current_);
        put(at, now);
        at += now;
        size -= now;
        left_in_current_ -= now;
        written_bytes_ += now;
    }
}

void SafetensorsWriter::finish() {
    CHECK(written_bytes_ == total_bytes_, "fewer bytes than were declared");
    close_current();
    for (const Shard& shard : shards_) {
        std::error_code fault;
        fs::rename(partial(shard.path), shard.path, fault);
        if (fault) fail(shard.path, fault.value());
    }
    if (shards_.size() > 1) write_index();
    finished_ = true;
}

void SafetensorsWriter::write_index() const {
    json::object weight_map;
    for (const Shard& shard : shards_)
        for (size_t i = shard.begin; i < shard.end; ++i)
            weight_map[tensors_[i].name] = shard.path.filename().string();
    const json::object index = {{"metadata", json::object{{"total_size", total_bytes_}}},
                                {"weight_map", std::move(weight_map)}};
    const std::string text = dump_json(index, 2) + "\n";
    const fs::path path = folder_ / "model.safetensors.index.json";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) fail(path, errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) fail(path, errno);
}

void SafetensorsWriter::fail(const fs::path& path, int error) const {
    if (error == ENOSPC || error == EDQUOT)
        throw StartupError(path.string() + ": the disk is full after " + gigabytes(written_bytes_) +
                           " of " + gigabytes(total_bytes_) +
                           ": choose another folder or free space.");
    throw StartupError(path.string() + ": cannot be written (" + std::strerror(error) + ").");
}

}  // namespace saker
