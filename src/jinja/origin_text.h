// OriginText: a rendered prompt whose every byte says who wrote it.
//
// Only what the author of the template wrote may become any control token; what an assistant said
// becomes the few that an assistant writes itself; everybody else's text stays text. Templates
// (chat_template.h) make it, and prompt_parts.h turns it into PromptParts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

enum class Origin : uint8_t {
    author,     // the template, and what the program itself puts into it (roles, special tokens)
    assistant,  // content, reasoning and tool calls of an assistant's message
    client,     // all other text of a request: users, systems, tools, arguments of the template
};

/// Bytes up to `end` (from the end of the run before) have one origin.
struct OriginRun {
    uint32_t end;
    Origin origin;

    bool operator==(const OriginRun&) const = default;
};

struct OriginText {
    std::string bytes;
    std::vector<OriginRun> runs;  // ends ascend, the last is bytes.size(); none is empty

    void append(std::string_view more, Origin origin);
    /// Leaves the first `size` bytes.
    void cut(size_t size);
};

}  // namespace saker
