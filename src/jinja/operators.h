// The operators of a template's expressions, with Python's meaning.
//
// A mistake of the template (a sum of a number and a text) is a Fault with a sentence such as
// Python's. Integers are of 64 bits: a result beyond them is a Fault, and never wrong.
#pragma once

#include "jinja/value.h"

namespace saker::jinja {

enum class Operator : uint8_t {
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    in,
    not_in,
};

bool equal(Heap& heap, const Value& a, const Value& b, int depth = 0);
/// Below zero, zero or above for a < b, a == b, a > b; throws where Python does not order them.
int order(Heap& heap, const Value& a, const Value& b, std::string_view symbol = "<", int depth = 0);
bool contains(Heap& heap, const Value& container, const Value& item);
bool compare(Heap& heap, Operator op, const Value& a, const Value& b);
Value compute(Heap& heap, Operator op, const Value& a, const Value& b);
Value negate(const Value& v);

/// v[index]; undefined where there is none.
Value item_of(Heap& heap, const Value& v, const Value& index);
/// v.name; undefined where there is none.
Value attribute_of(Heap& heap, const Value& v, std::string_view name);
/// v[begin:end:step], of which any may be none.
Value slice_of(Heap& heap, const Value& v, const Value& begin, const Value& end, const Value& step);
/// len(v).
int64_t length_of(Heap& heap, const Value& v);

}  // namespace saker::jinja
