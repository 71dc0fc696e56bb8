// Which template a folder's is, and what is said of faulty ones.
#include "text/chat_template_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "text/chat_template.h"

namespace saker {
namespace {

class ChatTemplateLoad : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("saker_template_" +
                   std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    static const Tokenizer& tokenizer() {
        static const Tokenizer made = Tokenizer::load("models/demo/tokenizer.json");
        return made;
    }
    // The prompt of the folder's template, or the fault of loading it.
    std::string prompt(const std::string& choice = "", const std::string& more = "") const {
        try {
            const auto made = ChatTemplate::load(folder_, tokenizer(), choice);
            const auto request =
                parse_chat(R"({"messages": [{"role": "user", "content": "q"}])" + more + "}");
            EXPECT_TRUE(request.ok());
            const auto parts = made.render(*request);
            return parts.ok() ? rendered_text(*parts) : parts.error().message;
        } catch (const StartupError& e) {
            return e.what();
        }
    }
    std::filesystem::path folder_;
};

constexpr const char* kInstruct = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n";
constexpr const char* kTools = R"(, "tools": [{"type": "function", "function": {"name": "f"}}])";

TEST_F(ChatTemplateLoad, TakesTheFirstFileThatHasATemplate) {
    EXPECT_EQ(prompt(), kInstruct);
    write("tokenizer_config.json",
          R"({"chat_template": "config {{ bos_token }}{{ eos_token }}{{ unk_token }}",
              "bos_token": "<b>", "eos_token": {"content": "<e>"}, "unk_token": null})");
    EXPECT_EQ(prompt(), "config <b><e>");
    write("chat_template.json", R"({"chat_template": "json {{ bos_token }}"})");
    EXPECT_EQ(prompt(), "json <b>");
    write("chat_template.jinja", "jinja {{ messages[0].content }}{# <think> #}");
    EXPECT_EQ(prompt(), "jinja q");
}

TEST_F(ChatTemplateLoad, TakesWhatTheOptionNames) {
    write("chat_template.jinja", "jinja");
    write("mine.jinja", "mine");
    EXPECT_EQ(prompt("instruct"), kInstruct);
    EXPECT_EQ(prompt("thinking"), std::string(kInstruct) + "<think>\n");
    EXPECT_EQ(prompt((folder_ / "mine.jinja").string()), "mine");
    EXPECT_EQ(prompt("nowhere.jinja"),
              "nowhere.jinja: there is no such file; --chat-template takes the path of a template, "
              "or instruct or thinking.");
}

TEST_F(ChatTemplateLoad, TakesTheTemplateForToolsWhereThereAreTools) {
    write("tokenizer_config.json",
          R"({"chat_template": [{"name": "tool_use", "template": "tools"},
              {"name": "rag", "template": "{% nonsense %}"},
              {"name": "default", "template": "default"}]})");
    EXPECT_EQ(prompt(), "default");
    EXPECT_EQ(prompt("", kTools), "tools");
}

TEST_F(ChatTemplateLoad, PassesTheClientsArguments) {
    write("chat_template.jinja",
          "{{ enable_thinking is defined and not enable_thinking }}{{ add_vision_id }}{{ x }}");
    EXPECT_EQ(prompt("", R"(, "chat_template_kwargs": {"enable_thinking": false,
                              "add_vision_id": true, "x": [1]})"),
              "TrueTrue[1]");
}

TEST_F(ChatTemplateLoad, NamesTheFaultyFileAndLine) {
    const auto names = [&](const std::string& part) {
        EXPECT_NE(prompt().find(part), std::string::npos) << prompt();
    };
    write("tokenizer_config.json", R"({"chat_template": 3})");
    names("tokenizer_config.json: chat_template is neither a string nor a list");
    write("tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": "x"}]})");
    names("tokenizer_config.json: chat_template is a list without a template named default.");
    write("tokenizer_config.json", R"({"chat_template": "x", "eos_token": 5})");
    names("tokenizer_config.json: eos_token is not a string.");
    write("chat_template.json", "{");
    names("chat_template.json: is not valid JSON");
    write("chat_template.jinja", std::string((1 << 20) + 1, 'x'));
    names("larger than 1 MiB");
    write("tokenizer_config.json", "{}");
    write("chat_template.jinja", "a\n{% if x %}\n{{ y | nonsense }}\n{% endif %}");
    names(
        "chat_template.jinja: line 3: the filter 'nonsense' is not supported; mend the template, "
        "or choose another with --chat-template.");
    write("chat_template.jinja", "a\xFF");
    names("chat_template.jinja: is not valid UTF-8.");
    write("chat_template.jinja", "a\n\n{{ messages[0].content.nothing.more }}");
    names("chat_template.jinja) fails at line 3: 'str object' has no attribute 'nothing'.");
    std::filesystem::remove(folder_ / "chat_template.jinja");
    std::filesystem::create_symlink("nowhere", folder_ / "chat_template.jinja");
    names("chat_template.jinja: cannot be read");
}

}  // namespace
}  // namespace saker
