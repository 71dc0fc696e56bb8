// Methods of texts, lists, dicts and loops: `content.split('</think>')`, `message.get('name')`.
//
// Those that change a list or dict are forbidden, as in the sandbox of transformers: they are
// undefined, and calling them is a Fault.
#pragma once

#include <string_view>

#include "jinja/arguments.h"

namespace saker::jinja {

enum class MethodKind {
    none,       // Python has none of that name
    known,      // call_method can call it
    forbidden,  // the sandbox gives nobody access
    missing,    // Python has it, this interpreter does not
};
MethodKind find_method(const Value& v, std::string_view name);

Value call_method(Heap& heap, const Method& method, const Arguments& arguments);

/// str.strip and its sides; blanks where `characters` is null.
enum class Side { both, left, right };
const Text* strip_text(Heap& heap, const Text& text, const Text* characters, Side side);
/// str.replace; `count` below zero: all.
const Text* replace_text(Heap& heap, const Text& text, const Text& old, const Text& by,
                         int64_t count);
const Text* text_in_case(Heap& heap, const Text& text, bool upper);
const Text* capitalize_text(Heap& heap, const Text& text);
/// str.splitlines: the lines without their ends.
std::vector<const Text*> split_lines(Heap& heap, const Text& text, bool keep_ends = false);

}  // namespace saker::jinja
