// Which files of a folder are read, and what is said where they do not fit together.
#include "weights/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

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

TEST(Checkpoint, ReferenceFoldersHoldTheSameNames) {
    const auto v5 = Checkpoint::open("tests/golden/tiny-moe");
    const auto released = Checkpoint::open("tests/golden/tiny-moe-release");
    EXPECT_EQ(1, v5.num_files());
    EXPECT_EQ(2, released.num_files());
    EXPECT_EQ(v5.names(), released.names());
    EXPECT_EQ(v5.total_bytes(), released.total_bytes());
    for (const std::string& name : v5.names())
        EXPECT_EQ(v5.entry(name).size_bytes, released.entry(name).size_bytes) << name;
    const std::string error = startup_error([&] { v5.entry("absent"); });
    EXPECT_TRUE(says(error, "tiny-moe: the checkpoint holds no tensor \"absent\"")) << error;
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
    folder.put("2.safetensors", whole);
    EXPECT_EQ("", error_of(folder.path()));
    // The same tensor under two spellings is the same tensor.
    put_index(folder, R"({"model.norm.weight":"1.safetensors",)"
                      R"("model.language_model.norm.weight":"2.safetensors"})");
    folder.put("1.safetensors", file_with("model.norm.weight"));
    folder.put("2.safetensors", file_with("model.language_model.norm.weight"));
    const std::string error = error_of(folder.path());
    EXPECT_TRUE(says(error, "is stored twice")) << error;
    EXPECT_TRUE(says(error, "\"model.norm.weight\"")) << error;
    EXPECT_TRUE(says(error, "\"model.language_model.norm.weight\"")) << error;
}

// A file of several tensors of one byte each: their numbers count from `first`.
std::string file_of(const std::vector<std::string>& names, char first) {
    std::string header, bytes;
    for (size_t i = 0; i < names.size(); ++i) {
        header += (i ? "," : "{") + std::string("\"") + names[i] +
                  R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" + std::to_string(i) + "," +
                  std::to_string(i + 1) + "]}";
        bytes += static_cast<char>(first + static_cast<char>(i));
    }
    return safetensors_bytes(header + "}", 0) + bytes;
}

struct Opening {
    std::string log;  // what it said, without the level and the time
    std::map<std::string, char> numbers;

    explicit Opening(const fs::path& folder) {
        testing::internal::CaptureStderr();
        const auto checkpoint = Checkpoint::open(folder);
        log = testing::internal::GetCapturedStderr();
        for (const std::string& name : checkpoint.names())
            numbers[name] = static_cast<char>(*checkpoint.entry(name).at);
    }
};

TEST(Checkpoint, TheIndexDecidesWhereATensorLies) {
    const TestFolder folder;
    // "a" was replaced in an overlay; its old copy and a head that is gone still lie in shard 1.
    folder.put("1.safetensors", file_of({"a", "b", "score.weight"}, 'A'));
    folder.put("overlay.safetensors", file_of({"a"}, 'a'));
    folder.put("stray.safetensors", "no weights at all");
    folder.put("model.safetensors.index.json",
               R"({"metadata":{"total_size":7},"weight_map":)"
               R"({"a":"overlay.safetensors","b":"1.safetensors"}})");
    const Opening opened(folder.path());
    EXPECT_EQ((std::map<std::string, char>{{"a", 'a'}, {"b", 'B'}}), opened.numbers);
    EXPECT_EQ(1, std::count(opened.log.begin(), opened.log.end(), '\n')) << opened.log;
    EXPECT_TRUE(says(opened.log, "2 tensors (\"a\", \"score.weight\")")) << opened.log;
    EXPECT_TRUE(says(opened.log, "1 file (\"stray.safetensors\")")) << opened.log;
    const auto checkpoint = Checkpoint::open(folder.path());
    EXPECT_TRUE(says(startup_error([&] { checkpoint.entry("score.weight"); }),
                     "one lies in \"1.safetensors\", but model.safetensors.index.json does not"));
    fs::remove(folder / "stray.safetensors");
    folder.put("1.safetensors", file_of({"b"}, 'B'));
    EXPECT_EQ("", Opening(folder.path()).log) << "nothing is left aside";
}

TEST(Checkpoint, SingleFileBesideAnIndex) {
    const TestFolder folder;
    put_index(folder, R"({"model.x":"1.safetensors","visual.y":"1.safetensors"})");
    folder.put("1.safetensors", file_of({"model.x", "visual.y"}, 'a'));
    const std::string x = "model.language_model.x", y = "model.visual.y";
    const std::map<std::string, char> shards = {{x, 'a'}, {y, 'b'}};
    // It lacks a tensor, is damaged, leads nowhere: the index.
    folder.put("model.safetensors", file_of({"model.x"}, 'A'));
    EXPECT_EQ(shards, Opening(folder.path()).numbers);
    EXPECT_TRUE(says(Opening(folder.path()).log, "1 file (\"model.safetensors\")"));
    folder.put("model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
    EXPECT_EQ(shards, Opening(folder.path()).numbers);
    fs::remove(folder / "model.safetensors");
    fs::create_symlink("gone", folder / "model.safetensors");
    EXPECT_EQ(shards, Opening(folder.path()).numbers);
    // It holds every tensor, under whichever spelling: the file, even where a shard is missing.
    folder.put("model.safetensors", file_of({"language_model.x", "model.visual.y"}, 'A'));
    const Opening whole(folder.path());
    EXPECT_EQ((std::map<std::string, char>{{x, 'A'}, {y, 'B'}}), whole.numbers);
    EXPECT_TRUE(says(whole.log, "model.safetensors holds everything: 1 file (\"1.safetensors\")"))
        << whole.log;
    fs::remove(folder / "1.safetensors");
    EXPECT_EQ(2u, Opening(folder.path()).numbers.size());
    // The index may name the file itself; then what it does not list is left aside there too.
    put_index(folder, R"({"a":"model.safetensors"})");
    folder.put("model.safetensors", file_of({"a", "score.weight"}, 'A'));
    EXPECT_EQ((std::map<std::string, char>{{"a", 'A'}}), Opening(folder.path()).numbers);
}

TEST(Checkpoint, WeightsOfAnotherName) {
    const TestFolder folder;
    folder.put("model-00001-of-00002.safetensors", file_with("a"));
    const std::string error = error_of(folder.path());
    EXPECT_TRUE(says(error, "holds neither model.safetensors nor")) << error;
    EXPECT_TRUE(says(error, "\"model-00001-of-00002.safetensors\"")) << error;
}

TEST(Checkpoint, NamesWhatIsNoPlainCheckpoint) {
    const TestFolder folder;
    const auto error_with = [&](const char* name) {
        folder.put("model.safetensors", file_with(name));
        return error_of(folder.path());
    };
    const std::string error = error_with("base_model.model.model.x.lora_A.weight");
    EXPECT_TRUE(says(error, "tensor \"base_model.model.model.x.lora_A.weight\"")) << error;
    EXPECT_TRUE(says(error, "adapter that is not merged")) << error;
    EXPECT_TRUE(says(error_with("model.layers.0.q_proj.qweight"), "AWQ and GPTQ"));
    EXPECT_TRUE(says(error_with("model.layers.0.q_proj.weight.absmax"), "bitsandbytes"));
    // Left aside by the index, it does no harm.
    put_index(folder, R"({"a":"1.safetensors"})");
    folder.put("1.safetensors", file_of({"a", "b.lora_A.weight"}, 'a'));
    EXPECT_EQ("", error_of(folder.path()));
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

TEST(Checkpoint, NamesInTheIndexArePlain) {
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
}

// A plain name that is a link is its owner's word: it leads where it leads.
TEST(Checkpoint, LinksAreFollowed) {
    const TestFolder outside;
    outside.put("blob", file_with("a"));
    const TestFolder folder;
    put_index(folder, R"({"a":"x.safetensors"})");
    const fs::path link = folder / "x.safetensors";
    fs::create_symlink(outside / "blob", link);
    EXPECT_EQ("", error_of(folder.path()));
    fs::remove(link);
    fs::create_symlink("gone", link);
    EXPECT_TRUE(says(error_of(folder.path()), "x.safetensors: is a link to gone, which is not"));
    fs::remove(link);
    fs::create_symlink("x.safetensors", link);
    EXPECT_TRUE(says(error_of(folder.path()), "which cannot be followed (Too many levels"));
    fs::remove(link);
    fs::remove(folder / "model.safetensors.index.json");
    fs::create_symlink(outside / "blob", folder / "model.safetensors");
    EXPECT_EQ("", error_of(folder.path()));
    // The index itself, and the folder.
    outside.put("index", R"({"weight_map":{"a":"model.safetensors"}})");
    fs::create_symlink(outside / "index", folder / "model.safetensors.index.json");
    EXPECT_EQ("", error_of(folder.path()));
    fs::create_symlink(folder.path(), outside / "model");
    EXPECT_EQ("", error_of(outside / "model"));
}

}  // namespace
}  // namespace saker
