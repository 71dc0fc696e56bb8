// The templates, block by block, in the order of spec section 8. What the template writes itself
// goes in through author(); what a client wrote, through content() and text() with its origin.
#include "text/built_in_templates.h"

#include <algorithm>

#include "text/prompt_parts.h"

namespace saker {
namespace {

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
    Renderer(BuiltIn built_in, const ChatRequest& request)
        : thinking_(built_in == BuiltIn::thinking), request_(request) {}

    OriginText render() {
        system_block();
        last_query_ = find_last_query();
        for (size_t i = 0; i < request_.messages.size(); ++i) message(i);
        if (request_.add_generation_prompt) {
            open("assistant");
            if (thinking_) author("<think>\n");
        }
        return std::move(out_);
    }

  private:
    void author(std::string_view s) { out_.append(s, Origin::author); }
    void client(std::string_view s) { out_.append(s, Origin::client); }
    void assistant(std::string_view s) { out_.append(s, Origin::assistant); }

    void open(std::string_view role) {
        author("<|im_start|>");
        author(role);
        author("\n");
    }
    void close() { author("<|im_end|>\n"); }

    void system_block() {
        const Message& first = request_.messages.front();
        const bool has_system = first.role == Role::system;
        if (request_.tools.empty() && !has_system) return;
        open("system");
        if (has_system) client(first.text());
        if (!request_.tools.empty()) {
            if (has_system) author("\n\n");
            tools();
        }
        close();
    }

    void tools() {
        author(
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>");
        for (const json::value& tool : request_.tools) {
            author("\n");
            client(dump_json(tool));
        }
        author(
            "\n</tools>\n\nFor each function call, return a json object with function name and "
            "arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": "
            "<function-name>, \"arguments\": <args-json-object>}\n</tool_call>");
    }

    void content(const Message& message) {
        for (const ContentPart& part : message.content) {
            if (part.kind == ContentPart::Kind::text)
                client(part.text);
            else if (part.kind == ContentPart::Kind::image)
                media("Picture ", ++num_images_, kImagePad);
            else
                media("Video ", ++num_videos_, kVideoPad);
        }
    }

    void media(std::string_view name, int number, std::string_view pad) {
        if (request_.add_vision_id) author(std::string(name) + std::to_string(number) + ": ");
        author(kVisionStart);
        author(pad);
        author(kVisionEnd);
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
                answer(index);
                return;
            case Role::tool:
                tool_result(index);
                return;
        }
    }

    void answer(size_t index) {
        const Message& m = request_.messages[index];
        open("assistant");
        const std::string all = m.text();
        std::string_view said = all;
        std::string_view reasoning;
        if (thinking_ && m.reasoning_content)
            reasoning = *m.reasoning_content;
        else if (thinking_)
            split_reasoning(said, reasoning);
        const bool is_last = index + 1 == request_.messages.size();
        if (thinking_ && index > last_query_ && (is_last || !reasoning.empty())) {
            author("<think>\n");
            assistant(strip_left_newlines(strip_right_newlines(reasoning)));
            author("\n</think>\n\n");
            assistant(strip_left_newlines(said));
        } else {
            assistant(said);
        }
        for (size_t i = 0; i < m.tool_calls.size(); ++i) {
            if (i > 0 || !said.empty()) author("\n");
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
        author("<tool_call>\n{\"name\": \"");
        assistant(call.name);
        author("\", \"arguments\": ");
        if (const json::string* s = call.arguments.if_string())
            assistant(std::string_view(s->data(), s->size()));
        else
            assistant(dump_json(call.arguments));
        author("}\n</tool_call>");
    }

    // Results that follow one another share a block of the user.
    void tool_result(size_t index) {
        const auto& messages = request_.messages;
        if (index == 0 || messages[index - 1].role != Role::tool) author("<|im_start|>user");
        author("\n<tool_response>\n");
        content(messages[index]);
        author("\n</tool_response>");
        if (index + 1 == messages.size() || messages[index + 1].role != Role::tool) close();
    }

    bool thinking_;
    const ChatRequest& request_;
    size_t last_query_ = 0;
    int num_images_ = 0, num_videos_ = 0;
    OriginText out_;
};

}  // namespace

OriginText render_built_in(BuiltIn built_in, const ChatRequest& request) {
    return Renderer(built_in, request).render();
}

}  // namespace saker
