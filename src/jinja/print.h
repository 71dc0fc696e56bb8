// How values become text: Python's str and repr, and json.dumps as transformers' `tojson` calls it.
//
// Strings inside keep their origin, character by character; the punctuation around them is the
// client's, so that no printed value can spell a control token that its strings do not.
#pragma once

#include "jinja/value.h"

namespace saker::jinja {

/// str(v). A text is itself.
const Text* print(Heap& heap, const Value& v);
/// Appends str(v).
void print_to(Heap& heap, const Value& v, TextBuilder& out);

struct JsonStyle {
    bool ensure_ascii = false;
    bool sort_keys = false;
    bool has_lines = false;   // indent is not None
    std::string_view indent;  // of one level
    std::string_view item_end = ", ", key_end = ": ";
};

/// json.dumps(v, ...). Throws for what JSON has no word for.
void print_json_to(Heap& heap, const Value& v, const JsonStyle& style, TextBuilder& out);

}  // namespace saker::jinja
