// The layout of a cache: refs/main holds the revision, snapshots/REVISION the files as links into
// blobs/, where a download in progress has names that end in .incomplete.
#include "weights/model_folder.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>

#include "base/utf8.h"
#include "json/json.h"
#include "weights/checkpoint.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEntries = 100'000;  // of a folder that is looked through

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

// Without the slash at the end that shells add.
fs::path without_slash(const fs::path& path) {
    return path.has_filename() || !path.has_relative_path() ? path : path.parent_path();
}

std::vector<std::string> folders_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& item : fs::directory_iterator(folder, ignored)) {
        if (item.is_directory(ignored)) names.push_back(item.path().filename().string());
        if (names.size() == kMaxEntries) break;
    }
    std::sort(names.begin(), names.end());
    return names;
}

// The revision that refs/main holds, or "".
std::string main_revision(const fs::path& repository) {
    constexpr size_t kLongest = 256;
    std::ifstream in(repository / "refs" / "main", std::ios::binary);
    std::string text(kLongest, '\0');
    in.read(text.data(), static_cast<std::streamsize>(kLongest));
    text.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    text.erase(text.find_last_not_of(" \r\n\t") + 1);
    return text;
}

fs::path snapshot_of(const fs::path& repository) {
    const fs::path snapshots = repository / "snapshots";
    const std::string revision = main_revision(repository);
    if (is_plain_name(revision) && is_folder(snapshots / revision)) return snapshots / revision;
    const std::vector<std::string> names = folders_in(snapshots);
    const std::string where = repository.string() + ": ";
    if (names.empty())
        throw StartupError(where +
                           "is a folder of the Hugging Face cache without a snapshot: its download "
                           "did not begin, download the model again.");
    if (names.size() == 1 && revision.empty()) return snapshots / names.front();
    std::string list;
    for (size_t i = 0; i < std::min<size_t>(names.size(), 3); ++i)
        list += (i ? ", " : "") + quote(names[i]);
    throw StartupError(where +
                       (revision.empty()
                            ? "has no refs/main to choose"
                            : "refs/main names " + quote(revision) + ", which is not") +
                       " among its snapshots (" + list + "): give the folder of one, such as " +
                       (snapshots / names.front()).string() + ".");
}

int count_incomplete(const fs::path& folder) {
    int count = 0;
    size_t seen = 0;
    std::error_code ignored;
    for (const auto& item : fs::directory_iterator(folder, ignored)) {
        if (item.path().extension() == ".incomplete") ++count;
        if (++seen == kMaxEntries) break;
    }
    return count;
}

// A shard that the index lists and `folder` lacks, or "".
std::string missing_shard(const fs::path& folder) {
    const fs::path index = folder / "model.safetensors.index.json";
    if (!is_there(index)) return "";
    try {
        const json::object file = read_json_file(index);
        const json::value* map = file.if_contains("weight_map");
        if (!map || !map->is_object()) return "";
        for (const auto& [tensor, shard] : map->get_object()) {
            if (!shard.is_string()) continue;
            const std::string name(shard.get_string());
            if (is_plain_name(name) && !is_there(folder / name)) return name;
        }
    } catch (const StartupError&) {
        // The index is not what it should be: whoever loads it says so.
    }
    return "";
}

// Another file that every model has and `folder` lacks, or "".
std::string missing_file(const fs::path& folder) {
    for (const char* name : {"config.json", "tokenizer.json"})
        if (!is_there(folder / name)) return name;
    const bool has_weights =
        is_there(folder / "model.safetensors") || is_there(folder / "model.safetensors.index.json");
    return has_weights ? "" : "model.safetensors";
}

}  // namespace

bool is_repository_id(std::string_view name) {
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos || name.size() > 200) return false;
    const auto is_part = [](std::string_view part) {
        return !part.empty() && part.front() != '.' && part.front() != '-' &&
               std::all_of(part.begin(), part.end(), [](unsigned char c) {
                   return std::isalnum(c) || c == '-' || c == '_' || c == '.';
               });
    };
    return is_part(name.substr(0, slash)) && is_part(name.substr(slash + 1));
}

fs::path resolve_model_folder(const std::string& name, const std::vector<fs::path>& caches) {
    const fs::path path = without_slash(name);
    if (is_folder(path)) {
        if (is_there(path / "config.json")) return name;
        if (path.filename() == "snapshots") return snapshot_of(path / "..");
        if (is_folder(path / "snapshots")) return snapshot_of(path);
        return name;
    }
    if (is_there(path) || !is_repository_id(name)) return name;
    std::string entry = "models--" + name;
    entry.replace(entry.find('/'), 1, "--");
    for (const fs::path& cache : caches)
        if (is_folder(cache / entry)) return snapshot_of(cache / entry);
    return name;
}

void check_download(const fs::path& folder) {
    const fs::path path = without_slash(folder);
    const bool is_snapshot = path.parent_path().filename() == "snapshots";
    const fs::path download = is_snapshot ? path.parent_path().parent_path() / "blobs"
                                          : path / ".cache" / "huggingface" / "download";
    if (!is_folder(download)) return;
    const int incomplete = count_incomplete(download);
    std::string missing = is_there(path / "model.safetensors") ? "" : missing_shard(path);
    // Without a sign of a download in progress the folder may be of another kind of model.
    if (missing.empty() && incomplete > 0) missing = missing_file(path);
    if (missing.empty() || (!is_snapshot && incomplete == 0)) return;
    throw StartupError(
        path.string() + ": its download is not complete: " + quote(missing) + " is missing" +
        (incomplete == 0 ? std::string()
                         : ", and " + std::to_string(incomplete) + " of the files in " +
                               download.string() + " end in .incomplete") +
        ": start the download again, which goes on where it stopped.");
}

}  // namespace saker
