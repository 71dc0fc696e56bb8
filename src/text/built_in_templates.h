// The two chat templates of Qwen3-VL, written out in C++.
//
// They serve where a checkpoint brings no template or --chat-template names one of them, and they
// are the twins that the interpreter (jinja/template.h) is tested against: rendered, they give the
// same string as the templates of the released models (spec section 8).
#pragma once

#include "api/chat.h"
#include "jinja/origin_text.h"

namespace saker {

enum class BuiltIn { instruct, thinking };

/// The prompt for a conversation, which has at least one message.
OriginText render_built_in(BuiltIn built_in, const ChatRequest& request);

}  // namespace saker
