// Every fault of a file that safetensors.h promises to refuse, what it must accept, and thousands
// of damaged headers.
#include "weights/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "base/rng.h"
#include "weights/test_files.h"

namespace saker {
namespace {

constexpr char kTwoTensors[] = R"({"__metadata__":{"format":"pt"},)"
                               R"("a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                               R"("b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]}})";

std::string open_error(const std::filesystem::path& path) {
    return startup_error([&] { SafetensorsFile file(path); });
}

// The sentence for a header over `num_bytes` of numbers; checks that it begins with the file.
std::string header_error(std::string_view header, size_t num_bytes) {
    const TestFolder folder;
    const auto path = folder.put("x.safetensors", safetensors_bytes(header, num_bytes));
    const std::string error = open_error(path);
    if (error.empty()) return "";
    EXPECT_TRUE(error.starts_with(path.string() + ": ")) << error;
    return error.substr(path.string().size() + 2);
}

// A header of one tensor.
std::string one(std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return R"({"a":{"dtype":")" + std::string(dtype) + R"(","shape":)" + std::string(shape) +
           R"(,"data_offsets":)" + std::string(offsets) + "}}";
}

TEST(Safetensors, ReadsWhatIsThere) {
    const TestFolder folder;
    const auto path = folder.put("x.safetensors", safetensors_bytes(kTwoTensors, 22));
    const SafetensorsFile file(path);
    EXPECT_EQ((std::vector<std::string>{"a", "b"}), file.names());
    EXPECT_EQ(22, file.total_bytes());
    const TensorEntry& a = file.entry("a");
    EXPECT_EQ(DType::f32, a.dtype);
    EXPECT_EQ((std::vector<int64_t>{2, 2}), a.shape);
    EXPECT_EQ(16, a.size_bytes);
    EXPECT_EQ(path.string(), a.file);
    EXPECT_EQ(std::byte{15}, a.at[15]);
    EXPECT_EQ(std::byte{16}, file.entry("b").at[0]);
    EXPECT_EQ(path.string() + ": holds no tensor \"c\".", startup_error([&] { file.entry("c"); }));
}

TEST(Safetensors, Lengths) {
    const TestFolder folder;
    const auto error = [&](std::string_view bytes) {
        return open_error(folder.put("x.safetensors", bytes));
    };
    EXPECT_TRUE(error("").ends_with("x.safetensors: is empty: download it again."));
    EXPECT_NE(error("1234567").find("shorter than the 8 bytes"), std::string::npos);
    EXPECT_NE(error(length_bytes(0) + "{}").find("header of no bytes"), std::string::npos);
    EXPECT_NE(error(length_bytes(uint64_t{1} << 63) + "{}").find("above 100 MB"),
              std::string::npos);
    EXPECT_NE(error(length_bytes(~uint64_t{0}) + "{}").find("above 100 MB"), std::string::npos);
    EXPECT_NE(error(length_bytes(100'000'001) + "{}").find("above 100 MB"), std::string::npos);
    EXPECT_NE(error(length_bytes(3) + "{}").find("ends inside its header"), std::string::npos);
    EXPECT_NE(error(length_bytes(8)).find("ends inside its header"), std::string::npos);
    EXPECT_NE(
        error("version https://git-lfs.github.com/spec/v1\noid sha256:0\n").find("git lfs pull"),
        std::string::npos);
    EXPECT_NE(open_error(folder / "absent").find("cannot be opened"), std::string::npos);
    EXPECT_NE(open_error(folder.path()).find("is not a regular file"), std::string::npos);
    mkfifo((folder / "pipe").c_str(), 0600);
    EXPECT_NE(open_error(folder / "pipe").find("is not a regular file"), std::string::npos);
}

TEST(Safetensors, HeaderText) {
    EXPECT_EQ("", header_error("{}", 0));
    EXPECT_EQ("", header_error("{}   ", 0)) << "padding with blanks";
    EXPECT_EQ("has a header that does not begin with a brace.", header_error(" {}", 0));
    EXPECT_EQ("has a header that does not begin with a brace.", header_error("[]", 0));
    EXPECT_EQ("the header is not valid UTF-8.", header_error("{\"\xC0\x80\":{}}", 0));
    EXPECT_NE(header_error("{\"a\"", 0).find("not valid JSON"), std::string::npos);
    EXPECT_NE(header_error("{}x", 0).find("bytes after its end"), std::string::npos);
    EXPECT_NE(header_error(std::string("{}\0", 3), 0).find("bytes after its end"),
              std::string::npos);
    const std::string entry = R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
    EXPECT_EQ("the header has a key twice.", header_error("{" + entry + "," + entry + "}", 1));
    EXPECT_EQ(
        "the header has a key twice.",
        header_error(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1));
    std::string deep = "{\"a\":";
    for (int i = 0; i < 10'000; ++i) deep += "[";
    EXPECT_NE(header_error(deep, 0).find("nested deeper"), std::string::npos);
    EXPECT_EQ("tensor \"a\" is not described by an object.", header_error(R"({"a":1})", 0));
    EXPECT_EQ("__metadata__ is not an object.", header_error(R"({"__metadata__":[]})", 0));
    EXPECT_NE(header_error(R"({"__metadata__":{"a":1}})", 0).find("not text"), std::string::npos);
}

TEST(Safetensors, MillionEntriesAreRefusedWhileTheyAreParsed) {
    std::string many = "{";
    for (int i = 0; i < 1'000'000; ++i)
        many += "\"" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
    many.back() = '}';
    EXPECT_EQ("the header has more than 4194304 values.", header_error(many, 0));
    std::string long_shape = "[1";
    for (int i = 0; i < 5'000'000; ++i) long_shape += ",1";
    EXPECT_EQ("the header has more than 4194304 values.",
              header_error(one("U8", long_shape + "]", "[0,1]"), 1));
}

TEST(Safetensors, Shapes) {
    EXPECT_NE(header_error(one("U8", "[4294967296,4294967296]", "[0,0]"), 0).find("more than 2^63"),
              std::string::npos);
    EXPECT_NE(
        header_error(one("U8", "[16,1152921504606846978]", "[0,32]"), 32).find("more than 2^63"),
        std::string::npos);
    EXPECT_NE(
        header_error(one("F32", "[16,1152921504606846978]", "[0,32]"), 32).find("more than 2^63"),
        std::string::npos);
    EXPECT_NE(
        header_error(one("U8", "[0,4294967296,4294967296]", "[0,0]"), 0).find("more than 2^63"),
        std::string::npos)
        << "an empty tensor's strides overflow too";
    for (const char* dim : {"-1", "1.5", "1.0", "1e0", "\"1\"", "null", "9223372036854775808",
                            "18446744073709551617"})
        EXPECT_NE(header_error(one("U8", "[" + std::string(dim) + "]", "[0,1]"), 1)
                      .find("not a whole number"),
                  std::string::npos)
            << dim;
    EXPECT_NE(header_error(one("U8", "1", "[0,1]"), 1).find("has no shape"), std::string::npos);
    EXPECT_NE(header_error(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1).find("has no shape"),
              std::string::npos);
    std::string ones = "[1";
    for (int i = 1; i < 64; ++i) ones += ",1";
    EXPECT_EQ("", header_error(one("U8", ones + "]", "[0,1]"), 1));
    EXPECT_EQ("tensor \"a\" has more than 64 dimensions.",
              header_error(one("U8", ones + ",1]", "[0,1]"), 1));
    EXPECT_EQ("", header_error(one("U8", "[]", "[0,1]"), 1)) << "a single number";
    EXPECT_EQ("", header_error(one("F32", "[3,0,2]", "[0,0]"), 0)) << "no numbers";
}

TEST(Safetensors, Types) {
    EXPECT_EQ("tensor \"a\" has the unknown dtype \"F33\".",
              header_error(one("F33", "[1]", "[0,4]"), 4));
    EXPECT_EQ("tensor \"a\" has the unknown dtype \"f32\".",
              header_error(one("f32", "[1]", "[0,4]"), 4));
    EXPECT_NE(header_error(R"({"a":{"dtype":1,"shape":[1],"data_offsets":[0,1]}})", 1)
                  .find("has no dtype"),
              std::string::npos);
    EXPECT_EQ("tensor \"a\" has 3 bytes where its shape [1] and dtype F32 need 4.",
              header_error(one("F32", "[1]", "[0,3]"), 3));
    EXPECT_NE(header_error(one("F4", "[3]", "[0,1]"), 1).find("whole bytes"), std::string::npos);
    const struct {
        const char* name;
        int bytes;
        bool usable;
    } kTypes[] = {
        {"F32", 4, true},   {"BF16", 2, true},     {"F16", 2, true},  {"F8_E4M3", 1, true},
        {"I64", 8, true},   {"I32", 4, true},      {"U8", 1, true},   {"F64", 8, false},
        {"BOOL", 1, false}, {"F8_E5M2", 1, false}, {"I8", 1, false},  {"I16", 2, false},
        {"U16", 2, false},  {"U32", 4, false},     {"U64", 8, false}, {"C64", 8, false}};
    for (const auto& type : kTypes) {
        SCOPED_TRACE(type.name);
        const TestFolder folder;
        const std::string offsets = "[0," + std::to_string(2 * type.bytes) + "]";
        const SafetensorsFile file(folder.put(
            "x", safetensors_bytes(one(type.name, "[2]", offsets), size_t(2 * type.bytes))));
        EXPECT_TRUE(file.has("a"));
        EXPECT_EQ(type.usable, file.find("a") != nullptr);
        const std::string error = startup_error([&] { file.entry("a"); });
        EXPECT_EQ(type.usable, error.empty());
        EXPECT_EQ(!type.usable, error.find(type.name) != std::string::npos);
    }
}

TEST(Safetensors, ByteRanges) {
    const auto two = [](const char* first, const char* second, size_t num_bytes) {
        return header_error(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(first) +
                R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(second) + "}}",
            num_bytes);
    };
    EXPECT_EQ("", two("[0,4]", "[4,8]", 8));
    EXPECT_EQ("", two("[4,8]", "[0,4]", 8)) << "any order";
    EXPECT_EQ("tensor \"b\" overlaps the tensor before it.", two("[0,4]", "[3,7]", 7));
    EXPECT_EQ("tensor \"b\" overlaps the tensor before it.", two("[0,4]", "[0,4]", 4));
    EXPECT_EQ("tensor \"b\" leaves a hole of 1 bytes before it.", two("[0,4]", "[5,9]", 9));
    EXPECT_EQ("tensor \"a\" leaves a hole of 1 bytes before it.", two("[1,5]", "[5,9]", 9));
    EXPECT_EQ("has 1 bytes after the last tensor.", two("[0,4]", "[4,8]", 9));
    EXPECT_NE(two("[0,4]", "[4,8]", 7).find("is cut short"), std::string::npos);
    EXPECT_NE(header_error(one("U8", "[4]", "[4,0]"), 4).find("ends before it begins"),
              std::string::npos);
    for (const char* offsets :
         {"[-4,0]", "[0,4.0]", "[0,9223372036854775808]", "[0,\"4\"]", "[null,4]"})
        EXPECT_NE(header_error(one("U8", "[4]", offsets), 4).find("not a whole number"),
                  std::string::npos)
            << offsets;
    for (const char* offsets : {"[]", "[0]", "[0,4,4]", "4", "{}"})
        EXPECT_NE(header_error(one("U8", "[4]", offsets), 4).find("no data_offsets"),
                  std::string::npos)
            << offsets;
    EXPECT_NE(header_error(one("U8", "[4]", "[9223372036854775803,9223372036854775807]"), 4)
                  .find("is cut short"),
              std::string::npos);
    EXPECT_EQ("has 5 bytes after the last tensor.", header_error("{}", 5));
    // Empty tensors lie anywhere between others, but not inside one.
    const auto with_empty = [](const char* at) {
        return header_error(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                            R"("e":{"dtype":"F32","shape":[0],"data_offsets":)" +
                                std::string(at) + "}}",
                            4);
    };
    EXPECT_EQ("", with_empty("[0,0]"));
    EXPECT_EQ("", with_empty("[4,4]"));
    EXPECT_NE("", with_empty("[2,2]"));
}

TEST(Safetensors, NamesInMessagesAreTame) {
    EXPECT_EQ("\"a?b\"", quote("a\nb"));
    EXPECT_EQ("\"\"", quote(""));
    EXPECT_EQ(std::string(120, 'x'), quote(std::string(500, 'x')).substr(1, 120));
    EXPECT_EQ(125u, quote(std::string(500, 'x')).size());
    // A character is not cut in the middle.
    EXPECT_EQ("\"" + std::string(119, 'x') + "...\"",
              quote(std::string(119, 'x') + "\xC3\xA9" + "yy"));
    EXPECT_EQ("[]", shape_text({}));
}

TEST(Safetensors, ReadAhead) {
    const TestFolder folder;
    const auto path =
        folder.put("x.safetensors", safetensors_bytes(one("U8", "[40000]", "[0,40000]"), 40000));
    const SafetensorsFile file(path);
    EXPECT_TRUE(read_ahead(file.entry("a").at, file.entry("a").size_bytes));
    EXPECT_TRUE(read_ahead(nullptr, 0));
    std::filesystem::resize_file(path, 4096);
    EXPECT_FALSE(read_ahead(file.entry("a").at, file.entry("a").size_bytes));
}

// A damaged file gives its tensors or one sentence, and nothing else; what it gives can be touched.
TEST(Safetensors, RandomDamageNeverCrashes) {
    const TestFolder folder;
    const std::string good = safetensors_bytes(kTwoTensors, 22);
    const Rng rng("safetensors damage");
    uint64_t draw = 0;
    const auto below = [&](size_t n) { return static_cast<size_t>(rng.bits(draw++) % n); };
    constexpr char kLikely[] = "{}[]\",:0123456789-.eE\\ aFBU_\x80\xFF";
    int refused = 0;
    constexpr int kTrials = 6000;
    for (int trial = 0; trial < kTrials; ++trial) {
        std::string bytes = good;
        for (size_t edits = 1 + below(4); edits > 0 && !bytes.empty(); --edits) {
            const size_t at = below(bytes.size());
            switch (below(5)) {
                case 0:
                    bytes[at] = static_cast<char>(rng.bits(draw++));
                    break;
                case 1:
                    bytes[at] = kLikely[below(sizeof kLikely - 1)];
                    break;
                case 2:
                    bytes.erase(at, 1 + below(8));
                    break;
                case 3:
                    bytes.insert(at, 1, kLikely[below(sizeof kLikely - 1)]);
                    break;
                default:
                    bytes.insert(at, bytes.substr(below(bytes.size()), below(40)));
            }
        }
        // Half of the time the length is right again, so that the damage reaches the parser.
        if (trial % 2 && bytes.size() > 30)
            bytes.replace(0, 8, length_bytes(bytes.size() - 8 - 22));
        const auto path = folder.put("x.safetensors", bytes);
        const std::string error = startup_error([&] {
            const SafetensorsFile file(path);
            unsigned sum = 0;
            for (const std::string& name : file.names())
                if (const TensorEntry* entry = file.find(name))
                    for (int64_t i = 0; i < entry->size_bytes; ++i)
                        sum += static_cast<unsigned>(entry->at[i]);
            EXPECT_GE(sum, 0u);
        });
        refused += !error.empty();
    }
    EXPECT_GT(refused, kTrials / 2);
    EXPECT_LT(refused, kTrials);
}

TEST(Safetensors, ReadsTheReferenceFiles) {
    const SafetensorsFile dense("tests/golden/tiny-dense/model.safetensors");
    EXPECT_TRUE(dense.has("model.visual.patch_embed.proj.weight"));
    EXPECT_EQ(5u, dense.entry("model.visual.patch_embed.proj.weight").shape.size());
    int64_t bytes = 0;
    for (const std::string& name : dense.names()) bytes += dense.entry(name).size_bytes;
    EXPECT_EQ(dense.total_bytes(), bytes);
}

}  // namespace
}  // namespace saker
