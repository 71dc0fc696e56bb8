// ChatTemplate: a ChatRequest becomes PromptParts, by the checkpoint's own template.
//
// Made once at start-up, with the tokenizer that says which of the template's words are control
// tokens. The checkpoint's template is a Jinja program (jinja/template.h); where there is none, or
// the option --chat-template asks for it, one of the built-in ones serves (built_in_templates.h).
// Any number of threads may render at once.
#pragma once

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/chat.h"
#include "base/result.h"
#include "jinja/template.h"
#include "text/built_in_templates.h"
#include "text/chat_variables.h"
#include "text/prompt_parts.h"

namespace saker {

class ChatTemplate {
  public:
    /// The template for a model. `choice` is empty for the checkpoint's own, or the path of a
    /// template's file, or "instruct" or "thinking" for a built-in one. `tokenizer` must outlive
    /// it. Throws StartupError where a file cannot be read or has a template that is wrong, with
    /// its line.
    static ChatTemplate load(const std::filesystem::path& model_folder, const Tokenizer& tokenizer,
                             const std::string& choice = "");
    static ChatTemplate built_in(BuiltIn which, const Tokenizer& tokenizer);
    /// Of a template's source, for tests; `file` names it in messages.
    static ChatTemplate of_source(std::string_view source, std::string file,
                                  const Tokenizer& tokenizer, SpecialTokens special_tokens = {});

    /// The prompt for a conversation. Image and video parts are as many as the media in
    /// request.messages, in their order; a template that leaves some out, or writes more, is an
    /// Error. `now` is the time that the template may ask for.
    Result<std::vector<PromptPart>> render(const ChatRequest& request,
                                           std::time_t now = std::time(nullptr)) const;

    /// Where the template comes from: a path, or "built-in instruct".
    const std::string& name() const { return name_; }

  private:
    explicit ChatTemplate(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}
    Result<OriginText> render_text(const ChatRequest& request, std::time_t now) const;
    Result<OriginText> render_continued(const ChatRequest& request, std::time_t now) const;
    const JinjaTemplate* chosen(const ChatRequest& request) const;

    const Tokenizer* tokenizer_;
    std::string name_;
    std::optional<BuiltIn> built_in_;
    std::optional<JinjaTemplate> standard_, tool_use_;
    SpecialTokens special_tokens_;
};

}  // namespace saker
