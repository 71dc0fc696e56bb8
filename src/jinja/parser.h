// A template's source becomes a Program: tokens to tree, with Jinja's grammar.
//
// What the grammar knows and this interpreter does not (blocks, imports, call) is named with its
// line, and so is a filter or test that is not supported.
#pragma once

#include <string_view>

#include "jinja/tree.h"

namespace saker::jinja {

/// Throws a Fault with its line.
Program parse_template(std::string_view source);

}  // namespace saker::jinja
