// Arguments: what a filter, a test, a method or a function is called with.
//
// Python lets most arguments be given by place or by name; `accept` names the places once, and the
// getters after it look in both.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/value.h"

namespace saker::jinja {

struct Arguments {
    std::vector<Value> values;
    std::vector<std::pair<std::string_view, Value>> named;

    /// Throws where there is an argument that none of `names` takes, or one twice.
    void accept(std::string_view callee, std::initializer_list<std::string_view> names) const;

    const Value* find(size_t place, std::string_view name) const;
    Value get(size_t place, std::string_view name, Value otherwise) const;
    bool get_bool(size_t place, std::string_view name, bool otherwise) const;
    /// Throws where it is given and no integer.
    int64_t get_integer(size_t place, std::string_view name, int64_t otherwise) const;
    /// Throws where it is missing.
    Value require(std::string_view callee, size_t place, std::string_view name) const;
    const Text& require_text(std::string_view callee, size_t place, std::string_view name) const;
};

}  // namespace saker::jinja
