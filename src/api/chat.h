// ChatRequest: what POST /v1/chat/completions asks for, checked and in native types.
//
// serve hands parse_chat the body and gives the ChatRequest to text/chat_template.h; only tool
// schemas and tool-call arguments stay JSON, since the template writes them out as they came, with
// integers of any size (json.h, is_big_integer). All strings are valid UTF-8. An Error names the
// field at fault in `param`, such as "messages[0].content[1].type", and quotes nothing of what the
// client sent. Add a field of the request here, its parsing in chat.cpp, and a case in
// chat_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace saker {

inline constexpr size_t kMaxMessages = 1024;
inline constexpr size_t kMaxTools = 128;
inline constexpr size_t kMaxPartsPerMessage = 1024;
inline constexpr size_t kMaxVideoFrames = 768;
inline constexpr size_t kMaxToolBytes = size_t{64} << 10;  // one tool, written out
inline constexpr size_t kMaxSchemaDepth = 32;

/// How finely the client wants a picture seen.
enum class ImageDetail { automatic, low, high };

/// One piece of a message.
struct ContentPart {
    enum class Kind { text, image, video };
    Kind kind = Kind::text;
    /// The text; or where the picture or clip is, as the client gave it: an http(s), data or file
    /// URL, a path, or bare base64. Empty where `frames` holds the clip.
    std::string text;
    std::vector<std::string> frames;  // a clip given as pictures, in order
    std::optional<double> fps;        // of a clip: at which rate to look at it (or of `frames`)
    std::optional<int64_t> min_pixels, max_pixels;  // of this picture or frame
    ImageDetail detail = ImageDetail::automatic;    // of a picture

    bool operator==(const ContentPart&) const = default;
};

/// A call that the assistant made in an earlier turn.
struct ToolCall {
    std::string id, name;
    json::value arguments;  // an object, or a string that is not JSON of one
};

/// How the client wrote a message's content, where a template may tell it apart.
enum class ContentForm {
    plain,  // one text is a string, several parts are a list, none is no content
    parts,  // a list of parts, however many
    null,   // null
};

enum class Role { system, user, assistant, tool };
std::string_view to_string(Role role);

struct Message {
    Role role = Role::user;
    std::vector<ContentPart> content;  // empty where the client sent null or nothing
    ContentForm content_form = ContentForm::plain;
    std::optional<std::string> reasoning_content;  // of an assistant
    std::vector<ToolCall> tool_calls;              // of an assistant
    std::string tool_call_id;                      // of a tool result, or empty
    std::string name;                              // of who speaks, or empty

    /// The text parts joined.
    std::string text() const;
};

struct ChatRequest {
    std::vector<Message> messages;
    std::vector<json::value> tools;  // objects {"type": "function", "function": {...}}, as given
    bool add_generation_prompt = true;
    bool add_vision_id = false;  // "Picture 1: " before each picture
    // The last message goes on where it ends, and no generation prompt is written, whatever
    // add_generation_prompt says.
    bool continue_final_message = false;
    json::object chat_template_kwargs;  // variables for the template, as given
};

/// Parses and checks a body. Fields that are not about the conversation (sampling, streaming) are
/// not looked at.
Result<ChatRequest> parse_chat(std::string_view body);

/// The same for a body that is parsed already, so that its other fields can be read from it too.
Result<ChatRequest> read_chat(const json::object& body);

/// How every request is read, wherever it comes from: integers of tool schemas and calls as
/// written.
JsonLimits request_limits();

/// Parses a body of any endpoint under the limits of requests (64 MiB, depth 64, 1,000,000 values).
/// Integers beyond 64 bits are kept (json.h, is_big_integer).
Result<json::object> parse_body(std::string_view body);

}  // namespace saker
