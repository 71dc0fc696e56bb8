// The functions that a template has without being given them (interpreter.h).
#include <array>

#include "jinja/interpreter.h"
#include "jinja/print.h"

namespace saker::jinja {
namespace {

constexpr int64_t kMaxRange = 100'000;  // as in the sandbox of transformers

constexpr std::pair<std::string_view, Function> kFunctions[] = {
    {"range", Function::range},
    {"dict", Function::dict},
    {"namespace", Function::name_space},
    {"raise_exception", Function::raise_exception},
    {"strftime_now", Function::strftime_now},
};

Value make_range(Heap& heap, const Arguments& arguments) {
    const auto& values = arguments.values;
    if (values.empty() || values.size() > 3 || !arguments.named.empty())
        throw Fault{"range takes 1 to 3 arguments"};
    for (const Value& v : values) {
        expect_defined(v);
        if (!v.is(Kind::integer) && !v.is(Kind::boolean))
            throw Fault{"'" + std::string(kind_name(v)) +
                        "' object cannot be interpreted as an integer"};
    }
    const int64_t begin = values.size() > 1 ? integer_of(values[0]) : 0;
    const int64_t end = integer_of(values[values.size() > 1 ? 1 : 0]);
    const int64_t step = values.size() > 2 ? integer_of(values[2]) : 1;
    if (step == 0) throw Fault{"range() arg 3 must not be zero"};
    std::vector<Value> items;
    for (int64_t at = begin; step > 0 ? at < end : at > end;) {
        if (static_cast<int64_t>(items.size()) == kMaxRange)
            throw Fault{"Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000)"};
        items.push_back(value_of(at));
        if (__builtin_add_overflow(at, step, &at)) break;
    }
    return value_of(make_list(heap, items, List::Shape::range));
}

// dict(mapping or pairs, name=value, …)
Dict* dict_of(Heap& heap, const Arguments& arguments, std::string_view name) {
    if (arguments.values.size() > 1)
        throw Fault{std::string(name) + " takes one argument and named ones"};
    Dict* const dict = make_dict(heap);
    if (!arguments.values.empty()) {
        const Value& from = arguments.values[0];
        if (from.is(Kind::dict)) {
            for (const Dict::Member& member : from.dict->all())
                dict->set(heap, member.key, member.value);
        } else {
            for (const Value& pair : items_of(heap, from)) {
                const auto both = items_of(heap, pair);
                if (both.size() != 2) throw Fault{std::string(name) + " needs pairs"};
                dict->set(heap, both[0], both[1]);
            }
        }
    }
    for (const auto& [key, value] : arguments.named)
        dict->set(heap, value_of(borrow_text(heap, key, Origin::author)), value);
    return dict;
}

Value format_time(Heap& heap, const Arguments& arguments, std::time_t now) {
    arguments.accept("strftime_now", {"format"});
    const std::string format(arguments.require_text("strftime_now", 0, "format").view());
    if (format.size() > 1000) throw Fault{"the format of strftime_now is too long"};
    std::tm local = {};
    localtime_r(&now, &local);
    // One character more tells an empty result from one that did not fit.
    std::array<char, 16'384> out;
    const size_t size = std::strftime(out.data(), out.size(), (format + "|").c_str(), &local);
    if (size == 0) throw Fault{"the format of strftime_now is too long"};
    return value_of(copy_text(heap, {out.data(), size - 1}, Origin::author));
}

}  // namespace

Value global_function(std::string_view name) {
    Value out;
    for (const auto& [known, function] : kFunctions) {
        if (known != name) continue;
        out.kind = Kind::function;
        out.function = function;
    }
    return out;
}

Value call_function(Heap& heap, Function function, const Arguments& arguments, std::time_t now) {
    switch (function) {
        case Function::range:
            return make_range(heap, arguments);
        case Function::dict:
            return value_of(dict_of(heap, arguments, "dict"));
        case Function::name_space: {
            Value out = value_of(dict_of(heap, arguments, "namespace"));
            out.kind = Kind::name_space;
            return out;
        }
        case Function::strftime_now:
            return format_time(heap, arguments, now);
        case Function::raise_exception:
            break;
    }
    arguments.accept("raise_exception", {"message"});
    const Text* message = print(heap, arguments.require("raise_exception", 0, "message"));
    throw Fault{std::string(message->view()), true};
}

}  // namespace saker::jinja
