// Asked: a conversation and the bytes of its pictures and clips, as `saker run` hands it on; and
// how it is put together from a question, from flags, and turn by turn.
#pragma once

#include <string>
#include <vector>

#include "api/chat.h"
#include "serve/prepare.h"

namespace saker {

struct Asked {
    ChatRequest chat;
    std::vector<MediaInput> media;  // in the order of the parts of `chat`

    /// A message of text alone.
    void add_text(Role role, const std::string& text);
    /// A question: pictures and clips first, as people show a thing before they ask about it.
    void add_question(const std::string& text, std::vector<MediaInput> shown);
    /// Takes back the last message, with its pictures, and returns these.
    std::vector<MediaInput> take_back();
};

}  // namespace saker
