// Keys of rope in every place and spelling; what they make is in mrope_test.cpp and, against
// transformers, in tests/golden/rope.
#include "models/rope_config.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/check.h"

namespace saker {
namespace {

// A text_config of these members, for a head of 32 and a context of 4,096.
RopeConfig read(const std::string& members) {
    const auto value = parse_json("{" + members + "}", "The text");
    EXPECT_TRUE(value.ok()) << members;
    return RopeConfig::read(JsonReader(value->get_object(), "config.json", "text_config."), 32,
                            4096);
}

std::string fault(const std::string& members) {
    try {
        read(members);
    } catch (const StartupError& e) {
        return e.what();
    }
    return "";
}

// rope_parameters with an axis section, a theta and `members`.
std::string parameters(const std::string& members) {
    return R"("rope_parameters": {"mrope_section": [6, 5, 5], "rope_theta": 10000.0, )" + members +
           "}";
}
std::string yarn(const std::string& members) {
    return parameters(R"("rope_type": "yarn", "factor": 4.0)" +
                      (members.empty() ? "" : ", " + members));
}

TEST(RopeConfig, ThetaInAnyPlace) {
    const std::string section = R"("mrope_section": [6, 5, 5])";
    for (const std::string& members :
         {R"("rope_theta": 5e6, "rope_scaling": {)" + section + "}",
          R"("rope_theta": 5000000, "rope_parameters": {)" + section + "}",
          R"("rope_scaling": {"rope_theta": 5e6, )" + section + "}",
          R"("rope_parameters": {"rope_theta": 5e6, )" + section + "}",
          R"("rope_parameters": {"rope_theta": 5e6}, "rope_scaling": {)" + section + "}",
          R"("rope_theta": 5e6, "rope_parameters": {"rope_theta": 5000000, )" + section + "}",
          R"("rope_theta": 5e6, "rope_scaling": {"rope_theta": 5000000.0, )" + section + "}",
          R"("rope_theta": null, "rope_parameters": {"rope_theta": 5e6, )" + section + "}"}) {
        EXPECT_EQ(fault(members), "");
        EXPECT_EQ(read(members).theta, 5e6) << members;
        EXPECT_EQ(read(members).section[2], 5) << members;
    }
    EXPECT_EQ(fault(R"("rope_scaling": {)" + section + "}"),
              "config.json: text_config.rope_theta is missing, here and in rope_parameters.");
    EXPECT_EQ(
        fault(R"("rope_theta": 10000, "rope_parameters": {"rope_theta": 5e6, )" + section + "}"),
        "config.json: text_config.rope_theta is 10000, but rope_parameters.rope_theta is "
        "5000000.0: take out the one that is wrong.");
    EXPECT_EQ(fault(R"("rope_parameters": {"rope_theta": 1e4, "mrope_section": [6, 5, 5]},
                       "rope_scaling": {"rope_theta": 5e6})"),
              "config.json: text_config.rope_parameters.rope_theta is 10000.0, but "
              "rope_scaling.rope_theta is 5000000.0: take out the one that is wrong.");
}

TEST(RopeConfig, EveryKeyMustAgree) {
    const std::string both = R"("rope_theta": 1e4, "rope_parameters": {"mrope_section": [6, 5, 5],
        "rope_type": "yarn", "factor": 4}, "rope_scaling": {)";
    EXPECT_EQ(fault(both + R"("type": "yarn", "factor": 4.0})"), "");
    EXPECT_NE(fault(both + R"("factor": 3.0})")
                  .find("rope_parameters.factor is 4, but rope_scaling.factor is 3.0: take out"),
              std::string::npos);
    EXPECT_NE(fault(both + R"("rope_type": "default"})")
                  .find("rope_parameters.rope_type is \"yarn\", but rope_scaling.rope_type is "
                        "\"default\": take out"),
              std::string::npos);
    EXPECT_NE(fault(both + R"("mrope_section": [5, 6, 5]})").find("[6, 5, 5], but"),
              std::string::npos);
    EXPECT_NE(fault(both + R"("original_max_position_embeddings": 64},
                        "original_max_position_embeddings": 32)")
                  .find("original_max_position_embeddings is 32, but "
                        "rope_scaling.original_max_position_embeddings is 64"),
              std::string::npos);
}

TEST(RopeConfig, TheOldNameOfTheType) {
    for (const char* plain : {R"("type": "mrope")", R"("type": "default")",
                              R"("rope_type": "default", "type": "mrope")", R"("rope_type": null)"})
        EXPECT_EQ(read(parameters(plain)).scaling, RopeConfig::Scaling::none) << plain;
    for (const char* scaled :
         {R"("type": "yarn", "factor": 2)", R"("rope_type": "yarn", "type": "mrope", "factor": 2)",
          R"("rope_type": "yarn", "type": "yarn", "factor": 2)"})
        EXPECT_EQ(read(parameters(scaled)).scaling, RopeConfig::Scaling::yarn) << scaled;
    EXPECT_EQ(fault(parameters(R"("rope_type": "default", "type": "yarn", "factor": 2)")),
              "config.json: text_config.rope_parameters.rope_type is \"default\", but "
              "rope_parameters.type is \"yarn\": take out the one that is wrong.");
}

TEST(RopeConfig, Yarn) {
    const RopeConfig plain = read(yarn(""));
    EXPECT_EQ(plain.scaling, RopeConfig::Scaling::yarn);
    EXPECT_EQ(plain.factor, 4);
    EXPECT_EQ(plain.original_context, 4096);
    EXPECT_EQ(plain.beta_fast, 32);
    EXPECT_EQ(plain.beta_slow, 1);
    EXPECT_TRUE(plain.truncate);
    EXPECT_DOUBLE_EQ(plain.attention_factor, 0.1 * std::log(4) + 1);
    const RopeConfig all = read(yarn(R"("original_max_position_embeddings": 64, "beta_fast": 8,
        "beta_slow": 0.5, "truncate": false, "attention_factor": 0.9, "mscale": 2.0,
        "mscale_all_dim": 0.5)"));
    EXPECT_EQ(all.original_context, 64);
    EXPECT_EQ(all.beta_fast, 8);
    EXPECT_EQ(all.beta_slow, 0.5);
    EXPECT_FALSE(all.truncate);
    EXPECT_EQ(all.attention_factor, 0.9);
    EXPECT_DOUBLE_EQ(read(yarn(R"("mscale": 2.0, "mscale_all_dim": 0.5)")).attention_factor,
                     (0.2 * std::log(4) + 1) / (0.05 * std::log(4) + 1));
    // Of the two, one alone does nothing; 0 and null stand for no key.
    for (const char* neutral :
         {R"("mscale": 2.0)", R"("mscale_all_dim": 2.0)", R"("mscale": 0, "mscale_all_dim": 2)",
          R"("attention_factor": null)", R"("beta_fast": 0, "beta_slow": null)"}) {
        EXPECT_EQ(read(yarn(neutral)).attention_factor, plain.attention_factor) << neutral;
        EXPECT_EQ(read(yarn(neutral)).beta_fast, 32) << neutral;
    }
    EXPECT_FALSE(read(yarn(R"("truncate": null)")).truncate);
    EXPECT_EQ(read(parameters(R"("rope_type": "yarn", "factor": null,
                                 "original_max_position_embeddings": 512)"))
                  .factor,
              8);
    EXPECT_EQ(read(R"("original_max_position_embeddings": 64, )" + yarn("")).original_context, 64);
}

TEST(RopeConfig, Linear) {
    const RopeConfig linear = read(parameters(R"("rope_type": "linear", "factor": 8)"));
    EXPECT_EQ(linear.scaling, RopeConfig::Scaling::linear);
    EXPECT_EQ(linear.factor, 8);
    EXPECT_EQ(linear.attention_factor, 1);
}

TEST(RopeConfig, FaultsNameTheKey) {
    const std::string at = "config.json: text_config.rope_parameters.";
    const struct {
        std::string members, sentence;
    } kFaults[] = {
        {yarn(R"("attention_factor": "rubbish")"), "attention_factor is not a number."},
        {yarn(R"("attention_factor": 0)"), "attention_factor must be above 0."},
        {yarn(R"("attention_factor": -1)"), "attention_factor is -1, outside 0.0 to 1e6."},
        {yarn(R"("attention_factor": true)"), "attention_factor is not a number."},
        {yarn(R"("mscale": [])"), "mscale is not a number."},
        {yarn(R"("mscale": -0.5)"), "mscale is -0.5, outside 0.0 to 1e6."},
        {yarn(R"("mscale_all_dim": "1")"), "mscale_all_dim is not a number."},
        {yarn(R"("beta_fast": "32")"), "beta_fast is not a number."},
        {yarn(R"("beta_slow": 33)"),
         "beta_slow makes beta_slow 33.0, above beta_fast, which is 32.0."},
        {yarn(R"("beta_fast": 0.5)"),
         "beta_fast makes beta_slow 1.0, above beta_fast, which is 0.5."},
        {yarn(R"("truncate": 1)"), "truncate is not true or false."},
        {yarn(R"("original_max_position_embeddings": 0)"),
         "original_max_position_embeddings is 0, outside 1 to 1073741824."},
        {yarn(R"("original_max_position_embeddings": 64.5)"),
         "original_max_position_embeddings is not an integer."},
        {yarn(R"("partial_rotary_factor": 0.5)"),
         "partial_rotary_factor asks for something that Saker does not do (every part of a head is "
         "rotated)."},
        {yarn(R"("factr": 4)"),
         "\"factr\" is not a key that Saker knows (did you mean factor?): take it out if it "
         "changes "
         "nothing."},
        {parameters(R"("rope_type": "yarn")"), "factor is missing: rope_type yarn needs it."},
        {parameters(R"("rope_type": "yarn", "factor": 0.5)"), "factor is 0.5, outside 1.0 to 1e6."},
        {parameters(R"("rope_type": "yarn", "factor": "4")"), "factor is not a number."},
        {parameters(R"("rope_type": "linear")"), "factor is missing: rope_type linear needs it."},
        {parameters(R"("rope_type": "longrope")"),
         "rope_type is \"longrope\", which Saker does not do: default, linear and yarn are."},
        {parameters(R"("type": "dynamic", "factor": 2)"),
         "type is \"dynamic\", which Saker does not do: default, linear and yarn are."},
        {parameters(R"("rope_type": 4)"), "rope_type is not a string."},
        // Wrong values are wrong where the type does not use them, too.
        {parameters(R"("rope_type": "default", "attention_factor": "rubbish")"),
         "attention_factor is not a number."},
        {parameters(R"("mrope_interleaved": false)"),
         "mrope_interleaved must be true: Qwen3-VL interleaves its axes."},
        {R"("rope_parameters": {"rope_theta": 1e4, "mrope_section": [6, 5, 4]})",
         "mrope_section does not add up to head_dim / 2."},
        {R"("rope_parameters": {"rope_theta": 1e4, "mrope_section": [20, -9, 5]})",
         "mrope_section has a number outside the head."},
        {R"("rope_parameters": {"rope_theta": 1e4})",
         "mrope_section is missing, and head_dim is not 128."},
        {R"("rope_parameters": {"rope_theta": 1})", "rope_theta must be above 1, up to 1e30."},
        {R"("rope_parameters": {"rope_theta": 1e31})", "rope_theta must be above 1, up to 1e30."},
        {R"("rope_parameters": {"rope_theta": "1e4"})", "rope_theta is not a number."},
    };
    for (const auto& f : kFaults) EXPECT_EQ(fault(f.members), at + f.sentence);
    EXPECT_EQ(fault(R"("rope_parameters": 5)"),
              "config.json: text_config.rope_parameters is not an object.");
}

TEST(RopeConfig, WarnsOfKeysThatTheTypeDoesNotUse) {
    const auto told = [](const std::string& members) {
        testing::internal::CaptureStderr();
        read(members);
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(told(yarn(R"("mscale": 1, "beta_fast": 32)")), "");
    EXPECT_EQ(told(parameters(R"("rope_type": "default", "factor": 1.0)")), "");
    EXPECT_NE(told(parameters(R"("rope_type": "default", "factor": 4)"))
                  .find("config.json: text_config.rope_parameters: factor has no effect where "
                        "rope_type is default"),
              std::string::npos);
    EXPECT_NE(told(parameters(R"("rope_type": "linear", "factor": 4, "beta_fast": 8)"))
                  .find("beta_fast has no effect where rope_type is linear"),
              std::string::npos);
}

double vision_theta(const std::string& members) {
    const auto value = parse_json("{" + members + "}", "The text");
    return read_vision_rope_theta(JsonReader(value->get_object(), "config.json", "vision_config."));
}

TEST(VisionRopeTheta, IsHonoured) {
    EXPECT_EQ(vision_theta(""), 10000);
    EXPECT_EQ(vision_theta(R"("rope_theta": 500)"), 500);
    EXPECT_EQ(vision_theta(R"("rope_parameters": {"rope_theta": 500.0, "rope_type": "axial"})"),
              500);
    EXPECT_EQ(vision_theta(R"("rope_parameters": {"rope_type": "default"})"), 10000);
    for (const char* wrong :
         {R"("rope_parameters": {"rope_type": "yarn"})", R"("rope_parameters": {"factor": 2})",
          R"("rope_theta": 0.5)", R"("rope_theta": 5, "rope_scaling": {"rope_theta": 6})"})
        EXPECT_THROW(vision_theta(wrong), StartupError) << wrong;
}

}  // namespace
}  // namespace saker
