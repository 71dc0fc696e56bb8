// See prompt_parts.h.
#include "text/prompt_parts.h"

#include <utility>

#include "base/check.h"

namespace saker {

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
