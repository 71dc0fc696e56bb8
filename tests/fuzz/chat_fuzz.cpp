// Arbitrary bytes as the body of a chat request: refused with a sentence, or rendered by both
// templates with the media that the request has.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/chat.h"
#include "base/check.h"
#include "base/utf8.h"
#include "text/chat_template.h"

namespace {

const saker::Tokenizer& tokenizer() {
    static const auto made = saker::Tokenizer::load("models/demo/tokenizer.json");
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace saker;
    const auto request = parse_chat({reinterpret_cast<const char*>(bytes), size});
    if (!request.ok()) {
        const Error& error = request.error();
        CHECK(error.message.ends_with('.') && error.message.size() < 300 && is_utf8(error.message),
              "a refusal is one short sentence");
        CHECK(error.param.empty() || error.message.starts_with(error.param),
              "a refusal names its parameter");
        return 0;
    }
    std::ptrdiff_t num_media = 0;
    for (const Message& message : request->messages)
        for (const ContentPart& part : message.content)
            num_media += part.kind != ContentPart::Kind::text;
    for (const BuiltIn built_in : {BuiltIn::instruct, BuiltIn::thinking}) {
        const auto parts = ChatTemplate::built_in(built_in, tokenizer()).render(*request);
        if (!parts.ok() && request->continue_final_message) continue;
        CHECK(parts.ok(), "a request that parses can be rendered");
        CHECK(std::count_if(parts->begin(), parts->end(),
                            [](const PromptPart& p) {
                                return p.kind == PromptPart::Kind::image ||
                                       p.kind == PromptPart::Kind::video;
                            }) == num_media,
              "each picture and clip has its place");
        CHECK(is_utf8(rendered_text(*parts)), "a prompt is valid UTF-8");
    }
    return 0;
}
