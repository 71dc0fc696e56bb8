// Finding and confining the files of a folder, and names across exports.
#include "weights/checkpoint.h"

#include <gtest/gtest.h>

#include "weights/test_files.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

std::string error_of(const fs::path& folder) {
    return startup_error([&] { Checkpoint::open(folder); });
}

bool says(const std::string& error, std::string_view part) {
    return error.find(part) != std::string::npos;
}

// A file with the tensor `name` of one byte.
std::string file_with(std::string_view name) {
    return safetensors_bytes(
        "{\"" + std::string(name) + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1);
}

void put_index(const TestFolder& folder, const std::string& weight_map) {
    folder.put("model.safetensors.index.json",
               "{\"metadata\":{},\"weight_map\":" + weight_map + "}");
}

TEST(Checkpoint, CanonicalNames) {
    const char* kNames[][2] = {
        {"model.language_model.layers.0.mlp.gate.weight",
         "model.language_model.layers.0.mlp.gate.weight"},
        {"language_model.model.norm.weight", "model.language_model.norm.weight"},
        {"model.embed_tokens.weight", "model.language_model.embed_tokens.weight"},
        {"model.layers.3.mlp.experts.down_proj",
         "model.language_model.layers.3.mlp.experts.down_proj"},
        {"model.visual.pos_embed.weight", "model.visual.pos_embed.weight"},
        {"visual.pos_embed.weight", "model.visual.pos_embed.weight"},
        {"lm_head.weight", "lm_head.weight"},
        {"language_model.lm_head.weight", "lm_head.weight"},
        {"mtp.layers.0.weight", "mtp.layers.0.weight"},
        {"visualx", "visualx"},
        {"", ""}};
    for (const auto& [in_file, canonical] : kNames) EXPECT_EQ(canonical, canonical_name(in_file));
}

TEST(Checkpoint, ReferenceFoldersHoldTheSameNames) {
    const auto v5 = Checkpoint::open("../shared/goldens/moe-a");
    const auto released = Checkpoint::open("../shared/goldens/moe-a-release");
    EXPECT_EQ(1, v5.num_files());
    EXPECT_EQ(2, released.num_files());
    EXPECT_EQ(v5.names(), released.names());
    EXPECT_EQ(v5.total_bytes(), released.total_bytes());
    for (const std::string& name : v5.names())
        EXPECT_EQ(v5.entry(name).size_bytes, released.entry(name).size_bytes) << name;
    const std::string error = startup_error([&] { v5.entry("absent"); });
    EXPECT_TRUE(says(error, "moe-a: the checkpoint holds no tensor \"absent\"")) << error;
    EXPECT_EQ(nullptr, v5.find("absent"));
}

TEST(Checkpoint, OlderPrefixes) {
    const TestFolder folder;
    write_checkpoint(folder.path(), {{"model.layers.0.x", DType::u8, {1}, "a"},
                                     {"visual.y", DType::u8, {1}, "b"}});
    const auto checkpoint = Checkpoint::open(folder.path());
    EXPECT_EQ((std::vector<std::string>{"model.language_model.layers.0.x", "model.visual.y"}),
              checkpoint.names());
    EXPECT_EQ(std::byte{'b'}, *checkpoint.entry("model.visual.y").at);
}

TEST(Checkpoint, FolderFaults) {
    const TestFolder folder;
    EXPECT_TRUE(says(error_of(folder / "absent"), "absent: is not a folder"));
    EXPECT_TRUE(says(error_of(folder.path()), "holds neither model.safetensors nor"));
    folder.put("pytorch_model.bin", "not opened");
    EXPECT_TRUE(says(error_of(folder.path()), "\"pytorch_model.bin\" may be a pickle"));
    folder.put("model.safetensors", safetensors_bytes("{}", 0));
    EXPECT_TRUE(says(error_of(folder.path()), "hold no tensors"));
    folder.put("model.safetensors", file_with("a"));
    EXPECT_EQ("", error_of(folder.path())) << "a pickle beside the weights does not matter";
    EXPECT_TRUE(says(error_of(folder / "model.safetensors"), "is not a folder"));
}

TEST(Checkpoint, ShardFaults) {
    const TestFolder folder;
    put_index(folder, R"({"a":"1.safetensors","b":"2.safetensors"})");
    folder.put("1.safetensors", file_with("a"));
    EXPECT_TRUE(says(error_of(folder.path()), "2.safetensors: is missing"));
    folder.put("2.safetensors", "");
    EXPECT_TRUE(says(error_of(folder.path()), "2.safetensors: is empty"));
    const std::string whole = file_with("b");
    folder.put("2.safetensors", whole.substr(0, whole.size() - 1));
    EXPECT_TRUE(says(error_of(folder.path()), "the file is cut short"));
    folder.put("2.safetensors", whole.substr(0, 20));
    EXPECT_TRUE(says(error_of(folder.path()), "ends inside its header"));
    folder.put("2.safetensors", file_with("c"));
    EXPECT_TRUE(
        says(error_of(folder.path()),
             "index.json: says that tensor \"b\" lies in \"2.safetensors\", which does not"));
    folder.put("2.safetensors", file_with("a"));
    EXPECT_TRUE(says(error_of(folder.path()), "tensor \"a\" is stored twice"));
    folder.put("2.safetensors", whole);
    EXPECT_EQ("", error_of(folder.path()));
    // The same tensor under two spellings is the same tensor.
    put_index(folder, R"({"model.norm.weight":"1.safetensors",)"
                      R"("model.language_model.norm.weight":"2.safetensors"})");
    folder.put("1.safetensors", file_with("model.norm.weight"));
    folder.put("2.safetensors", file_with("model.language_model.norm.weight"));
    EXPECT_TRUE(says(error_of(folder.path()), "is stored twice"));
}

TEST(Checkpoint, IndexFaults) {
    const TestFolder folder;
    folder.put("1.safetensors", file_with("a"));
    const std::string index = (folder / "model.safetensors.index.json").string();
    const auto with_index = [&](const std::string& text) {
        folder.put("model.safetensors.index.json", text);
        const std::string error = error_of(folder.path());
        EXPECT_TRUE(says(error, index)) << error;
        return error;
    };
    EXPECT_TRUE(says(with_index(""), "not valid JSON"));
    EXPECT_TRUE(says(with_index("[]"), "is not a JSON object"));
    EXPECT_TRUE(says(with_index("{}"), "weight_map is missing"));
    EXPECT_TRUE(says(with_index(R"({"weight_map":[]})"), "is not an object"));
    EXPECT_TRUE(says(with_index(R"({"weight_map":{}})"), "is empty"));
    EXPECT_TRUE(says(with_index(R"({"weight_map":{"a":1}})"), "has no file name"));
    EXPECT_TRUE(says(with_index(R"({"weight_map":{"a":"1.safetensors","a":"1.safetensors"}})"),
                     "key twice"));
}

TEST(Checkpoint, StaysInsideItsFolder) {
    const TestFolder outside;
    outside.put("x.safetensors", file_with("a"));
    const TestFolder folder;
    fs::create_directory(folder / "sub");
    folder.put("sub/x.safetensors", file_with("a"));
    for (const std::string& shard :
         {std::string("../x.safetensors"), std::string("./x.safetensors"), std::string(".."),
          std::string("sub/x.safetensors"), std::string("sub/../x.safetensors"), std::string(""),
          std::string("a\\\\x.safetensors"), std::string("x.bin"),
          std::string("x.safetensors\\u0000"), (outside / "x.safetensors").string()}) {
        put_index(folder, "{\"a\":\"" + shard + "\"}");
        EXPECT_TRUE(says(error_of(folder.path()), "is not the name of a safetensors file"))
            << shard;
    }
    put_index(folder, R"({"a":"x.safetensors"})");
    fs::create_symlink(outside / "x.safetensors", folder / "x.safetensors");
    EXPECT_TRUE(says(error_of(folder.path()), "x.safetensors: is a link that leads out of"));
    fs::remove(folder / "x.safetensors");
    fs::create_symlink(folder / "absent", folder / "x.safetensors");
    EXPECT_TRUE(says(error_of(folder.path()), "x.safetensors: is missing"));
    fs::remove(folder / "x.safetensors");
    fs::create_symlink("sub/x.safetensors", folder / "x.safetensors");
    EXPECT_EQ("", error_of(folder.path())) << "a link inside the folder";
    fs::create_symlink(outside / "x.safetensors", folder / "model.safetensors");
    EXPECT_TRUE(says(error_of(folder.path()), "model.safetensors: is a link that leads out of"));
    fs::remove(folder / "model.safetensors");
    fs::create_symlink(folder / "absent", folder / "model.safetensors");
    EXPECT_TRUE(says(error_of(folder.path()), "model.safetensors: is missing"));
}

TEST(Checkpoint, HuggingFaceCache) {
    const TestFolder cache;
    fs::create_directories(cache / "model/snapshots/0123");
    fs::create_directories(cache / "model/blobs");
    cache.put("model/blobs/abc", file_with("a"));
    cache.put("model/other", file_with("a"));
    const fs::path file = cache / "model/snapshots/0123/model.safetensors";
    fs::create_symlink("../../blobs/abc", file);
    EXPECT_EQ("", error_of(cache / "model/snapshots/0123"));
    fs::remove(file);
    fs::create_symlink("../../other", file);
    EXPECT_TRUE(says(error_of(cache / "model/snapshots/0123"), "leads out of"));
}

}  // namespace
}  // namespace saker
