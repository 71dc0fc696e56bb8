// See prompt_parts.h.
#include "text/prompt_parts.h"

#include "base/check.h"

namespace saker {

std::vector<PromptPart> split_rendered(const Tokenizer& tokenizer, std::string_view rendered) {
    using Kind = PromptPart::Kind;
    std::vector<PromptPart> parts;
    size_t at = 0;
    const auto add_text = [&](size_t end) {
        if (end > at) parts.push_back({Kind::text, std::string(rendered.substr(at, end - at))});
    };
    while (const auto match = tokenizer.find_added(rendered, at)) {
        add_text(match->begin);
        const std::string_view token = rendered.substr(match->begin, match->size);
        const Kind kind = token == kImagePad   ? Kind::image
                          : token == kVideoPad ? Kind::video
                                               : Kind::added;
        parts.push_back({kind, std::string(token)});
        at = match->begin + match->size;
    }
    add_text(rendered.size());
    return parts;
}

EncodedParts encode_parts(const Tokenizer& tokenizer, std::span<const PromptPart> parts) {
    EncodedParts encoded;
    std::string text;  // of neighbouring text parts
    const auto flush = [&] {
        const std::vector<TokenId> ids = tokenizer.encode(text);
        encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
        text.clear();
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
        flush();
        if (is_media) encoded.media.push_back(static_cast<int64_t>(encoded.ids.size()));
        encoded.ids.push_back(*id);
    }
    flush();
    return encoded;
}

std::string rendered_text(std::span<const PromptPart> parts) {
    std::string text;
    for (const PromptPart& part : parts) text += part.text;
    return text;
}

}  // namespace saker
