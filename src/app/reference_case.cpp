// case.json, image0.png ..., frame000.png ..., golden.safetensors.
#include "app/reference_case.h"

#include <fmt/format.h>

#include "app/session.h"
#include "json/json.h"
#include "text/prompt_parts.h"

namespace saker {
namespace {

std::vector<uint8_t> read_picture(const std::filesystem::path& folder, const std::string& stem) {
    for (const char* ending : {".png", ".jpg", ".jpeg", ".webp", ".gif"}) {
        const auto path = folder / (stem + ending);
        if (!std::filesystem::exists(path)) continue;
        auto bytes = read_file(path.string());
        if (!bytes) throw StartupError(bytes.error().message);
        return std::move(*bytes);
    }
    return {};
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
    int images = 0, videos = 0;
    // Placeholders in the order of the prompt.
    for (size_t at = 0; at < prompt_.size();) {
        const size_t image = prompt_.find(kImagePad, at), video = prompt_.find(kVideoPad, at);
        if (image == std::string::npos && video == std::string::npos) break;
        MediaInput input;
        if (image < video) {
            auto bytes = read_picture(folder, fmt::format("image{}", images++));
            if (bytes.empty()) reader.fail("prompt", "speaks of more images than the folder has");
            input.files.push_back(std::move(bytes));
            at = image + kImagePad.size();
        } else {
            if (++videos > 1)
                reader.fail("prompt", "has more than one video: a case holds one clip");
            input.modality = Modality::video;
            input.fps = reader.number("fps");
            if (!(input.fps > 0)) reader.fail("fps", "must be positive");
            for (int i = 0;; ++i) {
                auto bytes = read_picture(folder, fmt::format("frame{:03}", i));
                if (bytes.empty()) break;
                input.files.push_back(std::move(bytes));
            }
            if (input.files.empty())
                reader.fail("prompt", "speaks of a video, but there are no frames");
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
