// The one place where JSON becomes a Value.
//
// Texts are borrowed: the JSON must outlive the heap's rendering.
#pragma once

#include "jinja/value.h"
#include "json/json.h"

namespace saker::jinja {

/// `origin` is that of every text and key in it.
Value value_of_json(Heap& heap, const json::value& from, Origin origin);

}  // namespace saker::jinja
