// Conversations in the API's JSON: pictures from everywhere, in their order; what is refused, by
// name; and a saved conversation, which reads as the one it was.
#include "app/message_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/session.h"
#include "base/base64.h"
#include "json/json.h"

namespace saker {
namespace {

constexpr char kPicture[] = "examples/pictures/shapes-1.png";

std::string one_message(const std::string& content) {
    return R"({"messages": [{"role": "user", "content": [)" + content + "]}]}";
}

class MessageFileTest : public testing::Test {
  protected:
    MessageFileTest()
        : picture_(*read_file(kPicture)),
          base64_(encode_base64(picture_)),
          folder_(std::filesystem::temp_directory_path() /
                  ("saker messages " + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~MessageFileTest() override { std::filesystem::remove_all(folder_); }

    static Result<MessageFile> parse(const std::string& text, std::optional<double> fps = {}) {
        return parse_messages(text, "talk.json", fps);
    }
    static std::string fault(const std::string& text) {
        const auto file = parse(text);
        return file ? "" : file.error().message;
    }

    std::vector<uint8_t> picture_;
    std::string base64_;
    std::filesystem::path folder_;
};

TEST_F(MessageFileTest, AnObjectOrABareList) {
    const std::string list = R"([{"role": "user", "content": "Hi"}])";
    for (const std::string& text : {list, R"({"messages": )" + list + "}"}) {
        const auto file = parse(text);
        ASSERT_TRUE(file.ok()) << file.error().message;
        EXPECT_EQ(file->asked.chat.messages[0].text(), "Hi");
    }
}

TEST_F(MessageFileTest, PicturesFromEverywhereInTheirOrder) {
    const std::string spaced = (folder_ / "a b.png").string();
    std::filesystem::copy_file(kPicture, spaced);
    std::string url = "file://" + spaced;
    for (size_t at; (at = url.find(' ')) != std::string::npos;) url.replace(at, 1, "%20");
    const auto file = parse(one_message(
        R"({"type": "image", "image": ")" + std::string(kPicture) +
        R"("}, {"type": "text", "text": "one"}, {"type": "image_url", "image_url": {"url": ")" +
        url + R"(", "detail": "low"}}, {"type": "text", "text": "two"}, {"type": "image_url",
        "image_url": "data:image/png;base64,)" +
        base64_ + R"(", "max_pixels": 65536},
        {"type": "image", "image": ")" +
        base64_ + R"("})"));
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_EQ(file->asked.media.size(), 4u);
    for (const MediaInput& input : file->asked.media) EXPECT_EQ(input.files[0], picture_);
    EXPECT_EQ(file->asked.media[1].names[0], spaced);
    EXPECT_EQ(file->asked.media[1].max_tokens, 256);
    EXPECT_EQ(file->asked.media[2].max_pixels, 65536);
    const auto& content = file->asked.chat.messages[0].content;
    ASSERT_EQ(content.size(), 6u);
    EXPECT_EQ(content[1].text, "one");
    EXPECT_EQ(content[3].text, "two");
}

TEST_F(MessageFileTest, ClipsAreFramesOrFolders) {
    const auto file =
        parse(one_message(R"({"type": "video", "video": ["examples/pictures/motion/00.png",
            "examples/pictures/motion/01.png"], "fps": 4},
            {"type": "video_url", "video_url": {"url": "examples/pictures/motion"}})"),
              2.0);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->asked.media[0].files.size(), 2u);
    EXPECT_EQ(file->asked.media[0].fps, 4) << "its own";
    EXPECT_EQ(file->asked.media[1].files.size(), 6u);
    EXPECT_EQ(file->asked.media[1].fps, 2) << "that of the command line";
}

// As `saker render` reads it: the model is to see the schema that was written.
TEST_F(MessageFileTest, IntegersOfSchemasStayWhatTheyAre) {
    const auto file = parse(R"({"messages": [{"role": "user", "content": "x"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters":
        {"type": "object", "properties": {"id": {"maximum": 123456789012345678901}}}}}]})");
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_NE(dump_json(file->asked.chat.tools.at(0)).find("123456789012345678901"),
              std::string::npos);
    EXPECT_NE(fault(R"({"messages": [{"role": "user", "content": "x"}],
        "seed": 123456789012345678901})"),
              "");
}

TEST_F(MessageFileTest, WishesOfSampling) {
    const auto file = parse(R"({"messages": [{"role": "user", "content": "Hi"}], "model": "any",
        "temperature": 0.5, "top_k": -1, "seed": 18446744073709551615, "max_tokens": 7,
        "max_completion_tokens": 9, "stop": ["a", "b"], "logprobs": true, "top_logprobs": 3,
        "stream": false, "n": 1, "response_format": {"type": "text"}})");
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->wishes.temperature, 0.5);
    EXPECT_EQ(file->wishes.top_k, -1);
    EXPECT_EQ(file->wishes.seed, UINT64_MAX);
    EXPECT_EQ(file->wishes.max_tokens, 9);
    EXPECT_EQ(file->wishes.stop, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(file->wishes.logprobs, 3);
    EXPECT_FALSE(file->wishes.top_p) << "the model's own";
}

TEST_F(MessageFileTest, WhatIsWrongIsNamed) {
    const std::string hello = R"("messages": [{"role": "user", "content": "Hi"}])";
    const auto image = [](const std::string& source) {
        return one_message(R"({"type": "image", "image": ")" + source + R"("})");
    };
    const std::pair<std::string, std::string> cases[] = {
        {"{", "talk.json"},
        {"3", "talk.json: is neither an object"},
        {R"({"messages": []})", "talk.json: messages must be a list of at least one"},
        {"{" + hello + R"(, "n": 2})", "talk.json: n asks for something that Saker does not do"},
        {"{" + hello + R"(, "response_format": {"type": "json_object"}})", "response_format"},
        {"{" + hello + R"(, "temperature": "warm"})", "talk.json: temperature is not a number."},
        {"{" + hello + R"(, "top_k": 1.5})", "talk.json: top_k is not an integer."},
        {"{" + hello + R"(, "seed": -1})", "talk.json: seed is -1, outside 0"},
        {"{" + hello + R"(, "stop": ""})", "talk.json: stop must not be empty."},
        {"{" + hello + R"(, "top_logprobs": 2})", "top_logprobs needs \"logprobs\": true."},
        {image("https://x.org/a.png"),
         "talk.json: messages[0].content[0]: saker run does not fetch \"https://x.org/a.png\": "
         "download it first"},
        {image("file://other/a.png"), "names another machine"},
        {image("ftp://x/a.png"), "is no URL that saker run reads"},
        {image("none.png"), "there is no file \"none.png\", and it is no picture in base64."},
        {image("AAAA"), "there is no file \"AAAA\""},
        {image("data:image/png,xx"), "does not begin as data:image/png;base64, does."},
        {image("data:image/png;base64,x!"), "is not base64."},
        {image("examples"), "examples: is a folder"},
        {one_message(R"({"type": "video", "video": ["a.png"]})"), "content[0]: fps is missing"},
        {one_message(R"({"type": "video", "video": ["a.png"], "fps": 1, "max_pixels": 9})"),
         "min_pixels and max_pixels of a clip are not supported"},
        {one_message(R"({"type": "video", "video": ["none.png"], "fps": 1})"),
         "content[0], frame 0: there is no file"},
        {one_message(R"({"type": "image", "image": "x.png", "resized_height": 64})"),
         "messages[0].content[0].resized_height asks for something that Saker does not do"},
        {one_message(R"({"type": "video", "video": "examples/pictures/motion", "nframes": 4})"),
         "messages[0].content[0].nframes"},
        {R"([{"role": "user", "content": "Hi", "function_call": {}}])",
         "messages[0].function_call"},
    };
    for (const auto& [text, sentence] : cases) {
        const std::string told = fault(text);
        EXPECT_NE(told.find(sentence), std::string::npos) << text << "\n" << told;
        EXPECT_FALSE(told.ends_with("..")) << told;
    }
}

TEST_F(MessageFileTest, UnknownKeysAreToldOnceForAllMessages) {
    testing::internal::CaptureStderr();
    const auto file = parse(R"({"temprature": 1, "messages": [
        {"role": "user", "content": "a", "time": 1}, {"role": "assistant", "content": "b",
        "time": 2}, {"role": "user", "content": [{"type": "text", "text": "c", "time": 3}]}]})");
    const std::string told = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_NE(told.find("\"temprature\" (did you mean temperature?)"), std::string::npos) << told;
    EXPECT_NE(told.find("\"time\""), std::string::npos) << told;
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2) << told;
}

TEST_F(MessageFileTest, ASavedConversationReadsAsTheOneItWas) {
    const auto before =
        parse(R"({"messages": [{"role": "system", "content": "Be brief."},
        {"role": "user", "name": "Ann", "content": [{"type": "text", "text": "See"},
        {"type": "image", "image": ")" +
              std::string(kPicture) + R"(", "min_pixels": 1024}, {"type": "image_url", "image_url":
        {"url": "data:image/png;base64,)" +
              base64_ + R"(", "detail": "low"}}]},
        {"role": "assistant", "content": "你好\n\"x\"", "reasoning_content": "hm", "tool_calls":
        [{"id": "1", "function": {"name": "f", "arguments": {"a": 1}}}]},
        {"role": "tool", "tool_call_id": "1", "content": "3"},
        {"role": "user", "content": [{"type": "video", "video": "examples/pictures/motion",
        "fps": 2}]}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        "chat_template_kwargs": {"enable_thinking": false}})");
    ASSERT_TRUE(before.ok()) << before.error().message;
    const std::string path = (folder_ / "saved.json").string();
    ASSERT_TRUE(save_messages(before->asked, path, false).ok());
    const auto after = read_messages(path, std::nullopt);
    ASSERT_TRUE(after.ok()) << after.error().message;
    ASSERT_EQ(after->asked.media.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(after->asked.media[i].files, before->asked.media[i].files) << i;
    EXPECT_EQ(after->asked.media[0].min_pixels, 1024);
    EXPECT_EQ(after->asked.media[1].max_tokens, 256);
    EXPECT_EQ(after->asked.media[2].fps, 2);
    EXPECT_EQ(messages_json(after->asked), messages_json(before->asked));
    EXPECT_EQ(after->asked.chat.messages[1].name, "Ann");
    EXPECT_EQ(after->asked.chat.messages[1].content_form, ContentForm::parts);
    EXPECT_EQ(after->asked.chat.messages[0].content_form, ContentForm::plain);
    EXPECT_EQ(dump_json(after->asked.chat.chat_template_kwargs), R"({"enable_thinking": false})");
    const json::object saved = read_json_file(path);
    const json::value& url =
        saved.at("messages").at(1).at("content").at(1).at("image_url").at("url");
    EXPECT_EQ(url.get_string(), std::filesystem::absolute(kPicture).string().c_str())
        << "found from every working folder";
    const json::value& frame = saved.at("messages").at(4).at("content").at(0).at("video").at(5);
    EXPECT_EQ(frame.get_string(),
              std::filesystem::absolute("examples/pictures/motion/05.png").string().c_str());

    EXPECT_FALSE(save_messages(before->asked, path, false).ok()) << "it is there";
    Asked other;
    other.add_text(Role::user, "Hi");
    EXPECT_TRUE(save_messages(other, path, true).ok());
    EXPECT_EQ(read_messages(path, std::nullopt)->asked.chat.messages.size(), 1u);
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    EXPECT_FALSE(save_messages(other, (folder_ / "no" / "x.json").string(), true).ok());
}

TEST(Asked, TakingBackLeavesWhatWasBefore) {
    Asked asked;
    MediaInput first, second;
    first.names = {"1"};
    second.names = {"2"};
    asked.add_question("a", {first});
    asked.add_question("b", {second, first});
    EXPECT_EQ(asked.chat.messages[1].content.size(), 3u);
    EXPECT_EQ(asked.chat.messages[1].content[2].text, "b");
    const std::vector<MediaInput> shown = asked.take_back();
    ASSERT_EQ(shown.size(), 2u);
    EXPECT_EQ(shown[0].names[0], "2");
    EXPECT_EQ(asked.media.size(), 1u);
    EXPECT_EQ(asked.chat.messages.size(), 1u);
}

}  // namespace
}  // namespace saker
