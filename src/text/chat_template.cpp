// See chat_template.h.
#include "text/chat_template.h"

#include <algorithm>

#include "base/log.h"
#include "base/utf8.h"
#include "jinja/chars.h"
#include "text/chat_template_file.h"

namespace saker {
namespace {

using Kind = PromptPart::Kind;

// What transformers marks the end of the last message with, to find it in the prompt.
constexpr std::string_view kContinueTag = "CONTINUE_FINAL_MESSAGE_TAG ";

Error fault(std::string sentence, std::string param) {
    return Error{ErrorCode::invalid_value, std::move(sentence), std::move(param)};
}

std::vector<Kind> media_of(const ChatRequest& request) {
    std::vector<Kind> media;
    for (const Message& message : request.messages)
        for (const ContentPart& part : message.content)
            if (part.kind != ContentPart::Kind::text)
                media.push_back(part.kind == ContentPart::Kind::image ? Kind::image : Kind::video);
    return media;
}

std::string count_text(const std::vector<Kind>& media) {
    const auto images = std::count(media.begin(), media.end(), Kind::image);
    const auto videos = std::count(media.begin(), media.end(), Kind::video);
    return std::to_string(images) + " image(s) and " + std::to_string(videos) + " video(s)";
}

std::string_view without_blanks(std::string_view text) {
    text = text.substr(0, jinja::size_without_end_blanks(text));
    return text.substr(jinja::skip_blanks(text, 0));
}

// The text of the last message that is to go on; null where it has none.
std::string* text_to_continue(ChatRequest& request) {
    if (request.messages.empty()) return nullptr;
    auto& content = request.messages.back().content;
    for (auto part = content.rbegin(); part != content.rend(); ++part)
        if (part->kind == ContentPart::Kind::text) return &part->text;
    return nullptr;
}

}  // namespace

ChatTemplate ChatTemplate::built_in(BuiltIn which, const Tokenizer& tokenizer) {
    ChatTemplate out(tokenizer);
    out.built_in_ = which;
    out.name_ = which == BuiltIn::instruct ? "built-in instruct" : "built-in thinking";
    return out;
}

ChatTemplate ChatTemplate::of_source(std::string_view source, std::string file,
                                     const Tokenizer& tokenizer, SpecialTokens special_tokens) {
    ChatTemplate out(tokenizer);
    out.name_ = file;
    out.standard_ = JinjaTemplate::parse(source, std::move(file));
    out.special_tokens_ = std::move(special_tokens);
    return out;
}

ChatTemplate ChatTemplate::load(const std::filesystem::path& model_folder,
                                const Tokenizer& tokenizer, const std::string& choice) {
    if (choice == "instruct") return built_in(BuiltIn::instruct, tokenizer);
    if (choice == "thinking") return built_in(BuiltIn::thinking, tokenizer);
    if (!choice.empty()) {
        if (!std::filesystem::exists(choice))
            throw StartupError(choice +
                               ": there is no such file; --chat-template takes the path of a "
                               "template, or instruct or thinking.");
        return of_source(read_template(choice), choice, tokenizer,
                         read_special_tokens(model_folder));
    }
    const ChatTemplateFile file = read_chat_template_file(model_folder);
    if (file.name.empty()) {
        log_info(model_folder.string() +
                 ": has no chat template; the built-in one of Qwen3-VL Instruct is used.");
        return built_in(BuiltIn::instruct, tokenizer);
    }
    ChatTemplate out =
        of_source(file.standard, file.name, tokenizer, read_special_tokens(model_folder));
    if (file.tool_use)
        out.tool_use_ = JinjaTemplate::parse(*file.tool_use, file.name + " (tool_use)");
    return out;
}

Result<std::vector<PromptPart>> ChatTemplate::render(const ChatRequest& request,
                                                     std::time_t now) const {
    if (request.messages.empty())
        return fault("messages must have at least one message.", "messages");
    auto text =
        request.continue_final_message ? render_continued(request, now) : render_text(request, now);
    if (!text) return text.error();
    std::vector<PromptPart> parts = split_by_origin(*tokenizer_, *text);
    std::vector<Kind> written;
    for (const PromptPart& part : parts)
        if (part.kind == Kind::image || part.kind == Kind::video) written.push_back(part.kind);
    const std::vector<Kind> given = media_of(request);
    if (written == given) return parts;
    if (written.size() == given.size() && count_text(written) == count_text(given))
        return fault(
            "The chat template writes images and videos in another order than the "
            "messages have them; give them in one message each.",
            "messages");
    return fault("The messages have " + count_text(given) + ", but the chat template writes " +
                     count_text(written) + ": it does not support them where they stand.",
                 "messages");
}

const JinjaTemplate* ChatTemplate::chosen(const ChatRequest& request) const {
    if (built_in_) return nullptr;
    return tool_use_ && !request.tools.empty() ? &*tool_use_ : &*standard_;
}

Result<OriginText> ChatTemplate::render_text(const ChatRequest& request, std::time_t now) const {
    const JinjaTemplate* jinja = chosen(request);
    if (!jinja) return render_built_in(*built_in_, request);
    jinja::Heap heap;
    try {
        return jinja->render(heap, *chat_variables(heap, request, special_tokens_), now);
    } catch (const jinja::Fault&) {
        return fault("The messages are too large for the chat template; send fewer.", "messages");
    }
}

// As transformers does: a tag behind the last message's text tells where the prompt is to end.
Result<OriginText> ChatTemplate::render_continued(const ChatRequest& request,
                                                  std::time_t now) const {
    const std::string param = "continue_final_message";
    ChatRequest tagged = request;
    tagged.add_generation_prompt = false;
    std::string* const last = text_to_continue(tagged);
    if (!last) return fault(param + " needs a last message with text to go on from.", param);
    const std::string said(without_blanks(*last));
    *last += kContinueTag;
    auto text = render_text(tagged, now);
    if (!text) return text.error();
    const std::string_view tag = without_blanks(kContinueTag);
    const size_t at = text->bytes.rfind(tag);
    if (at == std::string::npos || text->bytes.find(said) == std::string::npos)
        return fault(param +
                         " cannot be done: the chat template does not write the last message "
                         "as it is.",
                     param);
    const bool keeps_blanks = text->bytes.compare(at, kContinueTag.size(), kContinueTag) == 0;
    text->cut(at);
    if (!keeps_blanks) text->cut(jinja::size_without_end_blanks(text->bytes));
    return text;
}

}  // namespace saker
