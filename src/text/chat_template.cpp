// The templates, block by block, in the order of spec section 8. What the template writes itself is
// split into text and control tokens here; what a client wrote goes in through content() and text()
// only.
#include "text/chat_template.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/check.h"

namespace saker {
namespace {

using Kind = PromptPart::Kind;

constexpr std::string_view kImStart = "<|im_start|>", kImEnd = "<|im_end|>";
constexpr std::string_view kToolCall = "<tool_call>", kToolCallEnd = "</tool_call>";
constexpr std::string_view kToolResponse = "<tool_response>", kToolResponseEnd = "</tool_response>";
constexpr std::string_view kThink = "<think>", kThinkEnd = "</think>";

std::string_view strip_left_newlines(std::string_view s) {
    s.remove_prefix(std::min(s.find_first_not_of('\n'), s.size()));
    return s;
}
std::string_view strip_right_newlines(std::string_view s) {
    const size_t last = s.find_last_not_of('\n');
    return s.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

class Renderer {
  public:
    Renderer(ChatTemplate chat_template, const ChatRequest& request)
        : thinking_(chat_template == ChatTemplate::thinking), request_(request) {}

    std::vector<PromptPart> render() {
        system_block();
        last_query_ = find_last_query();
        for (size_t i = 0; i < request_.messages.size(); ++i) message(i);
        if (request_.add_generation_prompt) {
            open("assistant");
            if (thinking_) {
                added(kThink);
                text("\n");
            }
        }
        return std::move(parts_);
    }

  private:
    void added(std::string_view token) { parts_.push_back({Kind::added, std::string(token)}); }

    void text(std::string_view s) {
        if (s.empty()) return;
        if (!parts_.empty() && parts_.back().kind == Kind::text)
            parts_.back().text += s;
        else
            parts_.push_back({Kind::text, std::string(s)});
    }

    void open(std::string_view role) {
        added(kImStart);
        text(role);
        text("\n");
    }
    void close() {
        added(kImEnd);
        text("\n");
    }

    void system_block() {
        const Message& first = request_.messages.front();
        const bool has_system = first.role == Role::system;
        if (request_.tools.empty() && !has_system) return;
        open("system");
        if (has_system) text(first.text());
        if (!request_.tools.empty()) {
            if (has_system) text("\n\n");
            tools();
        }
        close();
    }

    void tools() {
        text(
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>");
        for (const json::value& tool : request_.tools) {
            text("\n");
            text(dump_json(tool));
        }
        text(
            "\n</tools>\n\nFor each function call, return a json object with function name and "
            "arguments within ");
        added(kToolCall);
        added(kToolCallEnd);
        text(" XML tags:\n");
        added(kToolCall);
        text("\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n");
        added(kToolCallEnd);
    }

    void content(const Message& message) {
        for (const ContentPart& part : message.content) {
            if (part.kind == ContentPart::Kind::text)
                text(part.text);
            else if (part.kind == ContentPart::Kind::image)
                media(Kind::image, "Picture ", ++num_images_, kImagePad);
            else
                media(Kind::video, "Video ", ++num_videos_, kVideoPad);
        }
    }

    void media(Kind kind, std::string_view name, int number, std::string_view pad) {
        if (request_.add_vision_id) {
            text(name);
            text(std::to_string(number));
            text(": ");
        }
        added(kVisionStart);
        parts_.push_back({kind, std::string(pad)});
        added(kVisionEnd);
    }

    // Index of the last user message that is not a tool's answer written by hand; reasoning before
    // it is not shown again. The last message where there is none.
    size_t find_last_query() const {
        for (size_t i = request_.messages.size(); i-- > 0;) {
            const Message& m = request_.messages[i];
            if (m.role != Role::user) continue;
            std::string all;
            for (const ContentPart& part : m.content)
                all += part.kind == ContentPart::Kind::text ? std::string_view(part.text)
                                                            : kVisionStart;
            if (!all.starts_with(kToolResponse) || !all.ends_with(kToolResponseEnd)) return i;
        }
        return request_.messages.size() - 1;
    }

    void message(size_t index) {
        const Message& m = request_.messages[index];
        switch (m.role) {
            case Role::system:
                if (index == 0 || !thinking_) return;
                [[fallthrough]];
            case Role::user:
                open(to_string(m.role));
                content(m);
                close();
                return;
            case Role::assistant:
                assistant(index);
                return;
            case Role::tool:
                tool_result(index);
                return;
        }
    }

    void assistant(size_t index) {
        const Message& m = request_.messages[index];
        open("assistant");
        const std::string all = m.text();
        std::string_view answer = all;
        if (thinking_) {
            std::string_view reasoning;
            if (m.reasoning_content)
                reasoning = *m.reasoning_content;
            else
                split_reasoning(answer, reasoning);
            const bool is_last = index + 1 == request_.messages.size();
            if (index > last_query_ && (is_last || !reasoning.empty())) {
                added(kThink);
                text("\n");
                text(strip_left_newlines(strip_right_newlines(reasoning)));
                text("\n");
                added(kThinkEnd);
                text("\n\n");
                text(strip_left_newlines(answer));
            } else {
                text(answer);
            }
        } else {
            text(answer);
        }
        for (size_t i = 0; i < m.tool_calls.size(); ++i) {
            if (i > 0 || !answer.empty()) text("\n");
            tool_call(m.tool_calls[i]);
        }
        close();
    }

    // Content of a client that left the reasoning in: what is before the first </think>, behind the
    // last <think> in that, is the reasoning; what is behind the last </think> the answer.
    static void split_reasoning(std::string_view& answer, std::string_view& reasoning) {
        const size_t first_end = answer.find(kThinkEnd);
        if (first_end == std::string_view::npos) return;
        reasoning = strip_right_newlines(answer.substr(0, first_end));
        if (const size_t start = reasoning.rfind(kThink); start != std::string_view::npos)
            reasoning.remove_prefix(start + kThink.size());
        reasoning = strip_left_newlines(reasoning);
        answer = strip_left_newlines(answer.substr(answer.rfind(kThinkEnd) + kThinkEnd.size()));
    }

    void tool_call(const ToolCall& call) {
        added(kToolCall);
        text("\n{\"name\": \"");
        text(call.name);
        text("\", \"arguments\": ");
        if (const json::string* s = call.arguments.if_string())
            text(std::string_view(s->data(), s->size()));
        else
            text(dump_json(call.arguments));
        text("}\n");
        added(kToolCallEnd);
    }

    // Results that follow one another share a block of the user.
    void tool_result(size_t index) {
        const auto& messages = request_.messages;
        if (index == 0 || messages[index - 1].role != Role::tool) {
            added(kImStart);
            text("user");
        }
        text("\n");
        added(kToolResponse);
        text("\n");
        content(messages[index]);
        text("\n");
        added(kToolResponseEnd);
        if (index + 1 == messages.size() || messages[index + 1].role != Role::tool) close();
    }

    bool thinking_;
    const ChatRequest& request_;
    size_t last_query_ = 0;
    int num_images_ = 0, num_videos_ = 0;
    std::vector<PromptPart> parts_;
};

constexpr size_t kMaxTemplateBytes = size_t{1} << 20;

std::string read_text_file(const std::filesystem::path& path) {
    std::error_code ec;
    const auto size = std::filesystem::file_size(path, ec);
    if (ec) throw StartupError(path.string() + ": cannot be read (" + ec.message() + ").");
    if (size > kMaxTemplateBytes)
        throw StartupError(path.string() + ": is larger than 1 MiB, too large for a template.");
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw StartupError(path.string() + ": cannot be read.");
    return text;
}

// The template in a JSON file: a string, or a list of named ones of which "default" counts.
std::optional<std::string> template_in(const std::filesystem::path& path) {
    const json::object root = read_json_file(path);
    const json::value* value = root.if_contains("chat_template");
    if (!value || value->is_null()) return std::nullopt;
    if (const json::string* s = value->if_string()) return std::string(s->data(), s->size());
    if (const json::array* named = value->if_array()) {
        for (const json::value& item : *named) {
            const json::object* entry = item.if_object();
            const json::value* name = entry ? entry->if_contains("name") : nullptr;
            const json::value* text = entry ? entry->if_contains("template") : nullptr;
            if (name && text && text->is_string() && name->is_string() &&
                name->get_string() == "default")
                return std::string(text->get_string().data(), text->get_string().size());
        }
    }
    JsonReader(root, path.string())
        .fail("chat_template", "is neither a string nor a list with a default");
}

}  // namespace

ChatTemplate detect_chat_template(const std::filesystem::path& model_folder) {
    std::optional<std::string> text;
    const auto exists = [&](const char* name) {
        // A dangling link counts as there, so that reading it names the broken file.
        return std::filesystem::exists(model_folder / name) ||
               std::filesystem::is_symlink(model_folder / name);
    };
    if (exists("chat_template.jinja")) text = read_text_file(model_folder / "chat_template.jinja");
    for (const char* name : {"chat_template.json", "tokenizer_config.json"})
        if (!text && exists(name)) text = template_in(model_folder / name);
    const bool thinks = text && text->find(kThink) != std::string::npos;
    return thinks ? ChatTemplate::thinking : ChatTemplate::instruct;
}

Result<std::vector<PromptPart>> render_chat(ChatTemplate chat_template,
                                            const ChatRequest& request) {
    if (request.messages.empty())
        return Error{ErrorCode::invalid_value, "messages must have at least one message.",
                     "messages"};
    return Renderer(chat_template, request).render();
}

}  // namespace saker
