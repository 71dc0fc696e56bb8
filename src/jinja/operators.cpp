// See operators.h. Arithmetic, order and membership; looking into a value is in
// access.cpp.
#include "jinja/operators.h"

#include <algorithm>
#include <cmath>

namespace saker::jinja {
namespace {

using Shape = List::Shape;

[[noreturn]] void refuse(std::string_view symbol, const Value& a, const Value& b) {
    throw Fault{"unsupported operand types for " + std::string(symbol) + ": '" +
                std::string(kind_name(a)) + "' and '" + std::string(kind_name(b)) + "'"};
}

[[noreturn]] void too_big() {
    throw Fault{"an integer of more than 64 bits cannot be computed with"};
}

bool is_sequence(const Value& v) {
    return v.is(Kind::list) && (v.list->shape == Shape::list || v.list->shape == Shape::tuple);
}

// A sum or product of texts and lists; nothing where `a` and `b` are no such pair.
bool join_sequences(Heap& heap, const Value& a, const Value& b, Value& out) {
    if (a.is_text() && b.is_text()) {
        out = value_of(join_texts(heap, *a.text, *b.text));
        return true;
    }
    if (!is_sequence(a) || !is_sequence(b) || a.list->shape != b.list->shape) return false;
    heap.charge((size_t{a.list->size} + b.list->size) / 4);
    List list;
    list.shape = a.list->shape;
    list.size = a.list->size + b.list->size;
    list.items = heap.array<Value>(list.size);
    std::copy_n(a.list->items, a.list->size, list.items);
    std::copy_n(b.list->items, b.list->size, list.items + a.list->size);
    out = value_of(heap.make(list));
    return true;
}

Value repeat(Heap& heap, const Value& v, const Value& times) {
    const auto count = static_cast<uint64_t>(std::max<int64_t>(0, integer_of(times)));
    const uint64_t size = v.is_text() ? v.text->size : v.list->size;
    if (size > 0 && count > kMaxTextBytes / size) throw Fault{"repeats something too often"};
    if (v.is_text()) {
        TextBuilder builder(heap);
        if (size > 0)
            for (uint64_t i = 0; i < count; ++i) builder.append(*v.text);
        return value_of(builder.finish());
    }
    heap.charge(size * count / 4);
    List list;
    list.shape = v.list->shape;
    list.size = static_cast<uint32_t>(size * count);
    list.items = heap.array<Value>(list.size);
    for (uint64_t i = 0; size > 0 && i < count; ++i)
        std::copy_n(v.list->items, size, list.items + i * size);
    return value_of(heap.make(list));
}

int64_t floor_divide(int64_t a, int64_t b) {
    const int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t integer_power(int64_t base, int64_t exponent) {
    int64_t result = 1;
    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) too_big();
        if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) too_big();
    }
    return result;
}

Value compute_integers(Operator op, int64_t a, int64_t b) {
    int64_t out = 0;
    switch (op) {
        case Operator::add:
            if (__builtin_add_overflow(a, b, &out)) too_big();
            return value_of(out);
        case Operator::subtract:
            if (__builtin_sub_overflow(a, b, &out)) too_big();
            return value_of(out);
        case Operator::multiply:
            if (__builtin_mul_overflow(a, b, &out)) too_big();
            return value_of(out);
        case Operator::power:
            if (b < 0 && a == 0) throw Fault{"zero cannot be raised to a negative power"};
            return b < 0 ? value_of(std::pow(static_cast<double>(a), static_cast<double>(b)))
                         : value_of(integer_power(a, b));
        default:
            break;
    }
    if (b == 0) throw Fault{"division by zero"};
    if (op == Operator::divide) return value_of(static_cast<double>(a) / static_cast<double>(b));
    if (a == INT64_MIN && b == -1) {
        if (op == Operator::modulo) return value_of(int64_t{0});
        too_big();
    }
    const int64_t quotient = floor_divide(a, b);
    return value_of(op == Operator::floor_divide ? quotient : a - quotient * b);
}

Value compute_reals(Operator op, double a, double b) {
    switch (op) {
        case Operator::add:
            return value_of(a + b);
        case Operator::subtract:
            return value_of(a - b);
        case Operator::multiply:
            return value_of(a * b);
        case Operator::power: {
            const double out = std::pow(a, b);
            if (std::isnan(out) || (std::isinf(out) && std::isfinite(a)))
                throw Fault{"a power has no value"};
            return value_of(out);
        }
        default:
            break;
    }
    if (b == 0) throw Fault{"division by zero"};
    if (op == Operator::divide) return value_of(a / b);
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    if (op == Operator::modulo) return value_of(rest == 0 ? std::copysign(0.0, b) : rest);
    return value_of(std::floor((a - rest) / b + 0.5));
}

std::string_view symbol_of(Operator op) {
    constexpr std::string_view kSymbols[] = {
        "+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
    return kSymbols[static_cast<size_t>(op)];
}

void check_depth(int depth) {
    if (depth > kMaxValueDepth) throw Fault{"values are nested too deeply to be compared"};
}

}  // namespace

bool equal(Heap& heap, const Value& a, const Value& b, int depth) {
    heap.charge();
    check_depth(depth);
    if (is_number(a) && is_number(b)) {
        if (a.is(Kind::real) || b.is(Kind::real)) return real_of(a) == real_of(b);
        return integer_of(a) == integer_of(b);
    }
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case Kind::undefined:
        case Kind::none:
            return true;
        case Kind::text:
        case Kind::big_integer:
            if (a.text->size != b.text->size) return false;
            heap.charge_bytes(a.text->size);
            return a.view() == b.view();
        case Kind::list: {
            if (a.list == b.list) return true;
            if (a.list->shape != b.list->shape || a.list->shape == Shape::generator) return false;
            if (a.list->size != b.list->size) return false;
            for (uint32_t i = 0; i < a.list->size; ++i)
                if (!equal(heap, a.list->items[i], b.list->items[i], depth + 1)) return false;
            return true;
        }
        case Kind::dict: {
            if (a.dict->size != b.dict->size) return false;
            for (const Dict::Member& member : a.dict->all()) {
                const Value* other = b.dict->find(heap, member.key);
                if (!other || !equal(heap, member.value, *other, depth + 1)) return false;
            }
            return true;
        }
        case Kind::function:
            return a.function == b.function;
        default:
            return a.dict == b.dict;  // one and the same
    }
}

int order(Heap& heap, const Value& a, const Value& b, std::string_view symbol, int depth) {
    heap.charge();
    check_depth(depth);
    if (is_number(a) && is_number(b)) {
        if (a.is(Kind::real) || b.is(Kind::real))
            return real_of(a) < real_of(b) ? -1 : real_of(a) > real_of(b);
        return integer_of(a) < integer_of(b) ? -1 : integer_of(a) > integer_of(b);
    }
    if (a.is_text() && b.is_text()) {
        heap.charge_bytes(std::min(a.text->size, b.text->size));
        return a.view().compare(b.view());
    }
    if (is_sequence(a) && is_sequence(b) && a.list->shape == b.list->shape) {
        const uint32_t both = std::min(a.list->size, b.list->size);
        for (uint32_t i = 0; i < both; ++i)
            if (!equal(heap, a.list->items[i], b.list->items[i], depth + 1))
                return order(heap, a.list->items[i], b.list->items[i], symbol, depth + 1);
        return a.list->size < b.list->size ? -1 : a.list->size > b.list->size;
    }
    expect_defined(a);
    expect_defined(b);
    throw Fault{"'" + std::string(symbol) + "' not supported between instances of '" +
                std::string(kind_name(a)) + "' and '" + std::string(kind_name(b)) + "'"};
}

bool contains(Heap& heap, const Value& container, const Value& item) {
    if (container.is_text()) {
        if (!item.is_text()) {
            expect_defined(item);
            throw Fault{"'in <string>' requires string as left operand, not " +
                        std::string(kind_name(item))};
        }
        return find_text(heap, container.view(), item.view()) != std::string_view::npos;
    }
    if (container.is(Kind::dict)) return container.dict->find(heap, item) != nullptr;
    for (const Value& each : items_of(heap, container))
        if (equal(heap, each, item)) return true;
    return false;
}

bool compare(Heap& heap, Operator op, const Value& a, const Value& b) {
    switch (op) {
        case Operator::equal:
            return equal(heap, a, b);
        case Operator::not_equal:
            return !equal(heap, a, b);
        case Operator::in:
            return contains(heap, b, a);
        case Operator::not_in:
            return !contains(heap, b, a);
        default:
            break;
    }
    // What is not a number is below, above and equal to nothing.
    if (is_number(a) && is_number(b) && (std::isnan(real_of(a)) || std::isnan(real_of(b))))
        return false;
    const int found = order(heap, a, b, symbol_of(op));
    return op == Operator::less         ? found < 0
           : op == Operator::less_equal ? found <= 0
           : op == Operator::greater    ? found > 0
                                        : found >= 0;
}

Value compute(Heap& heap, Operator op, const Value& a, const Value& b) {
    expect_defined(a);
    expect_defined(b);
    if (is_number(a) && is_number(b)) {
        if (a.is(Kind::real) || b.is(Kind::real)) return compute_reals(op, real_of(a), real_of(b));
        return compute_integers(op, integer_of(a), integer_of(b));
    }
    if (a.is(Kind::big_integer) || b.is(Kind::big_integer)) too_big();
    Value out;
    if (op == Operator::add && join_sequences(heap, a, b, out)) return out;
    const auto can_repeat = [](const Value& v, const Value& times) {
        return (v.is_text() || is_sequence(v)) && is_number(times) && !times.is(Kind::real);
    };
    if (op == Operator::multiply && can_repeat(a, b)) return repeat(heap, a, b);
    if (op == Operator::multiply && can_repeat(b, a)) return repeat(heap, b, a);
    if (op == Operator::modulo && a.is_text()) throw Fault{"'%' on a text is not supported"};
    refuse(symbol_of(op), a, b);
}

Value negate(const Value& v) {
    expect_defined(v);
    if (v.is(Kind::real)) return value_of(-v.real);
    if (v.is(Kind::big_integer)) too_big();
    if (!is_number(v))
        throw Fault{"bad operand type for unary -: '" + std::string(kind_name(v)) + "'"};
    return compute_integers(Operator::subtract, 0, integer_of(v));
}

}  // namespace saker::jinja
