// Where each name of a template is kept, worked out before it runs, by the rules of Jinja's
// compiler.
//
// A `for`, `with`, filter block, `set` block and macro has a scope; an `if` has none. A name that a
// scope assigns belongs to it from its first line on: it begins as the outer name of that spelling,
// or undefined where there is none. So an assignment inside a loop ends with the round, and a name
// that the template assigns at its end is undefined in the loops before it, even where the caller
// gave a variable of that name.
#pragma once

#include "jinja/tree.h"

namespace saker::jinja {

/// Fills in the places and scopes of the tree.
void resolve_names(Program& program);

}  // namespace saker::jinja
