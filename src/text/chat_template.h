// The two chat templates of Qwen3-VL, written out: a ChatRequest becomes PromptParts.
//
// A model folder brings its template as a Jinja program; we do not run it, we find out which of the
// two it is. Rendered, the parts give the same string as that program (spec section 8; tests
// compare them), but control tokens are parts of their own and text stays text.
#pragma once

#include <filesystem>
#include <vector>

#include "api/chat.h"
#include "base/result.h"
#include "text/prompt_parts.h"

namespace saker {

enum class ChatTemplate { instruct, thinking };

/// Looks into chat_template.jinja, chat_template.json or tokenizer_config.json of a model folder,
/// in that order: a template that speaks of <think> is the thinking one. Without any it is
/// instruct. Throws StartupError where a file cannot be read.
ChatTemplate detect_chat_template(const std::filesystem::path& model_folder);

/// The prompt for a conversation. Image and video parts stand in the order of the media in
/// request.messages, each between vision_start and vision_end.
Result<std::vector<PromptPart>> render_chat(ChatTemplate chat_template, const ChatRequest& request);

}  // namespace saker
