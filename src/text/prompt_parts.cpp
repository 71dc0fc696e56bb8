// See prompt_parts.h.
#include "text/prompt_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace saker {
namespace {

constexpr std::array<std::string_view, 6> kAssistantTokens = {
    "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"};

bool is_assistant_token(const Tokenizer& tokenizer, const PromptPart& part) {
    if (part.kind != PromptPart::Kind::added) return false;
    const auto known = std::find(kAssistantTokens.begin(), kAssistantTokens.end(), part.text);
    if (known == kAssistantTokens.end()) return false;
    const auto id = tokenizer.added_token(part.text);
    return id && !tokenizer.is_special(*id);
}

}  // namespace

std::vector<PromptPart> split_rendered(const Tokenizer& tokenizer, std::string_view rendered) {
    using Kind = PromptPart::Kind;
    std::vector<PromptPart> parts;
    for (Tokenizer::AddedSplit& piece : tokenizer.split_added(rendered)) {
        const Kind kind = !piece.id                 ? Kind::text
                          : piece.text == kImagePad ? Kind::image
                          : piece.text == kVideoPad ? Kind::video
                                                    : Kind::added;
        parts.push_back({kind, std::move(piece.text)});
    }
    return parts;
}

std::vector<PromptPart> split_by_origin(const Tokenizer& tokenizer, const OriginText& rendered) {
    using Kind = PromptPart::Kind;
    std::vector<PromptPart> parts;
    const auto add = [&](PromptPart part) {
        if (part.kind == Kind::text && !parts.empty() && parts.back().kind == Kind::text)
            parts.back().text += part.text;
        else
            parts.push_back(std::move(part));
    };
    size_t begin = 0;
    for (const OriginRun& run : rendered.runs) {
        const std::string_view text =
            std::string_view(rendered.bytes).substr(begin, run.end - begin);
        begin = run.end;
        if (run.origin == Origin::client) {
            add({Kind::text, std::string(text)});
            continue;
        }
        for (PromptPart& part : split_rendered(tokenizer, text)) {
            if (run.origin == Origin::assistant && !is_assistant_token(tokenizer, part))
                part.kind = Kind::text;
            add(std::move(part));
        }
    }
    return parts;
}

EncodedParts encode_parts(const Tokenizer& tokenizer, std::span<const PromptPart> parts) {
    EncodedParts encoded;
    std::string text;               // of neighbouring text parts
    std::optional<TokenId> before;  // the token that they stand behind
    const auto flush = [&](std::optional<TokenId> behind) {
        const std::vector<TokenId> ids =
            tokenizer.encode(tokenizer.without_swallowed(text, before, behind));
        encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
        text.clear();
        before = behind;
    };
    for (const PromptPart& part : parts) {
        const auto id =
            part.kind == PromptPart::Kind::text ? std::nullopt : tokenizer.added_token(part.text);
        const bool is_media =
            part.kind == PromptPart::Kind::image || part.kind == PromptPart::Kind::video;
        CHECK(id || !is_media, "the vocabulary has the placeholders of pictures and clips");
        if (!id) {
            text += part.text;
            continue;
        }
        flush(id);
        if (is_media) encoded.media.push_back(static_cast<int64_t>(encoded.ids.size()));
        encoded.ids.push_back(*id);
    }
    flush(std::nullopt);
    return encoded;
}

std::string rendered_text(std::span<const PromptPart> parts) {
    std::string text;
    for (const PromptPart& part : parts) text += part.text;
    return text;
}

}  // namespace saker
