// Tests: `value is name(…)` (filters.h).
#include <cmath>

#include "base/utf8.h"
#include "jinja/chars.h"
#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace saker::jinja {
namespace {

Value other(const FilterCall& c) {
    c.arguments.accept(c.name, {"other"});
    return c.arguments.require(c.name, 0, "other");
}

bool is_defined(const FilterCall& c) {
    return !c.subject.is(Kind::undefined);
}
bool is_undefined(const FilterCall& c) {
    return c.subject.is(Kind::undefined);
}
bool is_none(const FilterCall& c) {
    return c.subject.is(Kind::none);
}
bool is_boolean(const FilterCall& c) {
    return c.subject.is(Kind::boolean);
}
bool is_true_itself(const FilterCall& c) {
    return c.subject.is(Kind::boolean) && c.subject.boolean;
}
bool is_false_itself(const FilterCall& c) {
    return c.subject.is(Kind::boolean) && !c.subject.boolean;
}
bool is_integer(const FilterCall& c) {
    return c.subject.is(Kind::integer) || c.subject.is(Kind::big_integer);
}
bool is_real(const FilterCall& c) {
    return c.subject.is(Kind::real);
}
bool is_any_number(const FilterCall& c) {
    return is_number(c.subject) || c.subject.is(Kind::big_integer);
}
bool is_string(const FilterCall& c) {
    return c.subject.is_text();
}
bool is_mapping(const FilterCall& c) {
    return c.subject.is(Kind::dict);
}
bool is_iterable(const FilterCall& c) {
    return c.subject.is(Kind::undefined) || c.subject.is_text() || c.subject.is(Kind::list) ||
           c.subject.is(Kind::dict) || c.subject.is(Kind::loop);
}
bool is_sequence(const FilterCall& c) {
    if (!c.subject.is(Kind::list)) return is_iterable(c) && !c.subject.is(Kind::loop);
    const List::Shape shape = c.subject.list->shape;
    return shape != List::Shape::view && shape != List::Shape::generator;
}
bool is_callable(const FilterCall& c) {
    return c.subject.is(Kind::macro) || c.subject.is(Kind::function) ||
           c.subject.is(Kind::method) || c.subject.is(Kind::loop) || c.subject.is(Kind::undefined);
}

int64_t rest(const FilterCall& c, int64_t by) {
    const Value found = compute(c.heap, Operator::modulo, c.subject, value_of(by));
    if (found.is(Kind::real)) return found.real != 0;
    return found.integer;
}
bool is_odd(const FilterCall& c) {
    return rest(c, 2) == 1;
}
bool is_even(const FilterCall& c) {
    return rest(c, 2) == 0;
}
bool is_divisible(const FilterCall& c) {
    c.arguments.accept(c.name, {"num"});
    return rest(c, c.arguments.get_integer(0, "num", 0)) == 0;
}

// Letter case of a whole text: at least one letter has a case, and none has the other.
bool has_case(const FilterCall& c, bool (*is_wrong)(char32_t), bool (*is_right)(char32_t)) {
    const Text& text = *print(c.heap, c.subject);
    bool has_right = false;
    c.heap.charge_bytes(text.size);
    for (size_t at = 0; at < text.size;) {
        const Decoded next = decode_utf8(text.view().substr(at));
        if (is_wrong(next.code_point)) return false;
        has_right = has_right || is_right(next.code_point);
        at += next.size;
    }
    return has_right;
}
bool is_lower_text(const FilterCall& c) {
    return has_case(c, is_upper, is_lower);
}
bool is_upper_text(const FilterCall& c) {
    return has_case(c, is_lower, is_upper);
}

bool is_equal(const FilterCall& c) {
    return compare(c.heap, Operator::equal, c.subject, other(c));
}
bool is_not_equal(const FilterCall& c) {
    return compare(c.heap, Operator::not_equal, c.subject, other(c));
}
bool is_less(const FilterCall& c) {
    return compare(c.heap, Operator::less, c.subject, other(c));
}
bool is_less_or_equal(const FilterCall& c) {
    return compare(c.heap, Operator::less_equal, c.subject, other(c));
}
bool is_greater(const FilterCall& c) {
    return compare(c.heap, Operator::greater, c.subject, other(c));
}
bool is_greater_or_equal(const FilterCall& c) {
    return compare(c.heap, Operator::greater_equal, c.subject, other(c));
}
bool is_in(const FilterCall& c) {
    return contains(c.heap, other(c), c.subject);
}
bool is_same(const FilterCall& c) {
    const Value o = other(c);
    return o.kind == c.subject.kind && equal(c.heap, c.subject, o);
}

bool is_filter(const FilterCall& c) {
    return c.subject.is_text() && find_filter(c.subject.view());
}
bool is_test(const FilterCall& c) {
    return c.subject.is_text() && find_test(c.subject.view());
}

constexpr TestRow kRows[] = {
    {"defined", is_defined},
    {"undefined", is_undefined},
    {"none", is_none},
    {"boolean", is_boolean},
    {"true", is_true_itself},
    {"false", is_false_itself},
    {"integer", is_integer},
    {"float", is_real},
    {"number", is_any_number},
    {"string", is_string},
    {"mapping", is_mapping},
    {"iterable", is_iterable},
    {"sequence", is_sequence},
    {"callable", is_callable},
    {"odd", is_odd},
    {"even", is_even},
    {"divisibleby", is_divisible},
    {"lower", is_lower_text},
    {"upper", is_upper_text},
    {"eq", is_equal},
    {"==", is_equal},
    {"equalto", is_equal},
    {"ne", is_not_equal},
    {"!=", is_not_equal},
    {"lt", is_less},
    {"<", is_less},
    {"lessthan", is_less},
    {"le", is_less_or_equal},
    {"<=", is_less_or_equal},
    {"gt", is_greater},
    {">", is_greater},
    {"greaterthan", is_greater},
    {"ge", is_greater_or_equal},
    {">=", is_greater_or_equal},
    {"in", is_in},
    {"sameas", is_same},
    {"filter", is_filter},
    {"test", is_test},
};

}  // namespace

const TestRow* find_test(std::string_view name) {
    for (const TestRow& row : kRows)
        if (row.name == name) return &row;
    return nullptr;
}

}  // namespace saker::jinja
