// The vectors of RFC 4648, section 10, and what is not base64.
#include "base/base64.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

std::vector<uint8_t> bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

TEST(Base64, TheVectorsOfTheStandard) {
    const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, coded] : cases) {
        EXPECT_EQ(encode_base64(bytes_of(plain)), coded);
        EXPECT_EQ(decode_base64(coded), bytes_of(plain));
    }
}

TEST(Base64, EveryByteComesBack) {
    std::vector<uint8_t> all;
    for (int i = 0; i < 256; ++i) all.push_back(static_cast<uint8_t>(i));
    const std::string coded = encode_base64(all);
    EXPECT_EQ(coded.substr(0, 8), "AAECAwQF");
    EXPECT_EQ(coded.substr(coded.size() - 8), "/P3+/w==");
    EXPECT_EQ(decode_base64(coded), all);
}

TEST(Base64, ReadsWhatPeopleSend) {
    EXPECT_EQ(decode_base64("Zm9v\r\nYmFy\n"), bytes_of("foobar")) << "line breaks";
    EXPECT_EQ(decode_base64("Zm8"), bytes_of("fo")) << "no padding";
    EXPECT_EQ(decode_base64("-_-_"), decode_base64("+/+/")) << "URL-safe letters";
}

TEST(Base64, RefusesWhatIsNone) {
    for (const char* wrong : {"Z", "Zm9vY", "Zg=", "Zg===", "=", "Zm9v=", "Zm9v====", "Zg==Zg==",
                              "Zm9.", "Zh==", "Zm9=", "caf\xc3\xa9"})
        EXPECT_EQ(decode_base64(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace saker
