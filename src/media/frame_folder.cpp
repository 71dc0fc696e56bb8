// Only the first bytes of each file are read here, and only of plain files: a pipe would hang.
#include "media/frame_folder.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/natural_order.h"
#include "base/utf8.h"
#include "media/decode.h"
#include "media/foreign.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

bool has_picture_ending(const fs::path& path) {
    std::string ending = path.extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (std::string_view known : {".jpg", ".jpeg", ".jpe", ".png", ".webp", ".gif", ".bmp", ".tif",
                                   ".tiff", ".heic", ".heif", ".avif", ".jxl"})
        if (ending == known) return true;
    return false;
}

std::vector<uint8_t> read_start(const fs::path& path) {
    std::vector<uint8_t> bytes(kForeignBytes);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return bytes;
}

bool is_picture(const std::vector<uint8_t>& start) {
    // A header that is damaged is still one of ours.
    const auto header = read_image_header(start);
    if (header || header.error().code != ErrorCode::unsupported_image) return !start.empty();
    const ForeignKind* kind = find_foreign_kind(start);
    return kind != nullptr && kind->sort == ForeignKind::Sort::photo;
}

bool is_frame(const fs::directory_entry& entry) {
    std::error_code ec;  // what cannot be looked at is judged by its name
    if (entry.is_directory(ec) || entry.is_fifo(ec) || entry.is_socket(ec) ||
        entry.is_character_file(ec))
        return false;  // a pipe would be waited for
    if (has_picture_ending(entry.path())) return true;
    return entry.is_regular_file(ec) && is_picture(read_start(entry.path()));
}

Error no_folder(const fs::path& path) {
    std::error_code ec;
    const std::string name = path.string();
    if (!fs::exists(path, ec))
        return {ErrorCode::invalid_value,
                name +
                    ": is not a folder of pictures, there is nothing of that name; give one "
                    "with the frames of a clip.",
                ""};
    const ForeignKind* kind =
        fs::is_regular_file(path, ec) ? find_foreign_kind(read_start(path)) : nullptr;
    if (kind != nullptr && kind->sort == ForeignKind::Sort::video)
        return {ErrorCode::invalid_value,
                name + ": is " + std::string(kind->name) +
                    ", not a folder of pictures; take its frames, for example with `ffmpeg -i IN "
                    "-vf fps=2 FOLDER/%04d.png`, and give the folder.",
                ""};
    return {ErrorCode::invalid_value,
            name +
                ": is not a folder of pictures that can be read; give one with the frames of a "
                "clip.",
            ""};
}

}  // namespace

std::string names_in_words(const std::vector<std::string>& names) {
    std::string words = quote(names.at(0));
    if (names.size() == 2) return words + " and " + quote(names[1]);
    if (names.size() > 2) words += " and " + std::to_string(names.size() - 1) + " more";
    return words;
}

Result<FrameFolder> list_frames(const fs::path& folder) {
    FrameFolder found;
    size_t num_hidden = 0;
    std::error_code ec;
    fs::directory_iterator entries(folder, ec);
    for (; !ec && entries != fs::directory_iterator(); entries.increment(ec)) {
        const std::string name = entries->path().filename().string();
        if (name.starts_with('.'))
            ++num_hidden;
        else if (is_frame(*entries))
            found.pictures.push_back(entries->path());
        else
            found.passed_over.push_back(name);
    }
    if (ec) return no_folder(folder);
    std::sort(found.pictures.begin(), found.pictures.end(),
              [](const fs::path& a, const fs::path& b) {
                  return naturally_before(a.filename().native(), b.filename().native());
              });
    std::sort(found.passed_over.begin(), found.passed_over.end(), naturally_before);
    if (!found.pictures.empty()) return found;
    const std::string holds = !found.passed_over.empty()
                                  ? "it holds " + names_in_words(found.passed_over)
                              : num_hidden > 0 ? "it holds hidden files alone"
                                               : "it is empty";
    return Error{ErrorCode::invalid_value,
                 folder.string() + ": is not a folder of pictures, " + holds +
                     "; give one with the frames of a clip.",
                 ""};
}

}  // namespace saker
