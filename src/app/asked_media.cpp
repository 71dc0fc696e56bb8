// Where a picture is: decided by how the text begins, then by what the disk holds.
#include "app/asked_media.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <utility>

#include "app/session.h"
#include "base/base64.h"
#include "base/log.h"
#include "base/utf8.h"
#include "media/decode.h"
#include "media/frame_folder.h"

namespace saker {
namespace {

constexpr int64_t kLowDetailTokens = 256;  // detail: low

Error wrong(const std::string& name, const std::string& rule) {
    return {ErrorCode::invalid_value, name + ": " + rule, ""};
}

// What is no picture is told here, before a model is loaded; the rest when it is decoded.
Result<MediaInput> picture_of(std::vector<uint8_t> bytes, std::string name) {
    if (const auto header = read_image_header(bytes); !header)
        return Error{header.error().code, name + ": " + header.error().message, ""};
    MediaInput input;
    input.files.push_back(std::move(bytes));
    input.names.push_back(std::move(name));
    return input;
}

bool begins(std::string_view text, std::string_view lower_prefix) {
    return text.size() >= lower_prefix.size() &&
           std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(), [](char a, char b) {
               return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
           });
}

bool is_there(const std::string& path) {
    std::error_code ignored;  // a name that is too long names nothing
    return std::filesystem::exists(path, ignored);
}

// %20 and its like, of a file:// URL.
std::string unescape(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

// The path of a file:// URL, or an Error; other schemes than file name nothing on this machine.
Result<std::string> path_of_url(std::string_view url, const std::string& at) {
    if (begins(url, "http://") || begins(url, "https://"))
        return wrong(at, "saker run does not fetch " + quote(url) +
                             ": download it first, then give the file.");
    if (!begins(url, "file://"))
        return wrong(at, quote(url) + " is no URL that saker run reads: give a file.");
    std::string_view rest = url.substr(std::string_view("file://").size());
    if (begins(rest, "localhost/")) rest.remove_prefix(std::string_view("localhost").size());
    if (!rest.starts_with('/'))
        return wrong(at,
                     quote(url) + " names another machine: write file:// and an absolute path.");
    return unescape(rest);
}

Result<MediaInput> read_data_url(std::string_view url, const std::string& at) {
    const size_t comma = url.find(',');
    const std::string_view head = url.substr(0, comma);
    if (comma == std::string_view::npos || !head.ends_with(";base64"))
        return wrong(at, "its data URL does not begin as data:image/png;base64, does.");
    auto bytes = decode_base64(url.substr(comma + 1));
    if (!bytes) return wrong(at, "what follows the comma of its data URL is not base64.");
    return picture_of(std::move(*bytes), at);
}

Result<MediaInput> read_image_at(const std::string& source, const std::string& at) {
    if (begins(source, "data:")) return read_data_url(source, at);
    std::string path = source;
    if (source.find("://") != std::string::npos) {
        auto local = path_of_url(source, at);
        if (!local) return local.error();
        path = std::move(*local);
    } else if (!is_there(source)) {
        // Neither letters nor length tell a path from base64; what comes out of it does.
        auto bytes = decode_base64(source);
        if (bytes && read_image_header(*bytes).ok()) return picture_of(std::move(*bytes), at);
        return wrong(at, "there is no file " + quote(source) + ", and it is no picture in base64.");
    }
    auto input = read_picture(path);
    if (!input) return wrong(at, input.error().message);
    return input;
}

Result<MediaInput> read_clip_part(const ContentPart& part, const std::string& at,
                                  std::optional<double> fps) {
    if (part.min_pixels || part.max_pixels)
        return wrong(at, "min_pixels and max_pixels of a clip are not supported: take them out.");
    const std::optional<double> rate = part.fps ? part.fps : fps;
    if (!rate) return wrong(at, "fps is missing: say how many frames a second the clip has.");
    if (part.frames.empty()) {
        if (begins(part.text, "data:"))
            return wrong(at, "video files are not read: give a folder or a list of frames.");
        std::string folder = part.text;
        if (folder.find("://") != std::string::npos) {
            auto local = path_of_url(folder, at);
            if (!local) return local.error();
            folder = std::move(*local);
        }
        auto clip = read_clip(folder, *rate);
        if (!clip) return wrong(at, clip.error().message);
        return clip;
    }
    MediaInput clip;
    clip.modality = Modality::video;
    clip.fps = *rate;
    for (size_t i = 0; i < part.frames.size(); ++i) {
        auto frame = read_image_at(part.frames[i], at + ", frame " + std::to_string(i));
        if (!frame) return frame.error();
        clip.files.push_back(std::move(frame->files[0]));
        clip.names.push_back(std::move(frame->names[0]));
    }
    return clip;
}

}  // namespace

Result<MediaInput> read_picture(const std::string& path) {
    auto bytes = path == "-" ? read_stdin_bytes() : read_file(path);
    if (!bytes) return bytes.error();
    return picture_of(std::move(*bytes), path == "-" ? "stdin" : path);
}

Result<MediaInput> read_clip(const std::string& folder, double fps) {
    const auto found = list_frames(folder);
    if (!found) return found.error();
    if (!found->passed_over.empty())
        log_info(folder + ": passed over as no picture: " + names_in_words(found->passed_over) +
                 ".");
    MediaInput input;
    input.modality = Modality::video;
    input.fps = fps;
    constexpr size_t kMost = size_t{2} << 30;
    size_t total = 0;
    for (const std::filesystem::path& path : found->pictures) {
        auto bytes = read_file(path.string());
        if (!bytes) return bytes.error();
        total += bytes->size();
        if (total > kMost)
            return Error{ErrorCode::too_many_items,
                         folder + ": holds more than 2 GiB of frames; give fewer.", ""};
        input.files.push_back(std::move(*bytes));
        input.names.push_back(path.string());
    }
    return input;
}

Result<MediaInput> read_part(const ContentPart& part, const std::string& at,
                             std::optional<double> fps) {
    if (part.kind == ContentPart::Kind::video) return read_clip_part(part, at, fps);
    auto input = read_image_at(part.text, at);
    if (!input) return input.error();
    input->min_pixels = part.min_pixels;
    input->max_pixels = part.max_pixels;
    if (part.detail == ImageDetail::low) input->max_tokens = kLowDetailTokens;
    return input;
}

}  // namespace saker
