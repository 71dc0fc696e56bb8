// A folder that matches its manifest, and each way in which one does not.
#include "weights/manifest.h"

#include <gtest/gtest.h>

#include "weights/test_files.h"

namespace saker {
namespace {

// The digests of "abc" and of the million of "a", from FIPS 180-2.
constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kMillion[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Manifest, ChecksEveryListedFile) {
    const TestFolder folder;
    const std::string weights =
        safetensors_bytes(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4);
    constexpr char kWeights[] = "b97609c0548a2d61faf8ba8547908f5e71be06af02116ee04a38d3a05000a13e";
    folder.put("model.safetensors", weights);
    folder.put("abc", "abc");
    folder.put("million", std::string(1'000'000, 'a'));
    ThreadPool pool(2);
    const auto verify = [&](const std::string& manifest) {
        folder.put("SHA256SUMS", manifest);
        return startup_error([&] {
            EXPECT_TRUE(
                verify_manifest(Checkpoint::open(folder.path()), pool, Progress::Style::silent));
        });
    };
    const auto says = [](const std::string& error, std::string_view part) {
        return error.find(part) != std::string::npos;
    };
    const std::string own = std::string(kWeights) + "  model.safetensors\n";
    const std::string abc = std::string(kAbc) + "  abc\n";
    EXPECT_FALSE(verify_manifest(Checkpoint::open(folder.path()), pool)) << "there is none";
    EXPECT_EQ("", verify(own));
    EXPECT_EQ("", verify(own + abc + "\n" + kMillion + " *million\n"));
    EXPECT_TRUE(
        says(verify(own + kAbc + "  million\n"), "million: is not the file that SHA256SUMS lists"));
    EXPECT_TRUE(says(verify(own + kAbc + "  absent\n"), "absent: is listed in SHA256SUMS"));
    EXPECT_TRUE(says(verify(abc), "SHA256SUMS: does not list \"model.safetensors\""));
    EXPECT_TRUE(says(verify(own + abc + abc), "line 3 names \"abc\" again"));
    EXPECT_TRUE(says(verify(own + kAbc + "  ../abc\n"), "line 2 names \"../abc\""));
    EXPECT_TRUE(says(verify(""), "lists no files"));
    for (const std::string& line :
         {std::string("x"), std::string(kAbc), std::string(kAbc) + "  ", std::string(kAbc) + "   ",
          std::string(kAbc) + "xxabc", "B" + std::string(kAbc).substr(1) + "  abc"})
        EXPECT_NE("", verify(own + line)) << line;
    std::string damaged = weights;
    damaged.back() ^= 1;
    folder.put("model.safetensors", damaged);
    EXPECT_TRUE(says(verify(own), "model.safetensors: is not the file"));
}

}  // namespace
}  // namespace saker
