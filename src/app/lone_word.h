// A lone word of `saker run` that is no folder: a question, or a path with a slip of the finger?
//
// Taking a mistyped path for a question would answer it with another model and without a word.
#pragma once

#include <string_view>

namespace saker {

/// True where `word` is taken for a path or the name of a model rather than a question: it has no
/// white space, does not end as a sentence does ("?", "!", in any script), and
///  - holds a slash or backslash, begins with "." or "~", or ends as a file does (".png"), or
///  - is all ASCII and holds anything but letters and apostrophes ("Qwen3-VL", "model_2").
/// So "Why?", "Hello" and a sentence in Chinese are questions.
bool looks_like_path(std::string_view word);

}  // namespace saker
