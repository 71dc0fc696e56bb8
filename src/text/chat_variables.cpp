// See chat_variables.h. Content stays what the client sent: a string, or a list of parts. Where
// media are is not told, only that they are there.
#include "text/chat_variables.h"

#include "jinja/json.h"

namespace saker {
namespace {

using jinja::Dict;
using jinja::Value;

class Variables {
  public:
    Variables(jinja::Heap& heap, const ChatRequest& request) : heap_(heap), request_(request) {}

    Dict* make(const SpecialTokens& special_tokens) {
        Dict* const out = jinja::make_dict(heap_);
        for (const auto& [name, token] : special_tokens)
            set(*out, name, text(token, Origin::author));
        std::vector<Value> messages, tools;
        for (const Message& m : request_.messages) messages.push_back(message(m));
        for (const json::value& tool : request_.tools)
            tools.push_back(jinja::value_of_json(heap_, tool, Origin::client));
        set(*out, "messages", list(messages));
        set(*out, "tools", tools.empty() ? jinja::none_value() : list(tools));
        set(*out, "documents", jinja::none_value());
        set(*out, "add_generation_prompt", jinja::value_of(request_.add_generation_prompt));
        if (request_.add_vision_id) set(*out, "add_vision_id", jinja::value_of(true));
        for (const auto& [name, value] : request_.chat_template_kwargs)
            set(*out, {name.data(), name.size()},
                jinja::value_of_json(heap_, value, Origin::client));
        return out;
    }

  private:
    Value text(std::string_view s, Origin origin) {
        return jinja::value_of(jinja::borrow_text(heap_, s, origin));
    }
    Value word(std::string_view s) { return text(s, Origin::author); }
    Value list(const std::vector<Value>& items) {
        return jinja::value_of(jinja::make_list(heap_, items));
    }
    void set(Dict& dict, std::string_view key, Value value) { dict.set(heap_, word(key), value); }

    Value message(const Message& m) {
        Dict* const out = jinja::make_dict(heap_);
        const Origin origin = m.role == Role::assistant ? Origin::assistant : Origin::client;
        set(*out, "role", word(to_string(m.role)));
        content(*out, m, origin);
        if (m.reasoning_content) set(*out, "reasoning_content", text(*m.reasoning_content, origin));
        if (!m.tool_calls.empty()) set(*out, "tool_calls", tool_calls(m));
        if (!m.tool_call_id.empty()) set(*out, "tool_call_id", text(m.tool_call_id, origin));
        if (!m.name.empty()) set(*out, "name", text(m.name, origin));
        return jinja::value_of(out);
    }

    void content(Dict& out, const Message& m, Origin origin) {
        if (m.content_form == ContentForm::null) {
            Value none = jinja::none_value();
            none.is_lenient = true;
            set(out, "content", none);
            return;
        }
        const bool is_text = m.content.size() == 1 && m.content[0].kind == ContentPart::Kind::text;
        if (is_text && m.content_form != ContentForm::parts) {
            set(out, "content", text(m.content[0].text, origin));
            return;
        }
        if (m.content.empty() && m.content_form != ContentForm::parts) return;
        std::vector<Value> parts;
        for (const ContentPart& part : m.content) parts.push_back(content_part(part, origin));
        set(out, "content", list(parts));
    }

    Value content_part(const ContentPart& part, Origin origin) {
        Dict* const out = jinja::make_dict(heap_);
        using Kind = ContentPart::Kind;
        set(*out, "type",
            word(part.kind == Kind::text    ? "text"
                 : part.kind == Kind::image ? "image"
                                            : "video"));
        if (part.kind == Kind::text) set(*out, "text", text(part.text, origin));
        return jinja::value_of(out);
    }

    Value tool_calls(const Message& m) {
        std::vector<Value> calls;
        for (const ToolCall& call : m.tool_calls) {
            Dict* const function = jinja::make_dict(heap_);
            set(*function, "name", text(call.name, Origin::assistant));
            set(*function, "arguments",
                jinja::value_of_json(heap_, call.arguments, Origin::assistant));
            Dict* const out = jinja::make_dict(heap_);
            if (!call.id.empty()) set(*out, "id", text(call.id, Origin::assistant));
            set(*out, "type", word("function"));
            set(*out, "function", jinja::value_of(function));
            calls.push_back(jinja::value_of(out));
        }
        return list(calls);
    }

    jinja::Heap& heap_;
    const ChatRequest& request_;
};

}  // namespace

jinja::Dict* chat_variables(jinja::Heap& heap, const ChatRequest& request,
                            const SpecialTokens& special_tokens) {
    return Variables(heap, request).make(special_tokens);
}

}  // namespace saker
