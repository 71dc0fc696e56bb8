// Names of models against caches laid out as Hugging Face's tools lay them out.
#include "weights/model_folder.h"

#include <gtest/gtest.h>

#include "weights/test_files.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

constexpr char kRevision[] = "0123456789abcdef0123456789abcdef01234567";

bool says(const std::string& error, std::string_view part) {
    return error.find(part) != std::string::npos;
}

// A cache with one downloaded model, files as links into blobs/.
struct Cache {
    explicit Cache(const std::string& entry = "models--Qwen--Qwen3-VL-2B-Instruct")
        : repository(folder / entry), snapshot(repository / "snapshots" / kRevision) {
        fs::create_directories(snapshot);
        fs::create_directories(repository / "refs");
        fs::create_directories(repository / "blobs");
        put(repository / "refs" / "main", kRevision);
        add("config.json", "{}");
        add("tokenizer.json", "{}");
        add("model.safetensors.index.json",
            R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
        add("1.safetensors", "");
        add("2.safetensors", "");
    }
    static void put(const fs::path& path, std::string_view bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }
    void add(const std::string& name, std::string_view bytes) const {
        put(repository / "blobs" / ("of-" + name), bytes);
        fs::create_symlink("../../blobs/of-" + name, snapshot / name);
    }

    TestFolder folder;
    fs::path repository, snapshot;
};

std::string resolved(const std::string& name, const std::vector<fs::path>& caches) {
    return fs::weakly_canonical(resolve_model_folder(name, caches)).string();
}

TEST(ModelFolder, RepositoryIds) {
    for (const char* id : {"Qwen/Qwen3-VL-30B-A3B-Instruct", "a/b", "org_1/name.v2"})
        EXPECT_TRUE(is_repository_id(id)) << id;
    for (const char* name :
         {"", "/", "a", "a/", "/b", "a/b/c", "./b", "../b", "a/..", "a b/c", "~/b", "-a/b", "a/\n"})
        EXPECT_FALSE(is_repository_id(name)) << name;
}

TEST(ModelFolder, ACacheResolvesToItsSnapshot) {
    const Cache cache;
    const std::string snapshot = cache.snapshot.string();
    EXPECT_EQ(snapshot, resolved(cache.repository.string(), {}));
    EXPECT_EQ(snapshot, resolved(cache.repository.string() + "/", {}));
    EXPECT_EQ(snapshot, resolved((cache.repository / "snapshots").string(), {}));
    EXPECT_EQ(snapshot, resolved(snapshot, {}));
    const std::vector<fs::path> caches = {cache.folder / "none", cache.folder.path()};
    EXPECT_EQ(snapshot, resolved("Qwen/Qwen3-VL-2B-Instruct", caches));
    // Nothing of the kind: unchanged, for whoever says what is wrong with it.
    EXPECT_EQ("Qwen/Other", resolve_model_folder("Qwen/Other", caches));
    EXPECT_EQ("question", resolve_model_folder("question", caches));
    EXPECT_EQ("", resolve_model_folder("", caches));
    EXPECT_EQ(cache.folder.path(), resolve_model_folder(cache.folder.path().string(), caches));
}

TEST(ModelFolder, WhichSnapshot) {
    const Cache cache;
    const std::string name = cache.repository.string();
    const auto error = [&] { return startup_error([&] { resolve_model_folder(name, {}); }); };
    // A revision that was asked for by its hash leaves no refs/main.
    fs::remove(cache.repository / "refs" / "main");
    EXPECT_EQ(cache.snapshot.string(), resolved(name, {}));
    fs::create_directory(cache.repository / "snapshots" / "f00");
    EXPECT_TRUE(says(error(), "has no refs/main to choose among its snapshots (\"0123456789"));
    Cache::put(cache.repository / "refs" / "main", "f00\n");
    EXPECT_EQ((cache.repository / "snapshots" / "f00").string(), resolved(name, {}));
    Cache::put(cache.repository / "refs" / "main", "abc");
    EXPECT_TRUE(says(error(), "refs/main names \"abc\", which is not among its snapshots"));
    Cache::put(cache.repository / "refs" / "main", "../..");
    EXPECT_TRUE(says(error(), "refs/main names \"../..\""));
    fs::remove_all(cache.repository / "snapshots" / "f00");
    fs::remove_all(cache.snapshot);
    EXPECT_TRUE(says(error(), "without a snapshot"));
}

TEST(ModelFolder, IncompleteDownloads) {
    const Cache cache;
    const auto error = [&](const fs::path& folder) {
        return startup_error([&] { check_download(folder); });
    };
    EXPECT_EQ("", error(cache.snapshot));
    // A leftover of an earlier attempt does no harm where every file is there.
    Cache::put(cache.repository / "blobs" / "of-2.incomplete", "");
    EXPECT_EQ("", error(cache.snapshot));
    fs::remove(cache.snapshot / "2.safetensors");
    EXPECT_TRUE(
        says(error(cache.snapshot), "not complete: \"2.safetensors\" is missing, and 1 of"));
    EXPECT_TRUE(says(error(fs::path(cache.snapshot.string() + "/")), "\"2.safetensors\""));
    fs::create_symlink("../../blobs/gone", cache.snapshot / "2.safetensors");
    EXPECT_TRUE(says(error(cache.snapshot), "\"2.safetensors\" is missing"));
    fs::remove(cache.repository / "blobs" / "of-2.incomplete");
    EXPECT_TRUE(says(error(cache.snapshot), "\"2.safetensors\" is missing: start the download"));
    // A single file needs no shards.
    cache.add("model.safetensors", "");
    EXPECT_EQ("", error(cache.snapshot));
}

TEST(ModelFolder, IncompleteDownloadsToAFolder) {
    const TestFolder folder;
    const auto error = [&] { return startup_error([&] { check_download(folder.path()); }); };
    EXPECT_EQ("", error());
    fs::create_directories(folder / ".cache/huggingface/download");
    folder.put("config.json", "{}");
    EXPECT_EQ("", error()) << "it may be a folder of another kind";
    folder.put(".cache/huggingface/download/x.incomplete", "");
    EXPECT_TRUE(says(error(), "\"tokenizer.json\" is missing"));
    folder.put("tokenizer.json", "{}");
    EXPECT_TRUE(says(error(), "\"model.safetensors\" is missing"));
    folder.put("model.safetensors.index.json",
               R"({"weight_map":{"a":"../x","b":"1.safetensors"}})");
    EXPECT_TRUE(says(error(), "\"1.safetensors\" is missing"));
    folder.put("1.safetensors", "");
    EXPECT_EQ("", error());
    folder.put("model.safetensors.index.json", "{");
    EXPECT_EQ("", error()) << "whoever reads the index complains of it";
}

}  // namespace
}  // namespace saker
