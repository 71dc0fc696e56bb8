// Value: what an expression of a template is worth, with Python's kinds and rules.
//
// A Value is two words and is copied freely; what it points to lies in the Heap of the rendering
// (heap.h) and never changes, but for the attributes of a namespace and the state of a loop,
// as in the sandbox that transformers renders with. Operators are in operators.h, printing in
// print.h, and json.h is the one place where JSON becomes a Value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/text.h"

namespace saker::jinja {

enum class Kind : uint8_t {
    undefined,
    none,
    boolean,
    integer,
    big_integer,  // beyond 64 bits: its decimal digits; it is printed and compared only
    real,
    text,
    list,
    dict,
    name_space,
    macro,
    function,
    method,
    loop,
};

struct Value;
struct List;
struct Dict;
struct Macro;
struct Method;
struct Loop;
enum class Function : uint8_t { range, dict, name_space, raise_exception, strftime_now };

struct Value {
    Kind kind = Kind::undefined;
    /// none: a message without content. It may be iterated over as if it were empty, where
    /// transformers would fail.
    bool is_lenient = false;
    union {
        bool boolean;
        int64_t integer;
        double real;
        const Text* text;  // and of big_integer; of undefined, why it is (or null)
        List* list;
        Dict* dict;  // and of name_space
        const Macro* macro;
        Function function;
        const Method* method;
        Loop* loop;
    };

    Value() : text(nullptr) {}
    bool is(Kind k) const { return kind == k; }
    bool is_text() const { return kind == Kind::text; }
    std::string_view view() const { return text->view(); }
};

inline Value none_value() {
    Value v;
    v.kind = Kind::none;
    return v;
}
inline Value value_of(bool b) {
    Value v;
    v.kind = Kind::boolean;
    v.boolean = b;
    return v;
}
inline Value value_of(int64_t i) {
    Value v;
    v.kind = Kind::integer;
    v.integer = i;
    return v;
}
inline Value value_of(double d) {
    Value v;
    v.kind = Kind::real;
    v.real = d;
    return v;
}
inline Value value_of(const Text* t) {
    Value v;
    v.kind = Kind::text;
    v.text = t;
    return v;
}
inline Value value_of(List* l) {
    Value v;
    v.kind = Kind::list;
    v.list = l;
    return v;
}
inline Value value_of(Dict* d) {
    Value v;
    v.kind = Kind::dict;
    v.dict = d;
    return v;
}
/// Undefined for the reason that its use is to be refused with ("'x' is undefined").
Value undefined_value(Heap& heap, std::string_view reason);

struct List {
    enum class Shape : uint8_t {
        list,
        tuple,
        range,
        view,       // keys(), values(), items() of a dict: it has a length and no items by number
        generator,  // of map, select and the like: true whatever it holds, and read once
    };
    Value* items = nullptr;
    uint32_t size = 0;
    Shape shape = Shape::list;
    bool is_read = false;  // of a generator

    std::span<const Value> all() const { return {items, size}; }
};
List* make_list(Heap& heap, std::span<const Value> items, List::Shape shape = List::Shape::list);

/// Members in the order in which their keys came. Keys are texts, numbers, booleans, none and
/// tuples.
struct Dict {
    struct Member {
        Value key, value;
    };
    Member* members = nullptr;
    uint32_t size = 0, capacity = 0;
    uint32_t* table = nullptr;  // member index + 1 by hash; only where there are many
    uint32_t table_size = 0;    // a power of two

    std::span<Member> all() const { return {members, size}; }
    const Value* find(Heap& heap, const Value& key) const;
    const Value* find(std::string_view key) const;
    void set(Heap& heap, const Value& key, const Value& value);
};
Dict* make_dict(Heap& heap);

struct Method {
    Value self;
    std::string_view name;
};

bool is_number(const Value& v);  // booleans too, as in Python
/// The value of a boolean or integer.
int64_t integer_of(const Value& v);
/// The value of a boolean, integer or real.
double real_of(const Value& v);
bool is_true(const Value& v);

/// Python's name of the kind, for messages: "str", "NoneType".
std::string_view kind_name(const Value& v);

/// What the author of a template may not do with the value: throws its reason where it is
/// undefined.
void expect_defined(const Value& v);

/// What a `for` over it meets, in order. Throws where it cannot be iterated over.
std::span<const Value> items_of(Heap& heap, const Value& v);

}  // namespace saker::jinja
