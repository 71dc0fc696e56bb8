// Parsing of chat requests, from the outside in: body, messages, parts, tool calls. Each read_*
// fills its last argument or returns the Error that goes to the client.
#include "api/chat.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "api/tool_schema.h"

namespace saker {
namespace {

constexpr size_t kMaxToolCalls = 128;
constexpr size_t kMaxTemplateArgumentBytes = size_t{64} << 10;
constexpr int64_t kMaxPixels = int64_t{1} << 40;

Error fault(const std::string& param, std::string_view rule,
            ErrorCode code = ErrorCode::invalid_value) {
    return Error{code, param + " " + std::string(rule), param};
}

std::string string_of(const json::value& value) {
    return {value.get_string().data(), value.get_string().size()};
}

/// A member that is there and not null.
const json::value* find(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && !value->is_null() ? value : nullptr;
}

Status read_bool(const json::object& object, std::string_view key, const std::string& param,
                 bool& out) {
    const json::value* value = find(object, key);
    if (!value) return Done{};
    if (!value->is_bool()) return fault(param, "must be true or false.");
    out = value->get_bool();
    return Done{};
}

Status read_string(const json::object& object, std::string_view key, const std::string& param,
                   std::string& out) {
    const json::value* value = find(object, key);
    if (!value) return Done{};
    if (!value->is_string()) return fault(param, "must be a string.");
    out = string_of(*value);
    return Done{};
}

// --- parts ---

enum class Field { text, image, video };

struct PartType {
    std::string_view type, key;  // the member that holds the content
    Field field;
};
constexpr std::array kPartTypes = {
    PartType{"text", "text", Field::text},
    PartType{"image_url", "image_url", Field::image},
    PartType{"image", "image", Field::image},
    PartType{"video_url", "video_url", Field::video},
    PartType{"video", "video", Field::video},
    PartType{"input_text", "text", Field::text},
    PartType{"input_image", "image_url", Field::image},
    PartType{"input_video", "url", Field::video},
    PartType{"input_video", "data", Field::video},
    PartType{"output_text", "text", Field::text},
    PartType{"refusal", "refusal", Field::text},
    PartType{"thinking", "thinking", Field::text},
};
constexpr std::string_view kTypesRule =
    "must be one of text, image_url, image, input_image, video_url, video, input_video.";
constexpr std::string_view kAudioRule =
    "must not be audio: this model takes text, images and video; audio parts are not supported.";

// The row for a part, by its type; a part without one is known by its content.
Status find_type(const json::object& part, const std::string& at, const PartType*& out) {
    std::string type;
    if (Status s = read_string(part, "type", at + ".type", type); !s) return s;
    for (const PartType& row : kPartTypes) {
        if (!type.empty() && row.type != type) continue;
        if (!out) out = &row;
        if (!find(part, row.key)) continue;
        out = &row;
        return Done{};
    }
    if (type == "input_audio" || type == "audio_url" || type == "audio")
        return fault(at + ".type", kAudioRule);
    if (type.empty() || !out) return fault(at + ".type", kTypesRule);
    return fault(at + "." + std::string(out->key), "is missing.");
}

Status read_pixels(const json::object& part, std::string_view key, const std::string& at,
                   std::optional<int64_t>& out) {
    const json::value* value = find(part, key);
    if (!value) return Done{};
    if (!value->is_int64() || value->get_int64() < 1 || value->get_int64() > kMaxPixels)
        return fault(at + "." + std::string(key), "must be a positive integer.");
    out = value->get_int64();
    return Done{};
}

Status read_media_options(const json::object& part, const std::string& at, ContentPart& out) {
    std::string detail;
    if (Status s = read_string(part, "detail", at + ".detail", detail); !s) return s;
    if (detail == "low")
        out.detail = ImageDetail::low;
    else if (detail == "high")
        out.detail = ImageDetail::high;
    else if (!detail.empty() && detail != "auto")
        return fault(at + ".detail", "must be auto, low or high.");
    if (Status s = read_pixels(part, "min_pixels", at, out.min_pixels); !s) return s;
    if (Status s = read_pixels(part, "max_pixels", at, out.max_pixels); !s) return s;
    if (out.min_pixels && out.max_pixels && *out.min_pixels > *out.max_pixels)
        return fault(at + ".min_pixels", "must not exceed max_pixels.");
    if (const json::value* fps = find(part, "fps")) {
        const double rate = fps->is_number() ? fps->to_number<double>() : 0;
        if (!(rate > 0 && rate <= 1000)) return fault(at + ".fps", "must be above 0, up to 1000.");
        out.fps = rate;
    }
    return Done{};
}

Status read_frames(const json::array& frames, const std::string& at, ContentPart& out) {
    if (frames.empty()) return fault(at, "must hold at least one frame.");
    if (frames.size() > kMaxVideoFrames)
        return fault(at, "must hold at most 768 frames.", ErrorCode::too_many_items);
    for (const json::value& frame : frames) {
        if (!frame.is_string() || frame.get_string().empty())
            return fault(at + "[" + std::to_string(out.frames.size()) + "]",
                         "must be a string: where the picture is.");
        out.frames.push_back(string_of(frame));
    }
    return Done{};
}

// Where a picture or clip is: a string, {"url": string}, or for a clip a list of frames.
Status read_source(const json::value& value, const std::string& at, ContentPart& out) {
    if (value.is_array() && out.kind == ContentPart::Kind::video)
        return read_frames(value.get_array(), at, out);
    if (is_json_object(value)) {
        if (Status s = read_media_options(value.get_object(), at, out); !s) return s;
        const json::value* url = find(value.get_object(), "url");
        if (!url) return fault(at + ".url", "is missing.");
        if (!url->is_string()) return fault(at + ".url", "must be a string.");
        out.text = string_of(*url);
    } else if (value.is_string()) {
        out.text = string_of(value);
    } else {
        return fault(at, "must be a string or an object with a url.");
    }
    if (out.text.empty()) return fault(at, "must not be empty.");
    return Done{};
}

Status read_part(const json::value& value, const std::string& at, ContentPart& out) {
    if (value.is_string()) {
        out.text = string_of(value);
        return Done{};
    }
    if (!is_json_object(value)) return fault(at, "must be an object or a string.");
    const json::object& part = value.get_object();
    const PartType* row = nullptr;
    if (Status s = find_type(part, at, row); !s) return s;
    const std::string key = at + "." + std::string(row->key);
    const json::value& content = *find(part, row->key);
    if (row->field == Field::text) {
        if (!content.is_string()) return fault(key, "must be a string.");
        out.text = string_of(content);
        return Done{};
    }
    out.kind = row->field == Field::image ? ContentPart::Kind::image : ContentPart::Kind::video;
    if (Status s = read_media_options(part, at, out); !s) return s;
    return read_source(content, key, out);
}

Status read_content(const json::object& message, const std::string& at, Message& out) {
    const json::value* content = find(message, "content");
    if (!content) {
        if (message.contains("content")) out.content_form = ContentForm::null;
        return Done{};
    }
    if (content->is_string()) {
        out.content.push_back({ContentPart::Kind::text, string_of(*content)});
        return Done{};
    }
    if (!content->is_array()) return fault(at, "must be a string or a list of parts.");
    out.content_form = ContentForm::parts;
    const json::array& parts = content->get_array();
    if (parts.size() > kMaxPartsPerMessage)
        return fault(at, "must have at most 1024 parts.", ErrorCode::too_many_items);
    for (size_t i = 0; i < parts.size(); ++i) {
        const std::string here = at + "[" + std::to_string(i) + "]";
        ContentPart part;
        if (Status s = read_part(parts[i], here, part); !s) return s;
        if (part.kind != ContentPart::Kind::text && out.role != Role::user &&
            out.role != Role::tool)
            return fault(here,
                         "must be text: pictures and clips belong in user and tool messages.");
        out.content.push_back(std::move(part));
    }
    return Done{};
}

// --- messages ---

// Clients send arguments as JSON inside a string; the model wrote them as JSON, and sees them so.
Status read_arguments(const json::value* value, const std::string& at, json::value& out) {
    if (!value || (value->is_string() && value->get_string().empty())) {
        out = json::object();
        return Done{};
    }
    if (is_json_object(*value)) {
        out = *value;
        return Done{};
    }
    if (!value->is_string()) return fault(at, "must be an object, or a string of JSON.");
    JsonLimits limits;
    limits.exact_integers = true;
    auto parsed = parse_json(string_of(*value), at, limits);
    if (!parsed && parsed.error().code == ErrorCode::invalid_utf8)
        return fault(at, "must be valid Unicode.", ErrorCode::invalid_utf8);
    out = parsed && is_json_object(*parsed) ? *std::move(parsed) : *value;
    return Done{};
}

Status read_tool_call(const json::value& value, const std::string& at, ToolCall& out) {
    if (!is_json_object(value)) return fault(at, "must be an object.");
    const json::object& call = value.get_object();
    if (Status s = read_string(call, "id", at + ".id", out.id); !s) return s;
    const json::value* nested = find(call, "function");
    if (nested && !is_json_object(*nested)) return fault(at + ".function", "must be an object.");
    const json::object& function = nested ? nested->get_object() : call;
    const std::string here = nested ? at + ".function" : at;
    if (Status s = read_string(function, "name", here + ".name", out.name); !s) return s;
    if (out.name.empty()) return fault(here + ".name", "is missing.");
    return read_arguments(find(function, "arguments"), here + ".arguments", out.arguments);
}

Status read_assistant(const json::object& message, const std::string& at, Message& out) {
    for (const char* key : {"reasoning_content", "reasoning"}) {
        if (out.reasoning_content || !find(message, key)) continue;
        std::string text;
        if (Status s = read_string(message, key, at + "." + key, text); !s) return s;
        out.reasoning_content = std::move(text);
    }
    const json::value* calls = find(message, "tool_calls");
    if (!calls) return Done{};
    const std::string here = at + ".tool_calls";
    if (!calls->is_array()) return fault(here, "must be a list.");
    if (calls->get_array().size() > kMaxToolCalls)
        return fault(here, "must have at most 128 items.", ErrorCode::too_many_items);
    for (const json::value& value : calls->get_array()) {
        ToolCall call;
        const std::string index = "[" + std::to_string(out.tool_calls.size()) + "]";
        if (Status s = read_tool_call(value, here + index, call); !s) return s;
        out.tool_calls.push_back(std::move(call));
    }
    return Done{};
}

Status read_role(const json::object& message, const std::string& at, Role& out) {
    std::string role;
    if (Status s = read_string(message, "role", at, role); !s) return s;
    if (role == "system" || role == "developer")
        out = Role::system;
    else if (role == "user")
        out = Role::user;
    else if (role == "assistant")
        out = Role::assistant;
    else if (role == "tool" || role == "function")
        out = Role::tool;
    else
        return fault(at, "must be one of system, developer, user, assistant, tool.");
    return Done{};
}

Status read_message(const json::value& value, const std::string& at, Message& out) {
    if (!is_json_object(value)) return fault(at, "must be an object.");
    const json::object& message = value.get_object();
    if (Status s = read_role(message, at + ".role", out.role); !s) return s;
    if (Status s = read_content(message, at + ".content", out); !s) return s;
    if (Status s = read_string(message, "name", at + ".name", out.name); !s) return s;
    if (out.role == Role::assistant) return read_assistant(message, at, out);
    if (out.role == Role::tool)
        return read_string(message, "tool_call_id", at + ".tool_call_id", out.tool_call_id);
    return Done{};
}

// --- the body ---

Status read_messages(const json::object& body, ChatRequest& out) {
    const json::value* messages = find(body, "messages");
    if (!messages || !messages->is_array() || messages->get_array().empty())
        return fault("messages", "must be a list of at least one message.");
    if (messages->get_array().size() > kMaxMessages)
        return fault("messages", "must have at most 1024 items.", ErrorCode::too_many_items);
    for (const json::value& value : messages->get_array()) {
        Message message;
        const std::string at = "messages[" + std::to_string(out.messages.size()) + "]";
        if (Status s = read_message(value, at, message); !s) return s;
        out.messages.push_back(std::move(message));
    }
    return Done{};
}

Status read_tools(const json::object& body, ChatRequest& out) {
    const json::value* tools = find(body, "tools");
    if (!tools) return Done{};
    if (!tools->is_array()) return fault("tools", "must be a list.", ErrorCode::invalid_schema);
    if (tools->get_array().size() > kMaxTools)
        return fault("tools", "must have at most 128 items.", ErrorCode::invalid_schema);
    for (size_t i = 0; i < tools->get_array().size(); ++i) {
        const json::value& tool = tools->get_array()[i];
        if (Status s = check_tool(tool, "tools[" + std::to_string(i) + "]"); !s) return s;
    }
    // A model that is shown tools may call them whatever the request says.
    const json::value* choice = find(body, "tool_choice");
    if (choice && choice->is_string() && choice->get_string() == "none") return Done{};
    out.tools.assign(tools->get_array().begin(), tools->get_array().end());
    return Done{};
}

Status read_template_arguments(const json::object& body, ChatRequest& out) {
    const json::value* arguments = find(body, "chat_template_kwargs");
    if (!arguments) return Done{};
    const std::string at = "chat_template_kwargs";
    if (!is_json_object(*arguments)) return fault(at, "must be an object.");
    if (dump_json(*arguments).size() > kMaxTemplateArgumentBytes)
        return fault(at, "must not exceed 64 KiB.");
    out.chat_template_kwargs = arguments->get_object();
    for (const char* key : {"tokenize", "chat_template"})
        if (find(out.chat_template_kwargs, key)) return fault(at + "." + key, "must not be given.");
    for (const char* key : {"messages", "tools", "add_generation_prompt", "continue_final_message"})
        if (out.chat_template_kwargs.contains(key))
            return fault(at + "." + key, "must be given beside chat_template_kwargs, not in it.");
    return read_bool(out.chat_template_kwargs, "add_vision_id", at + ".add_vision_id",
                     out.add_vision_id);
}

Status read_template_options(const json::object& body, ChatRequest& out) {
    if (find(body, "chat_template"))
        return fault("chat_template", "must not be given: requests cannot bring a template.");
    const std::string continues = "continue_final_message";
    if (Status s = read_bool(body, continues, continues, out.continue_final_message); !s) return s;
    if (Status s = read_bool(body, "add_generation_prompt", "add_generation_prompt",
                             out.add_generation_prompt);
        !s)
        return s;
    if (out.continue_final_message && find(body, "add_generation_prompt") &&
        out.add_generation_prompt)
        return fault(continues, "cannot be true together with add_generation_prompt.");
    return read_template_arguments(body, out);
}

}  // namespace

std::string_view to_string(Role role) {
    constexpr std::array<std::string_view, 4> kNames = {"system", "user", "assistant", "tool"};
    return kNames[static_cast<size_t>(role)];
}

std::string Message::text() const {
    std::string all;
    for (const ContentPart& part : content)
        if (part.kind == ContentPart::Kind::text) all += part.text;
    return all;
}

JsonLimits request_limits() {
    JsonLimits limits;
    limits.max_bytes = size_t{64} << 20;
    limits.max_depth = 64;
    limits.max_values = 1'000'000;
    limits.exact_integers = true;
    return limits;
}

Result<json::object> parse_body(std::string_view body) {
    auto value = parse_json(body, "The request body", request_limits());
    if (!value) return value.error();
    if (!is_json_object(*value))
        return Error{ErrorCode::invalid_json, "The request body must be a JSON object.", ""};
    return std::move(value->get_object());
}

Result<ChatRequest> read_chat(const json::object& body) {
    ChatRequest request;
    if (Status s = read_messages(body, request); !s) return s.error();
    if (Status s = read_tools(body, request); !s) return s.error();
    if (Status s = read_template_options(body, request); !s) return s.error();
    return request;
}

Result<ChatRequest> parse_chat(std::string_view body) {
    auto parsed = parse_body(body);
    if (!parsed) return parsed.error();
    return read_chat(*parsed);
}

}  // namespace saker
