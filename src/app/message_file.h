// A conversation as JSON: what --messages reads and /save writes, in the form of the API's chat
// completions.
//
// The file is an object with "messages" (and tools, chat_template_kwargs, temperature ...) or the
// bare list of messages. Keys that would change the answer and are not done are refused by name.
#pragma once

#include <optional>
#include <string>

#include "app/asked.h"
#include "app/options.h"
#include "base/result.h"

namespace saker {

struct MessageFile {
    Asked asked;
    SamplingWishes wishes;
};

/// Reads `path` ("-": stdin) and every picture that it points at; paths are relative to the working
/// folder. `fps`: of clips that do not say theirs. The Error names the file and the field.
Result<MessageFile> read_messages(const std::string& path, std::optional<double> fps);

/// The same for a text that has been read; `name` stands in errors.
Result<MessageFile> parse_messages(const std::string& text, const std::string& name,
                                   std::optional<double> fps);

/// The conversation as such an object: pictures of files by their whole path, others as data URLs.
std::string messages_json(const Asked& asked);

/// Writes messages_json to a new file; over one that is there only with `overwrite`.
Status save_messages(const Asked& asked, const std::string& path, bool overwrite);

}  // namespace saker
