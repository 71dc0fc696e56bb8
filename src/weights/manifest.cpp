// One file a task: SHA-256 has no parallel form, and checkpoints of a size that matters have
// shards.
#include "weights/manifest.h"

#include <openssl/evp.h>

#include <fstream>
#include <map>
#include <memory>

#include "base/check.h"
#include "weights/safetensors.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr char kManifest[] = "SHA256SUMS";
constexpr size_t kDigits = 64;
constexpr size_t kChunkBytes = 1 << 20;
constexpr uintmax_t kMaxManifestBytes = uintmax_t{16} << 20;

// File name -> digest in lower case.
std::map<std::string, std::string> read_manifest(const fs::path& path) {
    std::error_code fault;
    const uintmax_t size = fs::file_size(path, fault);  // a pipe or a device has none
    if (fault) throw StartupError(path.string() + ": cannot be read (" + fault.message() + ").");
    if (size > kMaxManifestBytes) throw StartupError(path.string() + ": is larger than 16 MiB.");
    std::ifstream in(path);
    std::map<std::string, std::string> digests;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (line.empty()) continue;
        const auto fail = [&](const std::string& sentence) {
            throw StartupError(path.string() + ": line " + std::to_string(number) + " " + sentence);
        };
        const std::string digest = line.substr(0, kDigits);
        // "DIGEST  NAME", or "DIGEST *NAME" where it was taken in binary mode.
        if (line.size() <= kDigits + 2 ||
            digest.find_first_not_of("0123456789abcdef") != std::string::npos ||
            line[kDigits] != ' ' || (line[kDigits + 1] != ' ' && line[kDigits + 1] != '*'))
            fail("is not a SHA-256 and a file name, as sha256sum writes them.");
        const std::string name = line.substr(kDigits + 2);
        if (!is_plain_name(name)) fail("names " + quote(name) + ", which is not in this folder.");
        if (!digests.emplace(name, digest).second) fail("names " + quote(name) + " again.");
    }
    if (in.bad() || digests.empty()) throw StartupError(path.string() + ": lists no files.");
    return digests;
}

// In lower case; "" where the file cannot be read.
std::string sha256_of(const fs::path& path, Progress& progress) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return "";
    std::ifstream in(path, std::ios::binary);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
    CHECK(state && EVP_DigestInit_ex(state.get(), EVP_sha256(), nullptr) == 1, "SHA-256 starts");
    std::string chunk(kChunkBytes, '\0');
    while (in.read(chunk.data(), kChunkBytes), in.gcount() > 0) {
        EVP_DigestUpdate(state.get(), chunk.data(), static_cast<size_t>(in.gcount()));
        progress.add(in.gcount());
    }
    if (!in.eof()) return "";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(state.get(), digest, &size);
    constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    for (unsigned i = 0; i < size; ++i) {
        out += kHex[digest[i] >> 4];
        out += kHex[digest[i] & 15];
    }
    return out;
}

}  // namespace

bool verify_manifest(const Checkpoint& checkpoint, ThreadPool& pool, Progress::Style style) {
    const fs::path folder = checkpoint.folder(), path = folder / kManifest;
    std::error_code ignored;
    // A dangling link counts as present: who took the trouble to link it wants it checked.
    if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) return false;
    const auto digests = read_manifest(path);
    for (const std::string& name : checkpoint.file_names())
        if (!digests.contains(name))
            throw StartupError(path.string() + ": does not list " + quote(name) +
                               ": add its SHA-256, or take the manifest away.");
    std::vector<std::string> names, found(digests.size());
    int64_t total = 0;
    for (const auto& [name, digest] : digests) {
        names.push_back(name);
        const auto size = fs::file_size(folder / name, ignored);
        if (!ignored) total += static_cast<int64_t>(size);
    }
    Progress progress("checking SHA-256", total, style);
    pool.run(static_cast<int64_t>(names.size()), [&](int64_t i) {
        found[static_cast<size_t>(i)] = sha256_of(folder / names[static_cast<size_t>(i)], progress);
    });
    progress.finish();
    for (size_t i = 0; i < names.size(); ++i) {
        const std::string file = (folder / names[i]).string();
        if (found[i].empty())
            throw StartupError(file + ": is listed in " + kManifest + ", but cannot be read.");
        if (found[i] != digests.at(names[i]))
            throw StartupError(file + ": is not the file that " + kManifest +
                               " lists: it was changed or damaged, download it again.");
    }
    return true;
}

}  // namespace saker
