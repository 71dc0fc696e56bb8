// Checks on the `tools` of a request.
//
// Tools are shown to the model as they came, so a schema is not compiled here; what is refused is
// what could not be meant or would cost too much. All faults have the code invalid_schema.
#pragma once

#include <string>

#include "base/result.h"
#include "json/json.h"

namespace saker {

/// `tool` must be {"type": "function", "function": {"name": ..., "parameters": {...}}} within the
/// limits of chat.h; `at` names it ("tools[3]"). A `$ref` in its parameters must stay inside them
/// and must not lead back to itself.
Status check_tool(const json::value& tool, const std::string& at);

}  // namespace saker
