// What is written is read back, in one file and in shards; an unfinished or failing write leaves no
// checkpoint.
#include "weights/writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "json/json.h"
#include "weights/checkpoint.h"
#include "weights/test_files.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

const std::vector<TestTensor>& tensors() {
    static const std::vector<TestTensor> list = {
        {"w.first", DType::f32, {2, 3}, std::string(24, 'a')},
        {"empty", DType::bf16, {0, 7}, ""},
        {"w.second", DType::bf16, {5}, std::string(10, 'b')},
        {"codes", DType::f8_e4m3, {3, 1}, "xyz"},
        {"ids", DType::i64, {1}, "12345678"},
        {"last empty", DType::f32, {0}, ""}};
    return list;
}

void expect_all(const fs::path& folder) {
    const auto checkpoint = Checkpoint::open(folder);
    EXPECT_EQ(tensors().size(), checkpoint.names().size());
    for (const TestTensor& t : tensors()) {
        const TensorEntry& entry = checkpoint.entry(t.name);
        EXPECT_EQ(t.dtype, entry.dtype);
        EXPECT_EQ(t.shape, entry.shape);
        EXPECT_EQ(t.bytes, std::string(reinterpret_cast<const char*>(entry.at),
                                       static_cast<size_t>(entry.size_bytes)));
    }
}

TEST(Writer, OneFile) {
    const TestFolder folder;
    write_checkpoint(folder.path(), tensors());
    EXPECT_TRUE(fs::exists(folder / "model.safetensors"));
    EXPECT_FALSE(fs::exists(folder / "model.safetensors.index.json"));
    EXPECT_EQ(1, std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
    expect_all(folder.path());
    const std::string bytes = read_all(folder / "model.safetensors");
    EXPECT_EQ(0, bytes[0] % 8) << "numbers begin aligned";
    EXPECT_NE(bytes.find(R"("__metadata__": {"format": "pt"})"), std::string::npos);
}

TEST(Writer, ShardsWithAnIndex) {
    const struct {
        int64_t limit;
        int num_files;
    } kCases[] = {{1, 4}, {10, 4}, {23, 2}, {24, 2}, {34, 2}, {37, 2}, {44, 2}};
    for (const auto& [limit, num_files] : kCases) {
        SCOPED_TRACE(limit);
        const TestFolder folder;
        write_checkpoint(folder.path(), tensors(), limit);
        expect_all(folder.path());
        const json::object index = read_json_file(folder / "model.safetensors.index.json");
        EXPECT_EQ(45, index.at("metadata").at("total_size").as_int64());
        EXPECT_EQ(tensors().size(), index.at("weight_map").as_object().size());
        const auto shards = Checkpoint::open(folder.path()).num_files();
        EXPECT_EQ(num_files, shards);
        char name[40];
        std::snprintf(name, sizeof name, "model-00001-of-%05d.safetensors", shards);
        EXPECT_TRUE(fs::exists(folder / name));
    }
}

TEST(Writer, LimitAboveTheTotalIsOneFile) {
    const TestFolder folder;
    write_checkpoint(folder.path(), tensors(), 45);
    EXPECT_TRUE(fs::exists(folder / "model.safetensors"));
}

TEST(Writer, PiecesNeedNotMatchTensors) {
    const TestFolder folder;
    std::vector<SafetensorsWriter::Declared> declared;
    std::string all;
    for (const TestTensor& t : tensors()) {
        declared.push_back({t.name, t.dtype, t.shape});
        all += t.bytes;
    }
    SafetensorsWriter writer(folder.path(), declared, 10);
    EXPECT_EQ(45, writer.total_bytes());
    for (size_t at = 0; at < all.size(); at += 7)
        writer.write(all.data() + at, static_cast<int64_t>(std::min<size_t>(7, all.size() - at)));
    writer.finish();
    expect_all(folder.path());
}

TEST(Writer, SingleFileOfAnyName) {
    const TestFolder folder;
    SafetensorsWriter writer =
        SafetensorsWriter::single(folder / "golden.safetensors", {{"a", DType::u8, {3}}});
    writer.write("abc", 3);
    writer.finish();
    EXPECT_EQ(std::byte{'c'}, SafetensorsFile(folder / "golden.safetensors").entry("a").at[2]);
}

TEST(Writer, UnfinishedLeavesNothing) {
    const TestFolder folder;
    {
        SafetensorsWriter writer(folder.path(), {{"a", DType::u8, {3}}, {"b", DType::u8, {3}}}, 3);
        writer.write("abcd", 4);
        EXPECT_TRUE(fs::exists(folder / "model-00002-of-00002.safetensors.partial"));
        EXPECT_FALSE(fs::exists(folder / "model-00001-of-00002.safetensors"));
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Writer, DiskFaults) {
    const TestFolder folder;
    std::string error = startup_error([&] {
        SafetensorsWriter writer(folder / "absent", {{"a", DType::u8, {3}}});
    });
    EXPECT_NE(error.find("absent: cannot be written"), std::string::npos) << error;
    error = startup_error([&] {
        SafetensorsWriter writer(folder.path(), {{"a", DType::u8, {int64_t{1} << 60}}});
    });
    EXPECT_NE(error.find("needs 1152921504.6 GB, but its disk has"), std::string::npos) << error;
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Writer, FullDisk) {
    // /dev/full refuses every write as a full disk does. The writer's file is replaced by a link.
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    const TestFolder folder;
    fs::create_symlink("/dev/full", folder / "x.safetensors.partial");
    const std::string error = startup_error([&] {
        SafetensorsWriter::single(folder / "x.safetensors", {{"a", DType::u8, {3}}});
    });
    EXPECT_NE(error.find("x.safetensors.partial: the disk is full after 0.0 GB of 0.0 GB"),
              std::string::npos)
        << error;
}

using WriterDeathTest = testing::Test;
TEST(WriterDeathTest, OurOwnMistakes) {
    const TestFolder folder;
    EXPECT_DEATH(
        {
            SafetensorsWriter writer(folder.path(), {{"a", DType::u8, {3}}});
            writer.write("abcd", 4);
        },
        "more bytes than were declared");
    EXPECT_DEATH(
        {
            SafetensorsWriter writer(folder.path(), {{"a", DType::u8, {3}}});
            writer.finish();
        },
        "fewer bytes than were declared");
    EXPECT_DEATH(SafetensorsWriter(folder.path(), {{"a", DType::u8, {3}}, {"a", DType::u8, {3}}}),
                 "declared twice");
}

}  // namespace
}  // namespace saker
