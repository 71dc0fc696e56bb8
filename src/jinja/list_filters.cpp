// Filters of many values: what selects, maps, sorts and joins lists (filters.h).
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "jinja/filters.h"
#include "jinja/methods.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace saker::jinja {
namespace {

using Shape = List::Shape;

Value generator_of(Heap& heap, const std::vector<Value>& items) {
    return value_of(make_list(heap, items, Shape::generator));
}

std::vector<Value> copy_items(const FilterCall& c) {
    const auto items = items_of(c.heap, c.subject);
    c.heap.charge(items.size() / 4 + 1);
    return {items.begin(), items.end()};
}

// Looks up "a.b.0" in an item, as map(attribute=…) does.
class Getter {
  public:
    Getter(Heap& heap, const Value& path, const Value* otherwise)
        : heap_(heap), otherwise_(otherwise) {
        if (!path.is_text()) {
            steps_.push_back(path);
            return;
        }
        std::string_view left = path.view();
        for (bool more = true; more;) {
            const size_t dot = left.find('.');
            const std::string_view step = left.substr(0, dot);
            more = dot != std::string_view::npos;
            if (more) left.remove_prefix(dot + 1);
            int64_t number = 0;
            const auto read = std::from_chars(step.data(), step.data() + step.size(), number);
            const bool is_number = !step.empty() && step[0] != '-' && read.ec == std::errc() &&
                                   read.ptr == step.data() + step.size();
            steps_.push_back(is_number ? value_of(number)
                                       : value_of(copy_text(heap, step, Origin::author)));
        }
    }

    Value operator()(Value item) const {
        for (const Value& step : steps_) {
            item = item_of(heap_, item, step);
            if (item.is(Kind::undefined) && otherwise_ && !otherwise_->is(Kind::none))
                item = *otherwise_;
        }
        return item;
    }

  private:
    Heap& heap_;
    const Value* otherwise_;
    std::vector<Value> steps_;
};

// What sort, unique, min and max compare: an attribute or the item, in small letters.
std::function<Value(const Value&)> key_of(const FilterCall& c, size_t case_place,
                                          size_t attribute_place) {
    const bool is_exact = c.arguments.get_bool(case_place, "case_sensitive", false);
    const Value path = c.arguments.get(attribute_place, "attribute", none_value());
    return [&c, is_exact, path](const Value& item) {
        const Value key = path.is(Kind::none) ? item : Getter(c.heap, path, nullptr)(item);
        return is_exact ? key : ignore_case(c.heap, key);
    };
}

// --- ends and lengths ---

Value length(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    return value_of(length_of(c.heap, c.subject));
}

Value list(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    return value_of(make_list(c.heap, items_of(c.heap, c.subject)));
}

Value first(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    if (c.subject.is_text() && c.subject.text->size > 0)
        return item_of(c.heap, c.subject, value_of(int64_t{0}));
    const auto items = items_of(c.heap, c.subject);
    return items.empty() ? undefined_value(c.heap, "No first item, sequence was empty.")
                         : items.front();
}

Value last(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    if (c.subject.is_text() && c.subject.text->size > 0)
        return item_of(c.heap, c.subject, value_of(int64_t{-1}));
    if (c.subject.is(Kind::list) && c.subject.list->shape == Shape::generator)
        throw Fault{"'generator' object is not reversible"};
    const auto items = items_of(c.heap, c.subject);
    return items.empty() ? undefined_value(c.heap, "No last item, sequence was empty.")
                         : items.back();
}

Value reverse(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    if (c.subject.is_text())
        return slice_of(c.heap, c.subject, none_value(), none_value(), value_of(int64_t{-1}));
    std::vector<Value> items = copy_items(c);
    std::reverse(items.begin(), items.end());
    return generator_of(c.heap, items);
}

// --- dicts ---

std::vector<Value> pairs_of(Heap& heap, const Dict& dict) {
    std::vector<Value> pairs;
    for (const Dict::Member& member : dict.all())
        pairs.push_back(
            value_of(make_list(heap, std::array{member.key, member.value}, Shape::tuple)));
    return pairs;
}

Value items(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    if (c.subject.is(Kind::undefined)) return generator_of(c.heap, {});
    if (!c.subject.is(Kind::dict)) throw Fault{"Can only get item pairs from a mapping"};
    return generator_of(c.heap, pairs_of(c.heap, *c.subject.dict));
}

Value dictsort(const FilterCall& c) {
    c.arguments.accept(c.name, {"case_sensitive", "by", "reverse"});
    expect_defined(c.subject);
    if (!c.subject.is(Kind::dict)) throw Fault{"dictsort needs a dict"};
    const bool is_exact = c.arguments.get_bool(0, "case_sensitive", false);
    const Value by = c.arguments.get(1, "by", none_value());
    const std::string_view wanted = by.is_text() ? by.view() : "key";
    if (wanted != "key" && wanted != "value")
        throw Fault{"You can only sort by either \"key\" or \"value\""};
    const bool backwards = c.arguments.get_bool(2, "reverse", false);
    const auto key = [&](const Value& pair) {
        const Value& v = pair.list->items[wanted == "value"];
        return is_exact ? v : ignore_case(c.heap, v);
    };
    std::vector<Value> pairs = pairs_of(c.heap, *c.subject.dict);
    std::stable_sort(pairs.begin(), pairs.end(), [&](const Value& a, const Value& b) {
        return order(c.heap, key(backwards ? b : a), key(backwards ? a : b)) < 0;
    });
    return value_of(make_list(c.heap, pairs));
}

// --- order ---

Value sort(const FilterCall& c) {
    c.arguments.accept(c.name, {"reverse", "case_sensitive", "attribute"});
    const bool backwards = c.arguments.get_bool(0, "reverse", false);
    const auto key = key_of(c, 1, 2);
    std::vector<Value> found = copy_items(c);
    std::stable_sort(found.begin(), found.end(), [&](const Value& a, const Value& b) {
        return order(c.heap, key(backwards ? b : a), key(backwards ? a : b)) < 0;
    });
    return value_of(make_list(c.heap, found));
}

Value unique(const FilterCall& c) {
    c.arguments.accept(c.name, {"case_sensitive", "attribute"});
    const auto key = key_of(c, 0, 1);
    Dict* const seen = make_dict(c.heap);
    std::vector<Value> kept;
    for (const Value& item : items_of(c.heap, c.subject)) {
        const Value here = key(item);
        if (seen->find(c.heap, here)) continue;
        seen->set(c.heap, here, none_value());
        kept.push_back(item);
    }
    return generator_of(c.heap, kept);
}

Value extreme(const FilterCall& c) {
    c.arguments.accept(c.name, {"case_sensitive", "attribute"});
    const auto key = key_of(c, 0, 1);
    const auto all = items_of(c.heap, c.subject);
    if (all.empty()) return undefined_value(c.heap, "No aggregated item, sequence was empty.");
    const Value* best = &all[0];
    for (const Value& item : all.subspan(1)) {
        const int found = order(c.heap, key(item), key(*best));
        if (c.name == "min" ? found < 0 : found > 0) best = &item;
    }
    return *best;
}

// --- each item ---

Value join(const FilterCall& c) {
    c.arguments.accept(c.name, {"d", "attribute"});
    const Value separator =
        c.arguments.get(0, "d", value_of(copy_text(c.heap, "", Origin::author)));
    const Text* between = print(c.heap, separator);
    const Value path = c.arguments.get(1, "attribute", none_value());
    TextBuilder out(c.heap);
    bool is_first = true;
    for (const Value& item : items_of(c.heap, c.subject)) {
        c.heap.charge();
        if (!is_first) out.append(*between);
        is_first = false;
        print_to(c.heap, path.is(Kind::none) ? item : Getter(c.heap, path, nullptr)(item), out);
    }
    return value_of(out.finish());
}

Value sum(const FilterCall& c) {
    c.arguments.accept(c.name, {"attribute", "start"});
    const Value path = c.arguments.get(0, "attribute", none_value());
    Value total = c.arguments.get(1, "start", value_of(int64_t{0}));
    for (const Value& item : items_of(c.heap, c.subject))
        total = compute(c.heap, Operator::add, total,
                        path.is(Kind::none) ? item : Getter(c.heap, path, nullptr)(item));
    return total;
}

// The arguments behind the first `skipped`, for a filter or test that is named in them.
Arguments rest_of(const Arguments& all, size_t skipped) {
    Arguments rest = all;
    rest.values.erase(rest.values.begin(),
                      rest.values.begin() + static_cast<std::ptrdiff_t>(skipped));
    return rest;
}

std::string_view name_in(const FilterCall& c, size_t place) {
    return c.arguments.require_text(c.name, place, "name").view();
}

Value map(const FilterCall& c) {
    if (c.subject.is(Kind::none)) return generator_of(c.heap, {});
    std::vector<Value> out;
    if (c.arguments.values.empty()) {
        c.arguments.accept(c.name, {"attribute", "default"});
        const Value path = c.arguments.require(c.name, 0, "attribute");
        const Value otherwise = c.arguments.get(1, "default", none_value());
        const Getter get(c.heap, path, &otherwise);
        for (const Value& item : items_of(c.heap, c.subject)) out.push_back(get(item));
        return generator_of(c.heap, out);
    }
    const FilterRow* filter = find_filter(name_in(c, 0));
    if (!filter) throw Fault{"the filter '" + std::string(name_in(c, 0)) + "' is not supported"};
    const Arguments rest = rest_of(c.arguments, 1);
    for (const Value& item : items_of(c.heap, c.subject)) {
        c.heap.charge();
        out.push_back(filter->apply({c.heap, item, rest, filter->name}));
    }
    return generator_of(c.heap, out);
}

// select, reject, selectattr, rejectattr.
Value select(const FilterCall& c) {
    const bool wanted = c.name.starts_with("select");
    const bool has_attribute = c.name.ends_with("attr");
    if (c.subject.is(Kind::none)) return generator_of(c.heap, {});
    const Value path = has_attribute ? c.arguments.require(c.name, 0, "attribute") : none_value();
    const size_t place = has_attribute ? 1 : 0;
    const TestRow* test = nullptr;
    if (c.arguments.values.size() > place) {
        test = find_test(name_in(c, place));
        if (!test)
            throw Fault{"the test '" + std::string(name_in(c, place)) + "' is not supported"};
    }
    const Arguments rest = rest_of(c.arguments, std::min(place + 1, c.arguments.values.size()));
    const Getter get(c.heap, path, nullptr);
    std::vector<Value> out;
    for (const Value& item : items_of(c.heap, c.subject)) {
        c.heap.charge();
        const Value asked = has_attribute ? get(item) : item;
        const bool holds = test ? test->holds({c.heap, asked, rest, test->name}) : is_true(asked);
        if (holds == wanted) out.push_back(item);
    }
    return generator_of(c.heap, out);
}

constexpr FilterRow kRows[] = {
    {"count", length},      {"dictsort", dictsort}, {"first", first},   {"items", items},
    {"join", join},         {"last", last},         {"length", length}, {"list", list},
    {"map", map},           {"max", extreme},       {"min", extreme},   {"reject", select},
    {"rejectattr", select}, {"reverse", reverse},   {"select", select}, {"selectattr", select},
    {"sort", sort},         {"sum", sum},           {"unique", unique},
};

}  // namespace

std::span<const FilterRow> list_filters() {
    return kRows;
}

}  // namespace saker::jinja
