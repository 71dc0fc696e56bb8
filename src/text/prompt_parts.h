// PromptPart: a prompt between template and token ids, with control tokens as structure.
//
// Templates (chat_template.h) render texts whose bytes know who wrote them (origin_text.h). Control
// tokens that the template wrote become `added` parts, and everything that came from a user, a tool
// or a file `text` parts; only `added`, `image` and `video` parts can become control tokens, so no
// text can forge one. serve/prepare.cpp writes the times of clips between the
// parts, calls encode_parts, and puts as many tokens as a picture has in place of its one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "jinja/origin_text.h"
#include "text/tokenizer.h"

namespace saker {

inline constexpr std::string_view kImagePad = "<|image_pad|>";
inline constexpr std::string_view kVideoPad = "<|video_pad|>";
inline constexpr std::string_view kVisionStart = "<|vision_start|>";
inline constexpr std::string_view kVisionEnd = "<|vision_end|>";

struct PromptPart {
    enum class Kind {
        text,   // plain text; never yields a control token
        added,  // one control token, by its exact text
        image,  // ONE placeholder token of a picture; `text` is the placeholder's text
        video,  // ONE placeholder token of a clip, likewise
    };
    Kind kind = Kind::text;
    std::string text;

    bool operator==(const PromptPart&) const = default;
};

/// Parts of a prompt that is rendered already, from a trusted source: added tokens become `added`,
/// the two placeholders `image` and `video`.
std::vector<PromptPart> split_rendered(const Tokenizer& tokenizer, std::string_view rendered);

/// Parts of a rendered prompt, by who wrote what: of the author's text as split_rendered; of an
/// assistant's, only the tokens that an assistant writes itself (<think>, <tool_call>,
/// <tool_response> and their ends, where the tokenizer has them and does not call them special);
/// everybody else's text stays text.
std::vector<PromptPart> split_by_origin(const Tokenizer& tokenizer, const OriginText& rendered);

struct EncodedParts {
    std::vector<TokenId> ids;
    std::vector<int64_t> media;  // index in `ids` of each image and video part, in order
};

/// Neighbouring text parts are encoded as one text, as if the whole prompt were one string. An
/// `added` part that the vocabulary lacks is encoded as text, together with its neighbours; one
/// that it has is that token, whatever stands beside it, and swallows white space where the file
/// says so. The vocabulary must have the placeholders.
EncodedParts encode_parts(const Tokenizer& tokenizer, std::span<const PromptPart> parts);

/// The prompt as one string, for people and for tests.
std::string rendered_text(std::span<const PromptPart> parts);

}  // namespace saker
