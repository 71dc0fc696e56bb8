// See arguments.h.
#include "jinja/arguments.h"

#include <algorithm>
#include <string>

namespace saker::jinja {

void Arguments::accept(std::string_view callee,
                       std::initializer_list<std::string_view> names) const {
    const std::string who(callee);
    if (values.size() > names.size())
        throw Fault{who + " takes not more than " + std::to_string(names.size()) + " argument(s)"};
    for (const auto& [name, value] : named) {
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end()) throw Fault{who + " takes no argument '" + std::string(name) + "'"};
        if (static_cast<size_t>(at - names.begin()) < values.size())
            throw Fault{who + " is given '" + std::string(name) + "' twice"};
    }
}

const Value* Arguments::find(size_t place, std::string_view name) const {
    if (place < values.size()) return &values[place];
    for (const auto& [key, value] : named)
        if (key == name) return &value;
    return nullptr;
}

Value Arguments::get(size_t place, std::string_view name, Value otherwise) const {
    const Value* found = find(place, name);
    return found ? *found : otherwise;
}

bool Arguments::get_bool(size_t place, std::string_view name, bool otherwise) const {
    const Value* found = find(place, name);
    return found ? is_true(*found) : otherwise;
}

int64_t Arguments::get_integer(size_t place, std::string_view name, int64_t otherwise) const {
    const Value* found = find(place, name);
    if (!found) return otherwise;
    if (!found->is(Kind::integer) && !found->is(Kind::boolean))
        throw Fault{"'" + std::string(name) + "' must be an integer"};
    return integer_of(*found);
}

Value Arguments::require(std::string_view callee, size_t place, std::string_view name) const {
    const Value* found = find(place, name);
    if (!found)
        throw Fault{std::string(callee) + " needs the argument '" + std::string(name) + "'"};
    return *found;
}

const Text& Arguments::require_text(std::string_view callee, size_t place,
                                    std::string_view name) const {
    const Value value = require(callee, place, name);
    expect_defined(value);
    if (!value.is_text())
        throw Fault{std::string(callee) + " needs a text as '" + std::string(name) + "', not '" +
                    std::string(kind_name(value)) + "'"};
    return *value.text;
}

}  // namespace saker::jinja
