// Requests as clients write them, in every accepted spelling, and the refusal of everything else:
// code, parameter, and no word of the client's.
#include "api/chat.h"

#include <gtest/gtest.h>

#include <string>

namespace saker {
namespace {

using Kind = ContentPart::Kind;

std::string body_of(const std::string& messages, const std::string& more = "") {
    return R"({"model": "m", "stream": true, "messages": )" + messages + more + "}";
}
std::string with_content(const std::string& content, const std::string& role = "user") {
    return body_of(R"([{"role": ")" + role + R"(", "content": )" + content + "}]");
}
std::string with_tool(const std::string& function) {
    return body_of(R"([{"role": "user", "content": "x"}])",
                   R"(, "tools": [{"type": "function", "function": )" + function + "}]");
}

ChatRequest good(const std::string& body) {
    auto request = parse_chat(body);
    EXPECT_TRUE(request.ok()) << body << ": " << (request.ok() ? "" : request.error().message);
    return request.ok() ? *std::move(request) : ChatRequest{};
}

// "code param" of the refusal.
std::string refusal(const std::string& body) {
    const auto request = parse_chat(body);
    if (request.ok()) return "accepted";
    const Error& error = request.error();
    EXPECT_TRUE(error.message.ends_with('.')) << error.message;
    EXPECT_LT(error.message.size(), 200u);
    EXPECT_EQ(error.message.find("EVIL"), std::string::npos) << error.message;
    EXPECT_EQ(error.param.find("EVIL"), std::string::npos) << error.param;
    return std::string(to_string(error.code)) + " " + error.param;
}

ContentPart only_part(const std::string& part) {
    const ChatRequest request = good(with_content("[" + part + "]"));
    EXPECT_EQ(request.messages.at(0).content.size(), 1u) << part;
    return request.messages.at(0).content.at(0);
}

TEST(ParseChat, ReadsRolesAndText) {
    const ChatRequest request = good(body_of(
        R"([{"role": "developer", "content": "s"}, {"role": "user", "content": ["a", {"text": "b"}]},
            {"role": "assistant", "content": null, "reasoning": "r"},
            {"role": "tool", "content": "t", "tool_call_id": "id"}, {"role": "function", "content": ""},
            {"role": "system"}])"));
    ASSERT_EQ(request.messages.size(), 6u);
    EXPECT_EQ(request.messages[0].role, Role::system);
    EXPECT_EQ(request.messages[0].text(), "s");
    EXPECT_EQ(request.messages[1].text(), "ab");
    EXPECT_EQ(request.messages[2].role, Role::assistant);
    EXPECT_TRUE(request.messages[2].content.empty());
    EXPECT_EQ(request.messages[2].reasoning_content, "r");
    EXPECT_EQ(request.messages[3].tool_call_id, "id");
    EXPECT_EQ(request.messages[4].role, Role::tool);
    EXPECT_EQ(request.messages[5].text(), "");
    EXPECT_EQ(to_string(request.messages[4].role), "tool");
    EXPECT_TRUE(request.add_generation_prompt);
    EXPECT_FALSE(request.add_vision_id);
    EXPECT_TRUE(request.tools.empty());
}

TEST(ParseChat, ReadsPartsInEverySpelling) {
    for (const char* part :
         {R"({"type": "text", "text": "x"})", R"({"type": "input_text", "text": "x"})",
          R"({"type": "output_text", "text": "x"})", R"({"text": "x"})", R"("x")",
          R"({"type": "refusal", "refusal": "x"})", R"({"type": "thinking", "thinking": "x"})"})
        EXPECT_EQ(only_part(part), (ContentPart{Kind::text, "x"})) << part;
    for (const char* part : {R"({"type": "image_url", "image_url": {"url": "x"}})",
                             R"({"type": "image_url", "image_url": "x"})",
                             R"({"image_url": {"url": "x"}})", R"({"type": "image", "image": "x"})",
                             R"({"image": "x"})", R"({"type": "input_image", "image_url": "x"})"})
        EXPECT_EQ(only_part(part), (ContentPart{Kind::image, "x"})) << part;
    for (const char* part :
         {R"({"type": "video_url", "video_url": {"url": "x"}})",
          R"({"type": "video_url", "video_url": "x"})", R"({"type": "video", "video": "x"})",
          R"({"video": "x"})", R"({"type": "input_video", "url": "x"})",
          R"({"type": "input_video", "data": "x"})"})
        EXPECT_EQ(only_part(part), (ContentPart{Kind::video, "x"})) << part;
    const ContentPart frames = only_part(R"({"type": "video", "video": ["a", "b"], "fps": 2.5})");
    EXPECT_EQ(frames.kind, Kind::video);
    EXPECT_EQ(frames.frames, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(frames.text, "");
    EXPECT_EQ(frames.fps, 2.5);
    const ContentPart detailed = only_part(
        R"({"image_url": {"url": "x", "detail": "low"}, "min_pixels": 3, "max_pixels": 4})");
    EXPECT_EQ(detailed.detail, ImageDetail::low);
    EXPECT_EQ(detailed.min_pixels, 3);
    EXPECT_EQ(detailed.max_pixels, 4);
}

TEST(ParseChat, NamesTheFaultyPart) {
    const auto part = [](const std::string& p) {
        return refusal(with_content("[\"a\", " + p + "]"));
    };
    const std::string at = "invalid_value messages[0].content[1]";
    EXPECT_EQ(part(R"({"type": "EVIL"})"), at + ".type");
    EXPECT_EQ(part(R"({"type": "input_audio", "input_audio": {}})"), at + ".type");
    EXPECT_EQ(part(R"({"type": 3})"), at + ".type");
    EXPECT_EQ(part("{}"), at + ".type");
    EXPECT_EQ(part("3"), at);
    EXPECT_EQ(part(R"({"type": "text"})"), at + ".text");
    EXPECT_EQ(part(R"({"type": "text", "text": null})"), at + ".text");
    EXPECT_EQ(part(R"({"type": "text", "text": ["EVIL"]})"), at + ".text");
    EXPECT_EQ(part(R"({"type": "image_url"})"), at + ".image_url");
    EXPECT_EQ(part(R"({"type": "image_url", "image_url": ""})"), at + ".image_url");
    EXPECT_EQ(part(R"({"type": "image_url", "image_url": 7})"), at + ".image_url");
    EXPECT_EQ(part(R"({"type": "image_url", "image_url": ["EVIL"]})"), at + ".image_url");
    EXPECT_EQ(part(R"({"type": "image_url", "image_url": {}})"), at + ".image_url.url");
    EXPECT_EQ(part(R"({"type": "image_url", "image_url": {"url": 1}})"), at + ".image_url.url");
    EXPECT_EQ(part(R"({"image_url": {"url": "x", "detail": "EVIL"}})"), at + ".image_url.detail");
    EXPECT_EQ(part(R"({"image": "x", "min_pixels": 0})"), at + ".min_pixels");
    EXPECT_EQ(part(R"({"image": "x", "max_pixels": 1.5})"), at + ".max_pixels");
    EXPECT_EQ(part(R"({"image": "x", "min_pixels": 9, "max_pixels": 8})"), at + ".min_pixels");
    for (const char* fps : {"0", "-1", "1001", "\"2\"", "true"})
        EXPECT_EQ(part(R"({"video": "x", "fps": )" + std::string(fps) + "}"), at + ".fps");
    EXPECT_EQ(part(R"({"video": []})"), at + ".video");
    EXPECT_EQ(part(R"({"video": ["x", 1]})"), at + ".video[1]");
    EXPECT_EQ(refusal(with_content(R"([{"image": "x"}])", "system")),
              "invalid_value messages[0].content[0]");
    EXPECT_EQ(refusal(with_content(R"([{"image": "x"}])", "assistant")),
              "invalid_value messages[0].content[0]");
    EXPECT_EQ(refusal(with_content(R"([{"image": "x"}])", "tool")), "accepted");
}

TEST(ParseChat, NamesTheFaultyMessage) {
    EXPECT_EQ(refusal("{}"), "invalid_value messages");
    EXPECT_EQ(refusal(body_of("[]")), "invalid_value messages");
    EXPECT_EQ(refusal(body_of("{}")), "invalid_value messages");
    EXPECT_EQ(refusal(body_of("[3]")), "invalid_value messages[0]");
    EXPECT_EQ(refusal(body_of("[{}]")), "invalid_value messages[0].role");
    EXPECT_EQ(refusal(body_of(R"([{"role": "EVIL"}])")), "invalid_value messages[0].role");
    EXPECT_EQ(refusal(body_of(R"([{"role": 1}])")), "invalid_value messages[0].role");
    EXPECT_EQ(refusal(with_content("3")), "invalid_value messages[0].content");
    EXPECT_EQ(refusal(with_content("{}")), "invalid_value messages[0].content");
    const auto assistant = [](const std::string& more) {
        return refusal(body_of(R"([{"role": "user"}, {"role": "assistant", )" + more + "}]"));
    };
    EXPECT_EQ(assistant(R"("reasoning_content": 1)"),
              "invalid_value messages[1].reasoning_content");
    EXPECT_EQ(assistant(R"("tool_calls": {})"), "invalid_value messages[1].tool_calls");
    EXPECT_EQ(assistant(R"("tool_calls": [1])"), "invalid_value messages[1].tool_calls[0]");
    EXPECT_EQ(assistant(R"("tool_calls": [{}])"), "invalid_value messages[1].tool_calls[0].name");
    EXPECT_EQ(assistant(R"("tool_calls": [{"function": 1}])"),
              "invalid_value messages[1].tool_calls[0].function");
    EXPECT_EQ(assistant(R"("tool_calls": [{"function": {"name": ""}}])"),
              "invalid_value messages[1].tool_calls[0].function.name");
    EXPECT_EQ(assistant(R"("tool_calls": [{"function": {"name": "f", "arguments": [1]}}])"),
              "invalid_value messages[1].tool_calls[0].function.arguments");
}

TEST(ParseChat, ReadsArgumentsAsObjectsWhereTheyAre) {
    const auto arguments = [](const std::string& written) {
        const ChatRequest request = good(body_of(
            R"([{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": )" +
            written + "}}]}]"));
        EXPECT_EQ(request.messages[0].tool_calls.at(0).id, "c");
        return dump_json(request.messages[0].tool_calls.at(0).arguments);
    };
    EXPECT_EQ(arguments(R"({"a": 1})"), R"({"a": 1})");
    EXPECT_EQ(arguments(R"("{\"b\":1.0,\"a\":[]}")"), R"({"b": 1.0, "a": []})");
    EXPECT_EQ(arguments("null"), "{}");
    EXPECT_EQ(arguments("\"\""), "{}");
    EXPECT_EQ(arguments(R"("not JSON")"), R"("not JSON")");
    EXPECT_EQ(arguments(R"("[1]")"), R"("[1]")");
}

// The right values are Python's: json.dumps(json.loads(x), ensure_ascii=False).
TEST(ParseChat, KeepsNumbersOfCallsAndSchemas) {
    const std::string numbers =
        R"({"id": 123456789012345678901, "n": -18446744073709551616, "f": 1.0, "e": 1E2, "z": -0})";
    const std::string written =
        R"({"id": 123456789012345678901, "n": -18446744073709551616, "f": 1.0, "e": 100.0, "z": 0})";
    std::string quoted;
    for (char c : numbers) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    for (const std::string& arguments : {numbers, "\"" + quoted + "\""}) {
        const ChatRequest request = good(body_of(
            R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": )" +
            arguments + "}}]}]"));
        EXPECT_EQ(dump_json(request.messages[0].tool_calls.at(0).arguments), written);
    }
    const std::string tool =
        R"({"type": "function", "function": {"name": "f", "parameters": {"type": "object", )"
        R"("properties": {"id": {"minimum": -123456789012345678901, "maximum": 99999999999999999999, )"
        R"("enum": [340282366920938463463374607431768211456], "const": 1.0}}}}})";
    const ChatRequest request =
        good(R"({"messages": [{"role": "user", "content": "x"}], "tools": [)" + tool + "]}");
    EXPECT_EQ(dump_json(request.tools.at(0)), tool);
}

TEST(ParseChat, TakesNoBigIntegerForSomethingElse) {
    const std::string big = "123456789012345678901";
    EXPECT_EQ(refusal(big), "invalid_json ");
    EXPECT_EQ(refusal(body_of("[" + big + "]")), "invalid_value messages[0]");
    const auto user = [&](const std::string& content) {
        return refusal(body_of(R"([{"role": "user", "content": )" + content + "}]"));
    };
    EXPECT_EQ(user(big), "invalid_value messages[0].content");
    EXPECT_EQ(user("[" + big + "]"), "invalid_value messages[0].content[0]");
    EXPECT_EQ(user(R"([{"type": "image_url", "image_url": )" + big + "}]"),
              "invalid_value messages[0].content[0].image_url");
    EXPECT_EQ(user(R"([{"type": "image", "image": "x", "max_pixels": )" + big + "}]"),
              "invalid_value messages[0].content[0].max_pixels");
    EXPECT_EQ(user(R"([{"type": "video", "video": "x", "fps": )" + big + "}]"),
              "invalid_value messages[0].content[0].fps");
    const auto call = [&](const std::string& members) {
        return refusal(body_of(R"([{"role": "assistant", "tool_calls": [)" + members + "]}]"));
    };
    EXPECT_EQ(call(big), "invalid_value messages[0].tool_calls[0]");
    EXPECT_EQ(call(R"({"function": )" + big + "}"),
              "invalid_value messages[0].tool_calls[0].function");
    EXPECT_EQ(call(R"({"name": "f", "arguments": )" + big + "}"),
              "invalid_value messages[0].tool_calls[0].arguments");
    EXPECT_EQ(call(R"({"name": "f", "arguments": {"a": )" + std::string(4301, '7') + "}}"),
              "invalid_json ");
    const auto option = [&](const std::string& member) {
        return refusal(R"({"messages": [{"role": "user", "content": "x"}], )" + member + "}");
    };
    EXPECT_EQ(option(R"("chat_template_kwargs": )" + big), "invalid_value chat_template_kwargs");
    EXPECT_EQ(option(R"("tools": [)" + big + "]"), "invalid_schema tools[0]");
    EXPECT_EQ(option(R"("tools": [{"function": )" + big + "}]"),
              "invalid_schema tools[0].function");
    EXPECT_EQ(option(R"("tools": [{"function": {"name": "f", "parameters": )" + big + "}}]"),
              "invalid_schema tools[0].function.parameters");
}

TEST(ParseChat, KeepsTheFormOfContentAndTheName) {
    const ChatRequest request = good(body_of(R"([{"role": "user", "content": "x", "name": "Ann"},
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
        {"role": "assistant", "content": null}, {"role": "assistant"}])"));
    EXPECT_EQ(request.messages[0].content_form, ContentForm::plain);
    EXPECT_EQ(request.messages[0].name, "Ann");
    EXPECT_EQ(request.messages[1].content_form, ContentForm::parts);
    EXPECT_EQ(request.messages[2].content_form, ContentForm::null);
    EXPECT_EQ(request.messages[3].content_form, ContentForm::plain);
    EXPECT_EQ(refusal(body_of(R"([{"role": "user", "name": 1}])")),
              "invalid_value messages[0].name");
}

TEST(ParseChat, ReadsTemplateOptions) {
    const std::string user = R"([{"role": "user", "content": "x"}])";
    EXPECT_FALSE(good(body_of(user, R"(, "add_generation_prompt": false)")).add_generation_prompt);
    EXPECT_TRUE(
        good(body_of(user,
                     R"(, "chat_template_kwargs": {"add_vision_id": true, "enable_thinking": 1})"))
            .add_vision_id);
    EXPECT_EQ(refusal(body_of(user, R"(, "add_generation_prompt": 1)")),
              "invalid_value add_generation_prompt");
    EXPECT_EQ(refusal(body_of(user, R"(, "continue_final_message": 1)")),
              "invalid_value continue_final_message");
    EXPECT_EQ(refusal(body_of(
                  user, R"(, "continue_final_message": true, "add_generation_prompt": true)")),
              "invalid_value continue_final_message");
    for (const char* more : {R"(, "continue_final_message": true)",
                             R"(, "continue_final_message": true, "add_generation_prompt": false)"})
        EXPECT_TRUE(good(body_of(user, more)).continue_final_message);
    EXPECT_EQ(dump_json(good(body_of(user, R"(, "chat_template_kwargs": {"b": [1], "a": null})"))
                            .chat_template_kwargs),
              R"({"b": [1], "a": null})");
    for (const char* key :
         {"messages", "tools", "add_generation_prompt", "continue_final_message"}) {
        const std::string more =
            R"(, "chat_template_kwargs": {")" + std::string(key) + R"(": null})";
        EXPECT_EQ(refusal(body_of(user, more)),
                  "invalid_value chat_template_kwargs." + std::string(key));
    }
    EXPECT_EQ(refusal(body_of(user, R"(, "chat_template": "EVIL")")),
              "invalid_value chat_template");
    EXPECT_EQ(refusal(body_of(user, R"(, "chat_template_kwargs": [])")),
              "invalid_value chat_template_kwargs");
    EXPECT_EQ(refusal(body_of(user, R"(, "chat_template_kwargs": {"tokenize": true})")),
              "invalid_value chat_template_kwargs.tokenize");
    EXPECT_EQ(refusal(body_of(user, R"(, "chat_template_kwargs": {"add_vision_id": "EVIL"})")),
              "invalid_value chat_template_kwargs.add_vision_id");
    EXPECT_EQ(refusal(body_of(
                  user, R"(, "chat_template_kwargs": {"a": ")" + std::string(70000, 'x') + "\"}")),
              "invalid_value chat_template_kwargs");
}

// J1 and T5, T4: what is not JSON, not UTF-8, or names no character.
TEST(ParseChat, RefusesWhatIsNotAJsonObject) {
    for (const char* body : {"", "null", "[]", "{", "{} x", "\xEF\xBB\xBF{}", "{\"a\": NaN}",
                             "{/* c */}", "\"EVIL\"", "{\"a\": 1, \"a\": 2}"})
        EXPECT_EQ(refusal(body), "invalid_json ") << body;
    for (const char* bytes :
         {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE4\xBD", "\xC4\xE3"})
        EXPECT_EQ(refusal(with_content("\"" + std::string(bytes) + "\"")), "invalid_utf8 ")
            << bytes;
    for (const char* half : {R"(\ud800)", R"(\udc00)", R"(\udc00\ud800)", R"(\ud83dx)"}) {
        const std::string text = "\"" + std::string(half) + "\"";
        EXPECT_EQ(refusal(with_content(text)), "invalid_utf8 ");
        EXPECT_EQ(refusal(with_content(R"([{"image_url": )" + text + "}]")), "invalid_utf8 ");
        EXPECT_EQ(refusal(body_of(R"([{"role": "user"}])", ", \"stop\": " + text)),
                  "invalid_utf8 ");
    }
    EXPECT_EQ(
        refusal(body_of(
            R"([{"role": "assistant", "tool_calls": [{"name": "f", "arguments": "{\"a\": \"\\ud800\"}"}]}])")),
        "invalid_utf8 messages[0].tool_calls[0].arguments");
}

// J2: depth is refused at 64 wherever it is, long before a stack could end.
TEST(ParseChat, RefusesDeepNesting) {
    const std::string deep(250000, '[');
    EXPECT_EQ(refusal(deep), "invalid_json ");
    EXPECT_EQ(refusal(body_of(R"([{"role": "user"}])", ", \"metadata\": " + deep)),
              "invalid_json ");
    EXPECT_EQ(refusal(body_of(R"([{"role": "user"}])", ", \"tools\": " + deep)), "invalid_json ");
    EXPECT_EQ(refusal(body_of(R"([{"role": "user"}])",
                              ", \"x\": " + std::string(62, '[') + std::string(62, ']'))),
              "accepted");
}

std::string repeated(const std::string& item, size_t times) {
    std::string list = "[";
    for (size_t i = 0; i < times; ++i) (list += i ? "," : "") += item;
    return list + "]";
}

TEST(ParseChat, HoldsItsLimits) {
    const std::string message = R"({"role": "user", "content": "x"})";
    EXPECT_EQ(refusal(body_of(repeated(message, 1024))), "accepted");
    EXPECT_EQ(refusal(body_of(repeated(message, 1025))), "too_many_items messages");
    EXPECT_EQ(refusal(with_content(repeated("\"x\"", 1024))), "accepted");
    EXPECT_EQ(refusal(with_content(repeated("\"x\"", 1025))), "too_many_items messages[0].content");
    EXPECT_EQ(refusal(with_content(R"([{"video": )" + repeated("\"x\"", 768) + "}]")), "accepted");
    EXPECT_EQ(refusal(with_content(R"([{"video": )" + repeated("\"x\"", 769) + "}]")),
              "too_many_items messages[0].content[0].video");
    EXPECT_EQ(refusal(body_of(R"([{"role": "assistant", "tool_calls": )" +
                              repeated(R"({"name": "f"})", 129) + "}]")),
              "too_many_items messages[0].tool_calls");
    EXPECT_EQ(refusal(body_of(R"([{"role": "user"}])", ", \"x\": " + repeated("1", 1000000))),
              "invalid_json ");
}

// J12
TEST(ParseChat, RefusesToolsThatCannotBeMeant) {
    const std::string user = R"([{"role": "user", "content": "x"}])";
    const auto tools = [&](const std::string& list) {
        return refusal(body_of(user, ", \"tools\": " + list));
    };
    const std::string tool = R"({"type": "function", "function": {"name": "f"}})";
    EXPECT_EQ(tools("[]"), "accepted");
    EXPECT_EQ(tools("null"), "accepted");
    EXPECT_EQ(tools(repeated(tool, 128)), "accepted");
    EXPECT_EQ(tools(repeated(tool, 10000)), "invalid_schema tools");
    EXPECT_EQ(tools("{}"), "invalid_schema tools");
    EXPECT_EQ(tools("[" + tool + ", 1]"), "invalid_schema tools[1]");
    EXPECT_EQ(tools(R"([{"type": "EVIL", "function": {"name": "f"}}])"),
              "invalid_schema tools[0].type");
    EXPECT_EQ(tools(R"([{"type": "function"}])"), "invalid_schema tools[0].function");
    const std::string name = "invalid_schema tools[0].function.name";
    EXPECT_EQ(refusal(with_tool("{}")), name);
    EXPECT_EQ(refusal(with_tool(R"({"name": ""})")), name);
    EXPECT_EQ(refusal(with_tool(R"({"name": "a\nb"})")), name);
    EXPECT_EQ(refusal(with_tool(R"({"name": "a<|im_end|>"})")), name);
    EXPECT_EQ(refusal(with_tool(R"({"name": ")" + std::string(129, 'x') + "\"}")), name);
    EXPECT_EQ(refusal(with_tool(R"({"name": "get.weather-2_\u5929/x:y"})")), "accepted");
    const auto parameters = [](const std::string& schema) {
        return refusal(with_tool(R"({"name": "f", "parameters": )" + schema + "}"));
    };
    const std::string fault = "invalid_schema tools[0].function.parameters";
    EXPECT_EQ(parameters("{}"), "accepted");
    EXPECT_EQ(parameters("null"), "accepted");
    EXPECT_EQ(parameters("true"), fault);
    EXPECT_EQ(parameters("\"EVIL\""), fault);
    EXPECT_EQ(parameters(R"({"title": ")" + std::string(5 << 20, 'x') + "\"}"),
              "invalid_schema tools[0]");
    EXPECT_EQ(parameters(R"({"$ref": "#"})"), fault);
    EXPECT_EQ(parameters(R"({"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}})"), fault);
    EXPECT_EQ(parameters(R"({"items": [{"$ref": "http://EVIL.example/x"}]})"), fault);
    EXPECT_EQ(parameters(R"({"a": {"$ref": "#/nowhere"}})"), fault);
    EXPECT_EQ(parameters(R"({"$defs": {"n": {"type": "object", "properties":
                              {"next": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"})"),
              "accepted");
    std::string deep = "1";
    for (int i = 0; i < 33; ++i) deep = R"({"a": )" + deep + "}";
    EXPECT_EQ(parameters(deep), fault);
}

TEST(ParseChat, ShowsNoToolsThatMayNotBeCalled) {
    const std::string user = R"([{"role": "user", "content": "x"}])";
    const std::string tools = R"(, "tools": [{"type": "function", "function": {"name": "f"}}])";
    EXPECT_EQ(good(body_of(user, tools)).tools.size(), 1u);
    EXPECT_EQ(good(body_of(user, tools + R"(, "tool_choice": "auto")")).tools.size(), 1u);
    EXPECT_EQ(good(body_of(user, tools + R"(, "tool_choice": "none")")).tools.size(), 0u);
    EXPECT_EQ(dump_json(good(body_of(user, tools)).tools[0]),
              R"({"type": "function", "function": {"name": "f"}})");
}

}  // namespace
}  // namespace saker
