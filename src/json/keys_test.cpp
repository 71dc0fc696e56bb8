// Known, harmless, refused and misspelt keys, and what each is told.
#include "json/keys.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

constexpr KnownKey kKeys[] = {
    {"factor"},
    {"rope_type"},
    {"note", KeyUse::harmless},
    {"num_beams", KeyUse::refused, "[1, false]", "beam search"},
};
constexpr KeyTable kStrict = {"config.json", "rope", UnknownKeys::refuse, kKeys};
constexpr KeyTable kLenient = {"config.json", "rope", UnknownKeys::warn, kKeys};

std::string checked(std::string_view text, const KeyTable& table) {
    const auto value = parse_json(text, "it");
    try {
        check_keys(JsonReader(value->get_object(), "config.json", "rope."), table);
    } catch (const StartupError& e) {
        return e.what();
    }
    return "";
}

TEST(CheckKeys, LetsKnownOnesPass) {
    EXPECT_EQ(checked(R"({"factor": 2, "rope_type": "yarn", "note": [1]})", kStrict), "");
    EXPECT_EQ(checked("{}", kStrict), "");
}

TEST(CheckKeys, LetsAValuePassThatAsksForNothing) {
    for (const char* value : {"1", "1.0", "false", "null"})
        EXPECT_EQ(checked(std::string("{\"num_beams\": ") + value + "}", kStrict), "");
    for (const char* value : {"2", "true", "\"1\"", "[1]", "1.5"})
        EXPECT_EQ(
            checked(std::string("{\"num_beams\": ") + value + "}", kLenient),
            "config.json: rope.num_beams asks for something that Saker does not do (beam search).");
}

TEST(CheckKeys, NamesTheNearestKeyOfAMisspeltOne) {
    EXPECT_EQ(checked(R"({"factr": 2})", kStrict),
              "config.json: rope.\"factr\" is not a key that Saker knows (did you mean factor?): "
              "take it out if it changes nothing.");
    EXPECT_EQ(checked(R"({"zzzz": 2})", kStrict),
              "config.json: rope.\"zzzz\" is not a key that Saker knows: take it out if it changes "
              "nothing.");
}

TEST(CheckKeys, WarnsOnceWhereTheTableSaysSo) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(checked(R"({"factr": 2, "zzzz": 3})", kLenient), "");
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_NE(told.find("config.json: rope: keys that Saker does not know are passed over: "
                        "\"factr\" (did you mean factor?), \"zzzz\""),
              std::string::npos)
        << told;
}

TEST(NearestKey, StaysNear) {
    EXPECT_EQ(nearest_key("rope_typ", kStrict), "rope_type");
    EXPECT_EQ(nearest_key("num_beam", kStrict), "num_beams");
    EXPECT_EQ(nearest_key("", kStrict), "");
    EXPECT_EQ(nearest_key(std::string(100, 'x'), kStrict), "");
}

}  // namespace
}  // namespace saker
