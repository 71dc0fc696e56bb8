// See loop.h.
#include "jinja/loop.h"

namespace saker::jinja {

bool Loop::fetch(Heap& heap, Value& out) {
    while (cursor < items.size()) {
        heap.charge();
        const Value& item = items[cursor++];
        if (condition && !condition->holds(item)) continue;
        out = item;
        return true;
    }
    return false;
}

bool Loop::advance(Heap& heap) {
    Value item;
    if (has_next) {
        item = next;
        has_next = false;
    } else if (!fetch(heap, item)) {
        return false;
    }
    has_previous = index0 >= 0;
    previous = current;
    current = item;
    ++index0;
    return true;
}

bool Loop::peek(Heap& heap) {
    if (!has_next) has_next = fetch(heap, next);
    return has_next;
}

int64_t Loop::length(Heap& heap) {
    if (condition) {  // what is left is fetched now
        std::vector<Value> rest;
        for (Value item; fetch(heap, item);) rest.push_back(item);
        items = make_list(heap, rest)->all();
        cursor = 0;
        condition = nullptr;
    }
    return index0 + 1 + has_next + static_cast<int64_t>(items.size() - cursor);
}

std::optional<Value> Loop::attribute(Heap& heap, std::string_view name) {
    if (name == "index") return value_of(index0 + 1);
    if (name == "index0") return value_of(index0);
    if (name == "first") return value_of(index0 == 0);
    if (name == "last") return value_of(!peek(heap));
    if (name == "length") return value_of(length(heap));
    if (name == "revindex") return value_of(length(heap) - index0);
    if (name == "revindex0") return value_of(length(heap) - index0 - 1);
    if (name == "depth") return value_of(int64_t{1});  // of recursive loops alone it is more
    if (name == "depth0") return value_of(int64_t{0});
    if (name == "previtem")
        return has_previous ? previous : undefined_value(heap, "there is no previous item");
    if (name == "nextitem")
        return peek(heap) ? next : undefined_value(heap, "there is no next item");
    return std::nullopt;
}

}  // namespace saker::jinja
