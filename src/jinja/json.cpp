// See json.h. Nesting is bounded by the reader of the JSON (JsonLimits::max_depth).
#include "jinja/json.h"

namespace saker::jinja {
namespace {

Value text_value(Heap& heap, std::string_view text, Origin origin) {
    return value_of(borrow_text(heap, text, origin));
}

Value big_integer(const Text* digits) {
    Value v = value_of(digits);
    v.kind = Kind::big_integer;
    return v;
}

}  // namespace

Value value_of_json(Heap& heap, const json::value& from, Origin origin) {
    heap.charge();
    switch (from.kind()) {
        case json::kind::null:
            return none_value();
        case json::kind::bool_:
            return value_of(from.get_bool());
        case json::kind::int64:
            return value_of(from.get_int64());
        case json::kind::uint64:  // beyond int64
            return big_integer(copy_text(heap, std::to_string(from.get_uint64()), origin));
        case json::kind::double_:
            return value_of(from.get_double());
        case json::kind::string:
            return text_value(heap, {from.get_string().data(), from.get_string().size()}, origin);
        case json::kind::array: {
            const json::array& array = from.get_array();
            List list;
            list.size = static_cast<uint32_t>(array.size());
            list.items = heap.array<Value>(list.size);
            for (uint32_t i = 0; i < list.size; ++i)
                list.items[i] = value_of_json(heap, array[i], origin);
            return value_of(heap.make(list));
        }
        case json::kind::object:
            break;
    }
    if (is_big_integer(from)) return big_integer(borrow_text(heap, big_integer_text(from), origin));
    Dict* const dict = make_dict(heap);
    for (const auto& [key, value] : from.get_object())
        dict->set(heap, text_value(heap, {key.data(), key.size()}, origin),
                  value_of_json(heap, value, origin));
    return value_of(dict);
}

}  // namespace saker::jinja
