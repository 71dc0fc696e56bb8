// Looking into a value: attributes, items, slices and lengths (operators.h).
//
// `v.name` asks Python's attributes first and the members of a dict second; `v["name"]` the other
// way round. So `schema.items` is the method, and `schema["items"]` the member.
#include <algorithm>
#include <optional>

#include "jinja/chars.h"
#include "jinja/loop.h"
#include "jinja/methods.h"
#include "jinja/operators.h"

namespace saker::jinja {
namespace {

Value missing(Heap& heap, const Value& v, std::string_view name) {
    return undefined_value(heap, "'" + std::string(kind_name(v)) + " object' has no attribute '" +
                                     std::string(name) + "'");
}

// What Python's attributes give; nothing where it has none of that name.
std::optional<Value> python_attribute(Heap& heap, const Value& v, std::string_view name) {
    if (v.is(Kind::loop))
        if (auto found = v.loop->attribute(heap, name)) return found;
    if (v.is(Kind::name_space)) {
        const Value* found = v.dict->find(name);
        if (found) return *found;
        return std::nullopt;
    }
    switch (find_method(v, name)) {
        case MethodKind::none:
            return std::nullopt;
        case MethodKind::forbidden:
            return undefined_value(heap, "access to attribute '" + std::string(name) + "' of '" +
                                             std::string(kind_name(v)) + "' object is unsafe");
        case MethodKind::missing:
            throw Fault{"the method '" + std::string(name) + "' of '" + std::string(kind_name(v)) +
                        "' objects is not supported"};
        case MethodKind::known:
            break;
    }
    Method method;
    method.self = v;
    method.name = name;
    Value out;
    out.kind = Kind::method;
    out.method = heap.make(method);
    return out;
}

std::optional<Value> item_by_number(Heap& heap, const Value& v, int64_t index) {
    if (v.is(Kind::list)) {
        if (v.list->shape == List::Shape::view || v.list->shape == List::Shape::generator)
            return std::nullopt;
        if (index < 0) index += v.list->size;
        if (index < 0 || index >= v.list->size) return std::nullopt;
        return v.list->items[index];
    }
    if (!v.is_text()) return std::nullopt;
    const std::string_view view = v.view();
    heap.charge_bytes(view.size());
    const auto count = static_cast<int64_t>(count_characters(view));
    if (index < 0) index += count;
    if (index < 0 || index >= count) return std::nullopt;
    const size_t at = size_of_characters(view, static_cast<size_t>(index));
    return value_of(slice_text(heap, *v.text, at, at + character_size(view, at)));
}

// Begin, end and step as Python's slice.indices gives them for a sequence of `size`.
struct Bounds {
    int64_t begin, end, step;
};

std::optional<Bounds> bounds_of(int64_t size, const Value& begin, const Value& end,
                                const Value& step) {
    const auto is_index = [](const Value& v) {
        return v.is(Kind::none) || (is_number(v) && !v.is(Kind::real));
    };
    if (!is_index(begin) || !is_index(end) || !is_index(step)) return std::nullopt;
    Bounds out{};
    out.step = step.is(Kind::none) ? 1 : integer_of(step);
    if (out.step == 0) throw Fault{"slice step cannot be zero"};
    const bool back = out.step < 0;
    const int64_t lowest = back ? -1 : 0, highest = back ? size - 1 : size;
    const auto place = [&](const Value& v, int64_t otherwise) {
        if (v.is(Kind::none)) return otherwise;
        int64_t at = integer_of(v);
        if (at < 0) at = at < -size ? lowest : at + size;
        return std::clamp(at, lowest, highest);
    };
    out.begin = place(begin, back ? highest : lowest);
    out.end = place(end, back ? lowest : highest);
    return out;
}

int64_t count_of(const Bounds& b) {
    const int64_t span = b.step > 0 ? b.end - b.begin : b.begin - b.end;
    if (span <= 0) return 0;
    const uint64_t step =
        b.step > 0 ? static_cast<uint64_t>(b.step) : uint64_t{0} - static_cast<uint64_t>(b.step);
    return static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / step) + 1;
}

const Text* slice_characters(Heap& heap, const Text& text, const Bounds& b) {
    const std::string_view view = text.view();
    if (b.step == 1) {
        if (b.begin >= b.end) return slice_text(heap, text, 0, 0);
        const size_t at = size_of_characters(view, static_cast<size_t>(b.begin));
        const size_t size =
            size_of_characters(view.substr(at), static_cast<size_t>(b.end - b.begin));
        return slice_text(heap, text, at, at + size);
    }
    heap.hold(view.size() * sizeof(uint32_t));
    std::vector<uint32_t> starts;
    for (size_t at = 0; at < view.size(); at += character_size(view, at))
        starts.push_back(static_cast<uint32_t>(at));
    TextBuilder builder(heap);
    const int64_t count = count_of(b);
    for (int64_t i = 0; i < count; ++i) {
        const size_t at = starts[static_cast<size_t>(b.begin + i * b.step)];
        builder.append(text, at, at + character_size(view, at));
    }
    heap.release(view.size() * sizeof(uint32_t));
    return builder.finish();
}

}  // namespace

Value attribute_of(Heap& heap, const Value& v, std::string_view name) {
    expect_defined(v);
    if (auto found = python_attribute(heap, v, name)) return *found;
    if (v.is(Kind::dict))
        if (const Value* found = v.dict->find(name)) return *found;
    return missing(heap, v, name);
}

Value item_of(Heap& heap, const Value& v, const Value& index) {
    expect_defined(v);
    if (v.is(Kind::dict)) {
        const bool can_be_key = !index.is(Kind::dict) &&
                                (!index.is(Kind::list) || index.list->shape == List::Shape::tuple);
        if (const Value* found = can_be_key ? v.dict->find(heap, index) : nullptr) return *found;
    } else if (is_number(index) && !index.is(Kind::real)) {
        if (auto found = item_by_number(heap, v, integer_of(index))) return *found;
    }
    if (!index.is_text()) return undefined_value(heap, "there is no item of that number or key");
    if (auto found = python_attribute(heap, v, index.view())) return *found;
    // A message repeats nothing that a client wrote.
    const bool is_ours = index.text->num_runs == 0 && index.text->origin == Origin::author;
    return missing(heap, v, is_ours ? index.view() : "…");
}

Value slice_of(Heap& heap, const Value& v, const Value& begin, const Value& end,
               const Value& step) {
    expect_defined(v);
    const bool is_view = v.is(Kind::list) && (v.list->shape == List::Shape::view ||
                                              v.list->shape == List::Shape::generator);
    if ((!v.is(Kind::list) || is_view) && !v.is_text())
        return undefined_value(heap, "'" + std::string(kind_name(v)) + "' object has no slices");
    if (v.is_text()) heap.charge_bytes(v.text->size);
    const auto size =
        v.is_text() ? static_cast<int64_t>(count_characters(v.view())) : int64_t{v.list->size};
    const auto bounds = bounds_of(size, begin, end, step);
    if (!bounds) return undefined_value(heap, "a slice is not of integers");
    if (v.is_text()) return value_of(slice_characters(heap, *v.text, *bounds));
    const int64_t count = count_of(*bounds);
    heap.charge(static_cast<uint64_t>(count) / 4 + 1);
    List list;
    list.shape = v.list->shape == List::Shape::tuple ? List::Shape::tuple : List::Shape::list;
    list.size = static_cast<uint32_t>(count);
    list.items = heap.array<Value>(list.size);
    for (int64_t i = 0; i < count; ++i)
        list.items[i] = v.list->items[bounds->begin + i * bounds->step];
    return value_of(heap.make(list));
}

int64_t length_of(Heap& heap, const Value& v) {
    switch (v.kind) {
        case Kind::undefined:
            return 0;
        case Kind::text:
            heap.charge_bytes(v.text->size);
            return static_cast<int64_t>(count_characters(v.view()));
        case Kind::list:
            if (v.list->shape == List::Shape::generator) break;
            return v.list->size;
        case Kind::dict:
            return v.dict->size;
        case Kind::loop:
            return v.loop->length(heap);
        default:
            break;
    }
    throw Fault{"object of type '" + std::string(kind_name(v)) + "' has no len()"};
}

}  // namespace saker::jinja
