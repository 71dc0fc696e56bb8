// See value.h.
#include "jinja/value.h"

#include <algorithm>
#include <functional>

#include "jinja/chars.h"
#include "jinja/operators.h"

namespace saker::jinja {
namespace {

constexpr uint32_t kFewMembers = 8;  // up to here a dict is searched from front to back

// Equal keys have equal hashes: 1, 1.0 and true are one key.
size_t hash_of(const Value& key) {
    switch (key.kind) {
        case Kind::text:
        case Kind::big_integer:
            return std::hash<std::string_view>()(key.view());
        case Kind::boolean:
        case Kind::integer:
        case Kind::real:
            return std::hash<double>()(real_of(key));
        case Kind::list: {
            size_t hash = key.list->size;
            for (const Value& item : key.list->all()) hash = hash * 31 + hash_of(item);
            return hash;
        }
        default:
            return static_cast<size_t>(key.kind);
    }
}

void check_key(const Value& key, int depth = 0) {
    const bool is_tuple = key.is(Kind::list) && key.list->shape == List::Shape::tuple;
    if (is_tuple && depth < kMaxValueDepth) {
        for (const Value& item : key.list->all()) check_key(item, depth + 1);
    } else if (key.is(Kind::list) || key.is(Kind::dict)) {
        throw Fault{"unhashable type: '" + std::string(kind_name(key)) + "'"};
    }
}

// Keys that all fall on one place, which a client can find, cost steps rather than time.
void insert(Heap& heap, const Dict& dict, uint32_t index) {
    const auto hash = static_cast<uint32_t>(hash_of(dict.members[index].key));
    uint32_t at = hash;
    while (dict.table[at & (dict.table_size - 1)] != 0) ++at;
    dict.table[at & (dict.table_size - 1)] = index + 1;
    heap.charge((at - hash) / 4 + 1);
}

void rebuild_table(Heap& heap, Dict& dict) {
    dict.table_size = 32;
    while (dict.table_size < 4 * size_t{dict.capacity}) dict.table_size *= 2;
    dict.table = heap.array<uint32_t>(dict.table_size);
    std::fill_n(dict.table, dict.table_size, 0);
    for (uint32_t i = 0; i < dict.size; ++i) insert(heap, dict, i);
}

}  // namespace

Value undefined_value(Heap& heap, std::string_view reason) {
    Value v;
    v.text = copy_text(heap, reason, Origin::author);
    return v;
}

List* make_list(Heap& heap, std::span<const Value> items, List::Shape shape) {
    heap.charge(items.size() / 4 + 1);
    List list;
    list.shape = shape;
    list.size = static_cast<uint32_t>(items.size());
    list.items = heap.array<Value>(items.size());
    std::copy(items.begin(), items.end(), list.items);
    return heap.make(list);
}

Dict* make_dict(Heap& heap) {
    return heap.make(Dict());
}

const Value* Dict::find(std::string_view key) const {
    if (table) {
        for (uint32_t at = static_cast<uint32_t>(std::hash<std::string_view>()(key));; ++at) {
            const uint32_t slot = table[at & (table_size - 1)];
            if (slot == 0) return nullptr;
            const Member& member = members[slot - 1];
            if (member.key.is_text() && member.key.view() == key) return &member.value;
        }
    }
    for (const Member& member : all())
        if (member.key.is_text() && member.key.view() == key) return &member.value;
    return nullptr;
}

const Value* Dict::find(Heap& heap, const Value& key) const {
    if (key.is_text()) {
        heap.charge_bytes(key.text->size);
        return find(key.view());
    }
    check_key(key);
    if (table) {
        for (uint32_t at = static_cast<uint32_t>(hash_of(key));; ++at) {
            const uint32_t slot = table[at & (table_size - 1)];
            if (slot == 0) return nullptr;
            if (equal(heap, members[slot - 1].key, key)) return &members[slot - 1].value;
        }
    }
    for (const Member& member : all())
        if (equal(heap, member.key, key)) return &member.value;
    return nullptr;
}

void Dict::set(Heap& heap, const Value& key, const Value& value) {
    heap.charge();
    if (const Value* old = find(heap, key)) {
        *const_cast<Value*>(old) = value;
        return;
    }
    if (size == capacity) {
        capacity = std::max<uint32_t>(4, 2 * capacity);
        Member* const grown = heap.array<Member>(capacity);
        std::copy(members, members + size, grown);
        members = grown;
        heap.charge(size / 4);
        members[size++] = {key, value};
        if (size > kFewMembers) rebuild_table(heap, *this);
        return;
    }
    members[size++] = {key, value};
    if (table)
        insert(heap, *this, size - 1);
    else if (size > kFewMembers)
        rebuild_table(heap, *this);
}

bool is_number(const Value& v) {
    return v.is(Kind::boolean) || v.is(Kind::integer) || v.is(Kind::real);
}

int64_t integer_of(const Value& v) {
    return v.is(Kind::boolean) ? v.boolean : v.integer;
}

double real_of(const Value& v) {
    return v.is(Kind::real) ? v.real : static_cast<double>(integer_of(v));
}

bool is_true(const Value& v) {
    switch (v.kind) {
        case Kind::undefined:
        case Kind::none:
            return false;
        case Kind::boolean:
            return v.boolean;
        case Kind::integer:
            return v.integer != 0;
        case Kind::real:
            return v.real != 0;
        case Kind::text:
            return v.text->size > 0;
        case Kind::list:
            return v.list->shape == List::Shape::generator || v.list->size > 0;
        case Kind::dict:
            return v.dict->size > 0;
        default:
            return true;
    }
}

std::string_view kind_name(const Value& v) {
    switch (v.kind) {
        case Kind::undefined:
            return "Undefined";
        case Kind::none:
            return "NoneType";
        case Kind::boolean:
            return "bool";
        case Kind::integer:
        case Kind::big_integer:
            return "int";
        case Kind::real:
            return "float";
        case Kind::text:
            return "str";
        case Kind::list:
            switch (v.list->shape) {
                case List::Shape::tuple:
                    return "tuple";
                case List::Shape::range:
                    return "range";
                case List::Shape::view:
                    return "dict view";
                case List::Shape::generator:
                    return "generator";
                default:
                    return "list";
            }
        case Kind::dict:
            return "dict";
        case Kind::name_space:
            return "Namespace";
        case Kind::macro:
            return "Macro";
        case Kind::loop:
            return "LoopContext";
        default:
            return "function";
    }
}

void expect_defined(const Value& v) {
    if (!v.is(Kind::undefined)) return;
    throw Fault{v.text ? std::string(v.view()) : "a value is undefined"};
}

std::span<const Value> items_of(Heap& heap, const Value& v) {
    std::vector<Value> out;
    switch (v.kind) {
        case Kind::undefined:
            return {};
        case Kind::none:
            if (v.is_lenient) return {};
            break;
        case Kind::list:
            if (v.list->shape != List::Shape::generator) return v.list->all();
            if (v.list->is_read) return {};
            v.list->is_read = true;
            return v.list->all();
        case Kind::text:
            for (size_t at = 0; at < v.text->size;) {
                const size_t end = at + character_size(v.view(), at);
                heap.charge();
                out.push_back(value_of(slice_text(heap, *v.text, at, end)));
                at = end;
            }
            return make_list(heap, out)->all();
        case Kind::dict:
            for (const Dict::Member& member : v.dict->all()) out.push_back(member.key);
            return make_list(heap, out)->all();
        default:
            break;
    }
    throw Fault{"'" + std::string(kind_name(v)) + "' object is not iterable"};
}

}  // namespace saker::jinja
