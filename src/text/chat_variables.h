// What a chat template is given: the variables that transformers hands to it, from a ChatRequest.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/chat.h"
#include "jinja/value.h"

namespace saker {

using SpecialTokens = std::vector<std::pair<std::string, std::string>>;

/// messages, tools, documents, add_generation_prompt, the special tokens, and the client's own
/// arguments, which win. Texts are borrowed from `request` and `special_tokens`.
jinja::Dict* chat_variables(jinja::Heap& heap, const ChatRequest& request,
                            const SpecialTokens& special_tokens);

}  // namespace saker
