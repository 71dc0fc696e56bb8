// Methods of Python's str, on texts that keep their origins (methods.h calls them).
//
// Add a method: a row in the table of text_methods.cpp and a case in
// tests/text/make_jinja_cases.py.
#pragma once

#include <string_view>

#include "jinja/methods.h"

namespace saker::jinja {

MethodKind find_text_method(std::string_view name);
Value call_text_method(Heap& heap, const Text& self, std::string_view name,
                       const Arguments& arguments);

}  // namespace saker::jinja
