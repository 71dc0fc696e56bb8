// The checks of safetensors.h, in the order in which a file is read: length, header text, entries,
// byte ranges.
#include "weights/safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/stand_in.h"
#include "json/json.h"

namespace saker {
namespace {

// The format's own limit on a header.
constexpr int64_t kMaxHeaderBytes = 100'000'000;
// The largest checkpoints with one tensor an expert have about 100,000 tensors in all their files;
// an entry is some ten values. Bounds what parsing allocates.
constexpr size_t kMaxValues = size_t{1} << 22;
constexpr size_t kMaxRank = 64;
constexpr size_t kMaxDepth = 8;

struct Type {
    std::string_view name;
    int64_t bits;
    std::optional<DType> dtype;  // none: may be present, but cannot be used
};
constexpr Type kTypes[] = {
    {"F32", 32, DType::f32},     {"BF16", 16, DType::bf16},      {"F16", 16, DType::f16},
    {"I64", 64, DType::i64},     {"F8_E4M3", 8, DType::f8_e4m3}, {"I32", 32, DType::i32},
    {"U8", 8, DType::u8},        {"F64", 64, std::nullopt},      {"BOOL", 8, std::nullopt},
    {"I8", 8, std::nullopt},     {"I16", 16, std::nullopt},      {"U16", 16, std::nullopt},
    {"U32", 32, std::nullopt},   {"U64", 64, std::nullopt},      {"F8_E5M2", 8, std::nullopt},
    {"C64", 64, std::nullopt},   {"F8_E8M0", 8, std::nullopt},   {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F4", 4, std::nullopt},     {"F6_E2M3", 6, std::nullopt},   {"F8_E5M2FNUZ", 8, std::nullopt},
    {"F6_E3M2", 6, std::nullopt}};

struct ByteRange {
    int64_t begin, end;
    const std::string* name;
};

// Reads one file's header into entries. Every fault goes through fail(): "PATH: sentence."
class HeaderReader {
  public:
    HeaderReader(const std::string& path, int64_t data_bytes)
        : path_(path), data_bytes_(data_bytes) {}

    [[noreturn]] void fail(const std::string& sentence) const {
        throw StartupError(path_ + ": " + sentence);
    }
    [[noreturn]] void fail(std::string_view tensor, const std::string& sentence) const {
        fail("tensor " + quote(tensor) + " " + sentence);
    }

    const Type& type(std::string_view name, const json::object& fields) const {
        const json::value* dtype = fields.if_contains("dtype");
        if (!dtype || !dtype->is_string()) fail(name, "has no dtype.");
        const std::string_view text = dtype->get_string();
        for (const Type& known : kTypes)
            if (known.name == text) return known;
        fail(name, "has the unknown dtype " + quote(text) + ".");
    }

    std::vector<int64_t> shape(std::string_view name, const json::object& fields) const {
        const json::value* shape = fields.if_contains("shape");
        if (!shape || !shape->is_array()) fail(name, "has no shape.");
        if (shape->get_array().size() > kMaxRank)
            fail(name, "has more than " + std::to_string(kMaxRank) + " dimensions.");
        std::vector<int64_t> dims;
        for (const json::value& dim : shape->get_array()) {
            if (!dim.is_int64() || dim.get_int64() < 0)
                fail(name, "has a dimension that is not a whole number from 0 to 2^63 - 1.");
            dims.push_back(dim.get_int64());
        }
        return dims;
    }

    // Bytes of a shape. The product skips zeros, so that the strides of an empty tensor cannot
    // overflow either.
    int64_t size_bytes(std::string_view name, const std::vector<int64_t>& dims,
                       int64_t bits) const {
        int64_t product = bits;
        bool empty = false;
        for (int64_t dim : dims) {
            empty = empty || dim == 0;
            if (__builtin_mul_overflow(product, std::max<int64_t>(dim, 1), &product))
                fail(name, "has a shape of more than 2^63 bits: " + shape_text(dims) + ".");
        }
        if (empty) return 0;
        if (product % 8 != 0) fail(name, "does not fill whole bytes.");
        return product / 8;
    }

    ByteRange range(std::string_view name, const json::object& fields) const {
        const json::value* offsets = fields.if_contains("data_offsets");
        if (!offsets || !offsets->is_array() || offsets->get_array().size() != 2)
            fail(name, "has no data_offsets of two numbers.");
        int64_t at[2];
        for (size_t i = 0; i < 2; ++i) {
            const json::value& offset = offsets->get_array()[i];
            if (!offset.is_int64() || offset.get_int64() < 0)
                fail(name, "has a data offset that is not a whole number from 0 to 2^63 - 1.");
            at[i] = offset.get_int64();
        }
        if (at[0] > at[1]) fail(name, "ends before it begins.");
        if (at[1] > data_bytes_)
            fail(name, "ends at byte " + std::to_string(at[1]) + " of the numbers, but there are " +
                           std::to_string(data_bytes_) +
                           ": the file is cut short, download it again.");
        return {at[0], at[1], nullptr};
    }

    void check_metadata(const json::value& metadata) const {
        if (!metadata.is_object()) fail("__metadata__ is not an object.");
        for (const auto& [key, text] : metadata.get_object())
            if (!text.is_string()) fail("__metadata__ has a value that is not text.");
    }

    // The ranges must cover [0, data_bytes) once.
    void check_cover(std::vector<ByteRange>& ranges) const {
        std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) {
            return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
        });
        int64_t end = 0;
        for (const ByteRange& range : ranges) {
            if (range.begin < end) fail(*range.name, "overlaps the tensor before it.");
            if (range.begin > end)
                fail(*range.name,
                     "leaves a hole of " + std::to_string(range.begin - end) + " bytes before it.");
            end = range.end;
        }
        if (end != data_bytes_)
            fail("has " + std::to_string(data_bytes_ - end) + " bytes after the last tensor.");
    }

  private:
    const std::string& path_;
    int64_t data_bytes_;
};

}  // namespace

std::string_view safetensors_type(DType dtype) {
    for (const Type& type : kTypes)
        if (type.dtype == dtype) return type.name;
    CHECK(false, "a dtype without a name in safetensors");
}

std::string shape_text(std::span<const int64_t> shape) {
    std::string out = "[";
    for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
    return out + "]";
}

bool read_ahead(const void* at, int64_t size_bytes) {
    if (size_bytes <= 0) return true;
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t begin = reinterpret_cast<uintptr_t>(at) / page * page;
    const uintptr_t end = reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(size_bytes);
#ifdef MADV_POPULATE_READ
    constexpr int kPopulateRead = MADV_POPULATE_READ;
#else
    constexpr int kPopulateRead = 22;  // Linux 5.14, missing in older headers
#endif
    while (madvise(reinterpret_cast<void*>(begin), end - begin, kPopulateRead) != 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        if (errno != EINVAL) return false;
        // A kernel that does not know the advice: touch each page.
        for (uintptr_t i = begin; i < end; i += page)
            static_cast<void>(*reinterpret_cast<const volatile char*>(i));
        return true;
    }
    return true;
}

Tensor TensorEntry::view() const {
    CHECK(reinterpret_cast<uintptr_t>(at) % static_cast<uintptr_t>(size_of(dtype)) == 0,
          "view of a misaligned tensor");
    return Tensor(const_cast<std::byte*>(at), dtype, std::span(shape));
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path.string()) {
    map();
    try {
        read_header();
    } catch (...) {
        munmap(at_, static_cast<size_t>(file_bytes_));
        throw;
    }
}

SafetensorsFile::~SafetensorsFile() {
    if (at_) munmap(at_, static_cast<size_t>(file_bytes_));
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&& other) noexcept
    : path_(std::move(other.path_)),
      at_(std::exchange(other.at_, nullptr)),
      file_bytes_(other.file_bytes_),
      data_bytes_(other.data_bytes_),
      stored_(std::move(other.stored_)) {}

void SafetensorsFile::fail(const std::string& sentence) const {
    throw StartupError(path_ + ": " + sentence);
}

void SafetensorsFile::map() {
    // O_NONBLOCK: opening a pipe that stands in place of a file must not wait for a writer.
    const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) fail(std::string("cannot be opened (") + std::strerror(errno) + ").");
    struct stat status = {};
    std::string fault;
    void* at = MAP_FAILED;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        fault = "is not a regular file.";
    } else if (status.st_size < 8) {
        fault = status.st_size == 0 ? "is empty: download it again."
                                    : "is shorter than the 8 bytes of a header length.";
    } else {
        at = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_SHARED, descriptor,
                  0);
        if (at == MAP_FAILED)
            fault = std::string("cannot be mapped (") + std::strerror(errno) + ").";
    }
    ::close(descriptor);
    if (!fault.empty()) fail(fault);
    at_ = static_cast<std::byte*>(at);
    file_bytes_ = status.st_size;
}

std::string_view SafetensorsFile::header_text() const {
    uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<uint64_t>(at_[i]);
    const auto whole =
        std::string_view(reinterpret_cast<const char*>(at_), static_cast<size_t>(file_bytes_));
    if (const std::string_view sentence = stand_in(whole.substr(0, kStandInBytes));
        !sentence.empty())
        fail(std::string(sentence) + ".");
    if (length == 0) fail("has a header of no bytes.");
    if (length > static_cast<uint64_t>(kMaxHeaderBytes))
        fail("claims a header above 100 MB: it is not a safetensors file.");
    if (length > static_cast<uint64_t>(file_bytes_ - 8))
        fail("ends inside its header: the file is cut short, download it again.");
    const std::string_view text = whole.substr(8, length);
    if (text[0] != '{') fail("has a header that does not begin with a brace.");
    return text;
}

void SafetensorsFile::read_header() {
    const std::string_view text = header_text();
    const auto parsed = parse_json(text, "the header",
                                   {.max_bytes = static_cast<size_t>(kMaxHeaderBytes),
                                    .max_depth = kMaxDepth,
                                    .max_values = kMaxValues});
    if (!parsed) fail(parsed.error().message);
    if (!parsed.value().is_object()) fail("the header is not a JSON object.");

    const int64_t data_begin = 8 + static_cast<int64_t>(text.size());
    data_bytes_ = file_bytes_ - data_begin;
    const HeaderReader reader(path_, data_bytes_);
    std::vector<ByteRange> ranges;
    for (const auto& [key, value] : parsed.value().get_object()) {
        const std::string_view name = key;
        if (name == "__metadata__") {
            reader.check_metadata(value);
            continue;
        }
        if (!value.is_object()) reader.fail(name, "is not described by an object.");
        const json::object& fields = value.get_object();
        const Type& type = reader.type(name, fields);
        Stored stored;
        stored.entry.dtype = type.dtype.value_or(DType::u8);
        if (!type.dtype) stored.unusable_type = type.name;
        stored.entry.shape = reader.shape(name, fields);
        stored.entry.size_bytes = reader.size_bytes(name, stored.entry.shape, type.bits);
        stored.entry.file = path_;
        ByteRange range = reader.range(name, fields);
        if (range.end - range.begin != stored.entry.size_bytes)
            reader.fail(name, "has " + std::to_string(range.end - range.begin) +
                                  " bytes where its shape " + shape_text(stored.entry.shape) +
                                  " and dtype " + std::string(type.name) + " need " +
                                  std::to_string(stored.entry.size_bytes) + ".");
        stored.entry.at = at_ + data_begin + range.begin;
        range.name = &stored_.emplace(std::string(name), std::move(stored)).first->first;
        ranges.push_back(range);
    }
    reader.check_cover(ranges);
}

const TensorEntry& SafetensorsFile::entry(std::string_view name) const {
    const auto found = stored_.find(name);
    if (found == stored_.end())
        throw StartupError(path_ + ": holds no tensor " + quote(name) + ".");
    const Stored& stored = found->second;
    if (!stored.unusable_type.empty())
        throw StartupError(path_ + ": tensor " + quote(name) + " has the dtype " +
                           stored.unusable_type + ", which no model here can use.");
    return stored.entry;
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
    const auto found = stored_.find(name);
    return found == stored_.end() || !found->second.unusable_type.empty() ? nullptr
                                                                          : &found->second.entry;
}

std::vector<std::string> SafetensorsFile::names() const {
    std::vector<std::string> names;
    for (const auto& [name, stored] : stored_) names.push_back(name);
    return names;
}

}  // namespace saker
