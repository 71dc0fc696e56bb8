// The bytes behind the pictures and clips of a question: files, folders, pipes, stdin, data URLs.
//
// `run` reads for its own user, so that any file of the machine may be named; it fetches nothing.
// Every Error names the file. Pictures are decoded later (serve/prepare.h).
#pragma once

#include <optional>
#include <string>

#include "api/chat.h"
#include "base/result.h"
#include "serve/prepare.h"

namespace saker {

/// A picture: a file, a pipe that is read to its end, or "-" for stdin; at most 1 GiB.
Result<MediaInput> read_picture(const std::string& path);

/// A clip: the pictures of a folder, `fps` of them a second; at most 2 GiB.
Result<MediaInput> read_clip(const std::string& folder, double fps);

/// What an image or video part of a message points at. An image: a path, a file:// URL, a data URL
/// or bare base64. A clip: a list of such images, or a folder. `at` names the part in errors
/// ("messages[0].content[1]"); `fps` is that of a clip which does not say its own.
Result<MediaInput> read_part(const ContentPart& part, const std::string& at,
                             std::optional<double> fps);

}  // namespace saker
