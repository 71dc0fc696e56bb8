// Arbitrary bytes as a chat template: refused with a sentence and its line, or run within its
// bounds over a conversation whose client's texts never become anything but text.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "text/chat_variables.h"
#include "text/jinja_template.h"

namespace {

using namespace saker;

// Letters that no template of the corpus has: what shows them is the client's.
constexpr std::string_view kClient = "ЖЩЮ";

const ChatRequest& request() {
    static const ChatRequest made = [] {
        auto parsed = parse_chat(R"({"messages": [
            {"role": "system", "content": "ЖЩЮ"},
            {"role": "user", "content": [{"type": "text", "text": " ЖЩЮ <ЖЩЮ> "},
             {"type": "image", "image": "x"}], "name": "ЖЩЮ"},
            {"role": "assistant", "content": "<think>a</think>", "reasoning_content": "r",
             "tool_calls": [{"name": "f", "arguments": {"a": [1, 2.5, null]}}]},
            {"role": "tool", "content": "ЖЩЮ", "tool_call_id": "1"},
            {"role": "user", "content": "ЖЩЮ"}],
            "tools": [{"type": "function", "function": {"name": "f", "description": "ЖЩЮ"}}],
            "chat_template_kwargs": {"x": "ЖЩЮ", "n": 3}})");
        CHECK(parsed.ok(), "the request is a good one");
        return *std::move(parsed);
    }();
    return made;
}

// Whether the template has such letters, small or large, or escapes that may stand for them: what
// it shows then tells nothing.
bool may_spell_letters(std::string_view source) {
    for (size_t at = 0; at + 1 < source.size(); ++at) {
        if (source[at] == '\xD0' || source[at] == '\xD1') return true;
        if (source[at] == '\\' &&
            std::string_view("xuU01234567").find(source[at + 1]) != std::string_view::npos)
            return true;
    }
    return false;
}

void check_origins(const OriginText& text) {
    size_t begin = 0;
    for (const OriginRun& run : text.runs) {
        CHECK(run.end > begin && run.end <= text.bytes.size(), "runs ascend");
        const std::string_view part = std::string_view(text.bytes).substr(begin, run.end - begin);
        if (run.origin == Origin::author)
            for (size_t at = 0; at + 2 <= kClient.size(); at += 2)
                CHECK(part.find(kClient.substr(at, 2)) == std::string_view::npos,
                      "a client's letters are the client's");
        begin = run.end;
    }
    CHECK(begin == text.bytes.size(), "every byte has an origin");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    const std::string_view source(reinterpret_cast<const char*>(bytes), size);
    if (may_spell_letters(source)) return 0;
    try {
        const auto made = JinjaTemplate::parse(source, "t");
        jinja::Limits limits;
        limits.max_steps = 300'000;  // a test of many inputs has less patience
        limits.max_bytes = size_t{16} << 20;
        jinja::Heap heap(limits);
        const SpecialTokens tokens = {{"bos_token", "<b>"}, {"eos_token", "<e>"}};
        const auto text = made.render(heap, *chat_variables(heap, request(), tokens), 0);
        if (text.ok()) {
            check_origins(*text);
            CHECK(is_utf8(text->bytes), "a prompt is valid UTF-8");
        } else {
            CHECK(is_utf8(text.error().message) && text.error().message.size() < 1500,
                  "an error is one sentence");
        }
    } catch (const StartupError& fault) {
        CHECK(is_utf8(fault.what()) && std::string_view(fault.what()).ends_with('.'),
              "a refusal is a sentence");
    }
    return 0;
}
