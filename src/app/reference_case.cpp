// case.json, image0.png ..., frame000.png ..., golden.safetensors.
#include "app/reference_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/session.h"
#include "base/natural_order.h"
#include "json/json.h"
#include "text/prompt_parts.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

// NAME0.png, NAME1.jpg ... of the folder, in the order of their numbers, which may have leading
// zeros. A number that is missing would move all behind it, and is refused.
std::vector<fs::path> numbered_pictures(const fs::path& folder, const std::string& name) {
    std::vector<fs::path> pictures;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec)) {
        const std::string stem = entry.path().stem().string();
        const std::string ending = entry.path().extension().string();
        if (!stem.starts_with(name) || stem.size() == name.size() ||
            stem.find_first_not_of("0123456789", name.size()) != std::string::npos)
            continue;
        for (const char* known : {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
            if (ending == known) pictures.push_back(entry.path());
    }
    std::sort(pictures.begin(), pictures.end(), [](const fs::path& a, const fs::path& b) {
        return naturally_before(a.filename().native(), b.filename().native());
    });
    for (size_t i = 0; i < pictures.size(); ++i) {
        const std::string digits = pictures[i].stem().string().substr(name.size());
        const size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
        if (digits.substr(first) != std::to_string(i))
            throw StartupError(fmt::format("{}: has {} pictures {}N, but {} is not number {}.",
                                           folder.string(), pictures.size(), name,
                                           pictures[i].filename().string(), i));
    }
    return pictures;
}

std::vector<uint8_t> read_picture(const fs::path& path) {
    auto bytes = read_file(path.string());
    if (!bytes) throw StartupError(bytes.error().message);
    return std::move(*bytes);
}

// Whether a stage holds ids, positions or counts; all others hold floats.
bool is_whole(const std::string& tensor) {
    for (const char* name : {"input_ids", "attention_mask", "mm_token_type_ids", "position_ids",
                             "rope_deltas", "image_grid_thw", "video_grid_thw", "greedy"})
        if (tensor == name) return true;
    return tensor.starts_with("router") && tensor.ends_with(".2");  // the experts chosen
}

}  // namespace

int64_t ReferenceTensor::num_elements() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
}

ReferenceCase::ReferenceCase(const std::filesystem::path& folder)
    : name_(folder.filename().empty() ? folder.parent_path().filename().string()
                                      : folder.filename().string()),
      golden_(folder / "golden.safetensors") {
    const auto path = folder / "case.json";
    const json::object file = read_json_file(path);
    const JsonReader reader(file, path.string());
    prompt_ = reader.string("prompt");
    const auto pictures = numbered_pictures(folder, "image");
    const auto frames = numbered_pictures(folder, "frame");
    size_t images = 0, videos = 0;
    // Placeholders in the order of the prompt.
    for (size_t at = 0; at < prompt_.size();) {
        const size_t image = prompt_.find(kImagePad, at), video = prompt_.find(kVideoPad, at);
        if (image == std::string::npos && video == std::string::npos) break;
        MediaInput input;
        if (image < video) {
            if (images == pictures.size())
                reader.fail("prompt", "speaks of more images than the folder has");
            input.names.push_back(pictures[images].filename().string());
            input.files.push_back(read_picture(pictures[images++]));
            at = image + kImagePad.size();
        } else {
            if (++videos > 1)
                reader.fail("prompt", "has more than one video: a case holds one clip");
            input.modality = Modality::video;
            input.fps = reader.number("fps");
            if (!(input.fps > 0)) reader.fail("fps", "must be positive");
            if (frames.empty()) reader.fail("prompt", "speaks of a video, but there are no frames");
            for (const fs::path& frame : frames) {
                input.names.push_back(frame.filename().string());
                input.files.push_back(read_picture(frame));
            }
            at = video + kVideoPad.size();
        }
        media_.push_back(std::move(input));
    }
}

std::optional<ReferenceTensor> ReferenceCase::find(const std::string& tensor) const {
    if (!golden_.has(tensor)) return std::nullopt;
    read_.insert(tensor);
    const TensorEntry& entry = golden_.entry(tensor);
    ReferenceTensor out;
    out.shape = entry.shape;
    const auto n = static_cast<size_t>(out.num_elements());
    const auto read = [&]<class T>(T, auto& into) {
        into.resize(n);
        for (size_t i = 0; i < n; ++i) {
            T value;
            std::memcpy(&value, entry.at + i * sizeof(T), sizeof(T));
            into[i] =
                static_cast<typename std::remove_reference_t<decltype(into)>::value_type>(value);
        }
    };
    switch (entry.dtype) {
        case DType::f32:
            read(float{}, out.numbers);
            break;
        case DType::bf16:
            read(Bf16{}, out.numbers);
            break;
        case DType::i64:
            read(int64_t{}, out.integers);
            break;
        case DType::i32:
            read(int32_t{}, out.integers);
            break;
        default:
            throw StartupError(entry.file + ": " + tensor + " is of a type that no stage has.");
    }
    if (n == 0) throw StartupError(entry.file + ": " + tensor + " is empty.");
    if (out.integers.empty() == is_whole(tensor))
        throw StartupError(entry.file + ": " + tensor + " must hold " +
                           (is_whole(tensor) ? "integers." : "floats."));
    return out;
}

ReferenceTensor ReferenceCase::get(const std::string& tensor) const {
    auto found = find(tensor);
    if (!found) throw StartupError(golden_.path() + ": holds no " + tensor + ".");
    return std::move(*found);
}

std::vector<std::string> ReferenceCase::unread() const {
    std::vector<std::string> out;
    for (const std::string& name : golden_.names())
        if (read_.count(name) == 0) out.push_back(name);
    return out;
}

}  // namespace saker
