// See methods.h. Methods of lists, dicts and loops; those of texts are in
// text_methods.cpp.
#include "jinja/methods.h"

#include <algorithm>
#include <array>

#include "jinja/loop.h"
#include "jinja/operators.h"
#include "jinja/text_methods.h"

namespace saker::jinja {
namespace {

template <size_t N>
bool has(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 5> kDictMethods = {"get", "keys", "values", "items", "copy"};
constexpr std::array<std::string_view, 5> kDictChanges = {"clear", "pop", "popitem", "setdefault",
                                                          "update"};
constexpr std::array<std::string_view, 3> kListMethods = {"index", "count", "copy"};
constexpr std::array<std::string_view, 8> kListChanges = {"append", "clear", "pop",    "reverse",
                                                          "insert", "sort",  "extend", "remove"};
constexpr std::array<std::string_view, 2> kLoopMethods = {"cycle", "changed"};

Value view_of(Heap& heap, const Dict& dict, std::string_view name) {
    std::vector<Value> items;
    for (const Dict::Member& member : dict.all()) {
        if (name == "keys") items.push_back(member.key);
        if (name == "values") items.push_back(member.value);
        if (name == "items")
            items.push_back(value_of(
                make_list(heap, std::array{member.key, member.value}, List::Shape::tuple)));
    }
    return value_of(make_list(heap, items, List::Shape::view));
}

Value call_dict(Heap& heap, const Dict& dict, std::string_view name, const Arguments& arguments) {
    if (name == "get") {
        arguments.accept("get", {"key", "default"});
        const Value* found = dict.find(heap, arguments.require("get", 0, "key"));
        return found ? *found : arguments.get(1, "default", none_value());
    }
    arguments.accept(name, {});
    if (name != "copy") return view_of(heap, dict, name);
    Dict* const copy = make_dict(heap);
    for (const Dict::Member& member : dict.all()) copy->set(heap, member.key, member.value);
    return value_of(copy);
}

Value call_list(Heap& heap, const List& list, std::string_view name, const Arguments& arguments) {
    if (name == "copy") {
        arguments.accept("copy", {});
        return value_of(make_list(heap, list.all()));
    }
    arguments.accept(name, {"value"});
    const Value wanted = arguments.require(name, 0, "value");
    int64_t count = 0;
    for (uint32_t i = 0; i < list.size; ++i) {
        if (!equal(heap, list.items[i], wanted)) continue;
        if (name == "index") return value_of(int64_t{i});
        ++count;
    }
    if (name == "index") throw Fault{"the value of index is not in the list"};
    return value_of(count);
}

Value call_loop(Heap& heap, Loop& loop, std::string_view name, const Arguments& arguments) {
    if (name == "cycle") {
        if (arguments.values.empty()) throw Fault{"no items for cycling given"};
        return arguments.values[static_cast<size_t>(loop.index0) % arguments.values.size()];
    }
    const auto& now = arguments.values;
    const bool is_same =
        loop.seen && loop.num_seen == now.size() &&
        std::equal(now.begin(), now.end(), loop.seen,
                   [&](const Value& a, const Value& b) { return equal(heap, a, b); });
    if (is_same) return value_of(false);
    loop.num_seen = static_cast<uint32_t>(now.size());
    loop.seen = make_list(heap, now)->items;
    return value_of(true);
}

}  // namespace

MethodKind find_method(const Value& v, std::string_view name) {
    switch (v.kind) {
        case Kind::text:
            return find_text_method(name);
        case Kind::dict:
            if (has(kDictMethods, name)) return MethodKind::known;
            if (has(kDictChanges, name)) return MethodKind::forbidden;
            return name == "fromkeys" ? MethodKind::missing : MethodKind::none;
        case Kind::list:
            if (v.list->shape != List::Shape::list && v.list->shape != List::Shape::tuple)
                return MethodKind::none;
            if (v.list->shape == List::Shape::list && has(kListChanges, name))
                return MethodKind::forbidden;
            return has(kListMethods, name) ? MethodKind::known : MethodKind::none;
        case Kind::loop:
            return has(kLoopMethods, name) ? MethodKind::known : MethodKind::none;
        default:
            return MethodKind::none;
    }
}

Value call_method(Heap& heap, const Method& method, const Arguments& arguments) {
    switch (method.self.kind) {
        case Kind::text:
            return call_text_method(heap, *method.self.text, method.name, arguments);
        case Kind::dict:
            return call_dict(heap, *method.self.dict, method.name, arguments);
        case Kind::list:
            return call_list(heap, *method.self.list, method.name, arguments);
        default:
            return call_loop(heap, *method.self.loop, method.name, arguments);
    }
}

}  // namespace saker::jinja
