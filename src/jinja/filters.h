// Filters and tests: `value | name(…)` and `value is name(…)`.
//
// The tables are in filters.cpp, list_filters.cpp and tests.cpp, by what they
// work on. Names are looked up when a template is read, so that one that is not supported is told
// at start-up. Add one: a row in its table, and cases in tests/text/make_jinja_cases.py.
#pragma once

#include <span>
#include <string_view>

#include "jinja/arguments.h"

namespace saker::jinja {

struct FilterCall {
    Heap& heap;
    Value subject;
    const Arguments& arguments;
    std::string_view name;
};
struct FilterRow {
    std::string_view name;
    Value (*apply)(const FilterCall&);
};
struct TestRow {
    std::string_view name;
    bool (*holds)(const FilterCall&);
};

/// Null where there is none of that name.
const FilterRow* find_filter(std::string_view name);
const TestRow* find_test(std::string_view name);

/// Of one value, and of many (list_filters.cpp).
std::span<const FilterRow> value_filters();
std::span<const FilterRow> list_filters();

/// x.lower() of a text, and the value itself of others: how sort, unique and their like compare.
Value ignore_case(Heap& heap, const Value& v);

}  // namespace saker::jinja
