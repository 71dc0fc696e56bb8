// The API's own parser reads the messages (api/chat.h); here are the keys around them, the pictures
// behind them, and the way back to JSON.
#include "app/message_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "app/asked_media.h"
#include "app/message_keys.h"
#include "app/session.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "json/json.h"
#include "media/decode.h"

namespace saker {
namespace {

std::string part_name(size_t message, size_t part) {
    return "messages[" + std::to_string(message) + "].content[" + std::to_string(part) + "]";
}

// --- keys ---

// Holds every object of the file against its table. A key that Saker does not know is told once,
// however many messages have it.
class KeyCheck {
  public:
    explicit KeyCheck(std::string file) : file_(std::move(file)) {}

    // After read_chat, so that every type is right.
    void body(const json::object& body) {
        object(body, "", kRequestTable);
        const json::array& messages = body.at("messages").get_array();
        for (size_t m = 0; m < messages.size(); ++m) {
            const json::object& message = messages[m].get_object();
            object(message, "messages[" + std::to_string(m) + "].", kMessageTable);
            const json::value* content = message.if_contains("content");
            if (!content || !content->is_array()) continue;
            for (size_t p = 0; p < content->get_array().size(); ++p)
                part(content->get_array()[p], part_name(m, p) + ".");
        }
    }

  private:
    void part(const json::value& part, const std::string& path) {
        if (!is_json_object(part)) return;
        object(part.get_object(), path, kPartTable);
        for (const auto& [key, value] : part.get_object())
            if (is_json_object(value))
                object(value.get_object(), path + std::string(key) + ".", kPartTable);
    }

    void object(const json::object& object, const std::string& path, const KeyTable& table) {
        json::object doubtful;
        for (const auto& [key, value] : object) {
            const auto known = std::find_if(table.keys.begin(), table.keys.end(),
                                            [&](const KnownKey& k) { return k.name == key; });
            const bool refused = known != table.keys.end() && known->use == KeyUse::refused;
            if (refused || (known == table.keys.end() && told_.emplace(key).second))
                doubtful[key] = value;
        }
        check_keys(JsonReader(doubtful, file_, path), table);
    }

    std::string file_;
    std::set<std::string> told_;
};

// --- sampling ---

using Reals = std::pair<const char*, std::optional<double> SamplingWishes::*>;
constexpr std::array kReals = {Reals{"temperature", &SamplingWishes::temperature},
                               Reals{"top_p", &SamplingWishes::top_p},
                               Reals{"min_p", &SamplingWishes::min_p},
                               Reals{"repetition_penalty", &SamplingWishes::repetition_penalty},
                               Reals{"presence_penalty", &SamplingWishes::presence_penalty},
                               Reals{"frequency_penalty", &SamplingWishes::frequency_penalty}};

// Throws StartupError as the getters of JsonReader do.
SamplingWishes read_wishes(const JsonReader& body) {
    SamplingWishes wishes;
    for (const auto& [key, member] : kReals)
        if (body.has(key)) wishes.*member = body.number(key);
    if (body.has("top_k")) wishes.top_k = body.integer("top_k", -1, INT32_MAX);
    if (body.has("seed")) {
        const json::value& seed = body.value("seed");
        wishes.seed = seed.is_uint64() ? seed.get_uint64()
                                       : static_cast<uint64_t>(body.integer("seed", 0, INT64_MAX));
    }
    for (const char* key : {"max_tokens", "max_completion_tokens"})  // the latter wins
        if (body.has(key)) wishes.max_tokens = body.integer(key, 1, INT64_MAX);
    if (body.has("stop") && body.value("stop").is_string()) {
        wishes.stop.push_back(body.string("stop"));
    } else if (body.has("stop")) {
        if (!body.value("stop").is_array()) body.fail("stop", "is neither a string nor a list");
        for (const json::value& stop : body.value("stop").get_array()) {
            if (!stop.is_string()) body.fail("stop", "has an item that is not a string");
            wishes.stop.emplace_back(stop.get_string().data(), stop.get_string().size());
        }
    }
    for (const std::string& stop : wishes.stop)
        if (stop.empty()) body.fail("stop", "must not be empty");
    if (body.boolean_or("logprobs", false))
        wishes.logprobs = body.integer_or("top_logprobs", 0, 0, 20);
    else if (body.has("top_logprobs"))
        body.fail("top_logprobs", "needs \"logprobs\": true");
    return wishes;
}

// --- writing ---

std::string_view media_type(std::span<const uint8_t> bytes) {
    const auto header = read_image_header(bytes);
    if (!header) return "application/octet-stream";
    switch (header->format) {
        case ImageFormat::jpeg:
            return "image/jpeg";
        case ImageFormat::png:
            return "image/png";
        case ImageFormat::webp:
            return "image/webp";
        case ImageFormat::gif:
            return "image/gif";
        case ImageFormat::bmp:
            return "image/bmp";
    }
    return "application/octet-stream";
}

// Where the picture can be found again.
std::string source_of(const MediaInput& input, size_t file) {
    const std::string& name = input.names.at(file);
    std::error_code ec;
    if (std::filesystem::is_regular_file(name, ec) && is_utf8(name))
        return std::filesystem::absolute(name, ec).string();
    const std::vector<uint8_t>& bytes = input.files.at(file);
    return "data:" + std::string(media_type(bytes)) + ";base64," + encode_base64(bytes);
}

json::object part_json(const ContentPart& part, const MediaInput& input) {
    json::object out;
    if (part.kind == ContentPart::Kind::image) {
        out["type"] = "image_url";
        out["image_url"] = {{"url", source_of(input, 0)}};
        if (part.min_pixels) out["min_pixels"] = *part.min_pixels;
        if (part.max_pixels) out["max_pixels"] = *part.max_pixels;
        if (part.detail != ImageDetail::automatic)
            out["detail"] = part.detail == ImageDetail::low ? "low" : "high";
        return out;
    }
    json::array frames;
    for (size_t i = 0; i < input.files.size(); ++i)
        frames.push_back(json::value(source_of(input, i)));
    out["type"] = "video";
    out["video"] = frames;
    out["fps"] = input.fps;
    return out;
}

json::array calls_json(const std::vector<ToolCall>& calls) {
    json::array out;
    for (const ToolCall& call : calls) {
        json::object one;
        if (!call.id.empty()) one["id"] = call.id;
        one["type"] = "function";
        one["function"] = {{"name", call.name}, {"arguments", call.arguments}};
        out.push_back(one);
    }
    return out;
}

json::object message_json(const Message& message, const std::vector<MediaInput>& media,
                          size_t& next) {
    json::object out;
    out["role"] = to_string(message.role);
    if (!message.name.empty()) out["name"] = message.name;
    const bool is_list = message.content_form == ContentForm::parts;
    if (message.content_form == ContentForm::null) {
        out["content"] = json::value(nullptr);
    } else if (!is_list && message.content.size() == 1 &&
               message.content[0].kind == ContentPart::Kind::text) {
        out["content"] = message.content[0].text;
    } else if (is_list || !message.content.empty()) {
        json::array parts;
        for (const ContentPart& part : message.content) {
            if (part.kind == ContentPart::Kind::text)
                parts.push_back(json::object{{"type", "text"}, {"text", part.text}});
            else
                parts.push_back(part_json(part, media.at(next++)));
        }
        out["content"] = parts;
    }
    if (message.reasoning_content) out["reasoning_content"] = *message.reasoning_content;
    if (!message.tool_calls.empty()) out["tool_calls"] = calls_json(message.tool_calls);
    if (!message.tool_call_id.empty()) out["tool_call_id"] = message.tool_call_id;
    return out;
}

Error cannot_write(const std::string& path) {
    return {ErrorCode::invalid_value, path + ": cannot be written: " + strerror(errno) + ".", ""};
}

}  // namespace

Result<MessageFile> parse_messages(const std::string& text, const std::string& name,
                                   std::optional<double> fps) {
    const auto in_file = [&](const Error& error) {
        return Error{error.code, name + ": " + error.message, error.param};
    };
    auto value = parse_json(text, name, request_limits());
    if (!value) return value.error();
    json::object body;
    if (is_json_object(*value))
        body = std::move(value->get_object());
    else if (value->is_array())
        body["messages"] = std::move(*value);
    else
        return Error{ErrorCode::invalid_json,
                     name + ": is neither an object with \"messages\" nor a list of messages.", ""};
    MessageFile file;
    auto chat = read_chat(body);
    if (!chat) return in_file(chat.error());
    file.asked.chat = std::move(*chat);
    try {  // the getters and tables of start-up files throw; here it is the caller's mistake
        KeyCheck(name).body(body);
        file.wishes = read_wishes(JsonReader(body, name));
    } catch (const StartupError& e) {
        return Error{ErrorCode::invalid_value, e.what(), ""};
    }
    for (size_t m = 0; m < file.asked.chat.messages.size(); ++m) {
        const std::vector<ContentPart>& content = file.asked.chat.messages[m].content;
        for (size_t p = 0; p < content.size(); ++p) {
            if (content[p].kind == ContentPart::Kind::text) continue;
            auto input = read_part(content[p], part_name(m, p), fps);
            if (!input) return in_file(input.error());
            file.asked.media.push_back(std::move(*input));
        }
    }
    return file;
}

Result<MessageFile> read_messages(const std::string& path, std::optional<double> fps) {
    auto bytes = path == "-" ? read_stdin_bytes() : read_file(path);
    if (!bytes) return bytes.error();
    return parse_messages({bytes->begin(), bytes->end()}, path == "-" ? "stdin" : path, fps);
}

std::string messages_json(const Asked& asked) {
    json::array messages;
    size_t next = 0;
    for (const Message& message : asked.chat.messages)
        messages.push_back(message_json(message, asked.media, next));
    json::object out = {{"messages", messages}};
    if (!asked.chat.tools.empty())
        out["tools"] = json::array(asked.chat.tools.begin(), asked.chat.tools.end());
    if (!asked.chat.chat_template_kwargs.empty())
        out["chat_template_kwargs"] = asked.chat.chat_template_kwargs;
    return dump_json(out, 1) + "\n";
}

Status save_messages(const Asked& asked, const std::string& path, bool overwrite) {
    const std::string text = messages_json(asked);
    // Written beside it and moved, so that a full disk leaves the old file whole.
    const std::string part = overwrite ? path + ".part" : path;
    const int file =
        open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), 0644);
    if (file < 0) return cannot_write(path);
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t n = write(file, text.data() + written, text.size() - written);
        if (n <= 0) break;
        written += static_cast<size_t>(n);
    }
    const bool closed = close(file) == 0;
    const bool whole =
        written == text.size() && closed && (!overwrite || rename(part.c_str(), path.c_str()) == 0);
    if (whole) return Done{};
    Error error = cannot_write(path);
    unlink(part.c_str());
    return error;
}

}  // namespace saker
