// Expressions, calls and macros (interpreter.h).
#include <algorithm>

#include "jinja/interpreter.h"
#include "jinja/methods.h"
#include "jinja/print.h"

namespace saker::jinja {

Value Interpreter::evaluate(const Expression& e) {
    const Deeper deeper(*this);
    using Node = Expression::Kind;
    switch (e.kind) {
        case Node::constant:
            return e.constant;
        case Node::name:
        case Node::name_space_attribute:
            return evaluate_name(e);
        case Node::list:
        case Node::tuple:
            return evaluate_list(e);
        case Node::dict:
            return evaluate_dict(e);
        case Node::attribute: {
            const Value owner = evaluate(*e.parts[0]);
            line_ = e.line;
            return attribute_of(heap_, owner, e.word);
        }
        case Node::item: {
            const Value owner = evaluate(*e.parts[0]);
            const Value index = evaluate(*e.parts[1]);
            line_ = e.line;
            return item_of(heap_, owner, index);
        }
        case Node::slice:
            return evaluate_slice(e);
        case Node::call:
            return evaluate_call(e);
        case Node::filter:
            return evaluate_filter(e);
        case Node::negative: {
            const Value v = evaluate(*e.parts[0]);
            line_ = e.line;
            return negate(v);
        }
        case Node::positive: {
            const Value v = evaluate(*e.parts[0]);
            line_ = e.line;
            return v.is(Kind::boolean) ? value_of(integer_of(v)) : (negate(v), v);
        }
        case Node::test:
        case Node::logical_not:
            return value_of(holds(e));
        case Node::logical_and: {
            const Value left = evaluate(*e.parts[0]);
            return is_true(left) ? evaluate(*e.parts[1]) : left;
        }
        case Node::logical_or: {
            const Value left = evaluate(*e.parts[0]);
            return is_true(left) ? left : evaluate(*e.parts[1]);
        }
        case Node::compare:
            return evaluate_compare(e);
        case Node::binary: {
            const Value left = evaluate(*e.parts[0]);
            const Value right = evaluate(*e.parts[1]);
            line_ = e.line;
            return compute(heap_, e.operators[0], left, right);
        }
        case Node::concat:
            return evaluate_concat(e);
        case Node::conditional:
            return evaluate_conditional(e);
    }
    return Value();
}

bool Interpreter::holds(const Expression& e) {
    if (e.kind == Expression::Kind::logical_not) return !is_true(evaluate(*e.parts[0]));
    if (e.kind != Expression::Kind::test) return is_true(evaluate(e));
    const Value subject = evaluate(*e.parts[0]);
    const Arguments arguments = arguments_of(e);
    line_ = e.line;
    return e.test->holds({heap_, subject, arguments, e.test->name});
}

Value Interpreter::evaluate_name(const Expression& e) {
    const Value& found = at(e.place);
    const bool is_missing = found.is(Kind::undefined) && !found.text;
    return is_missing ? e.constant : found;
}

Value Interpreter::evaluate_list(const Expression& e) {
    std::vector<Value> items;
    for (const Expression* part : e.parts) items.push_back(evaluate(*part));
    const bool is_tuple = e.kind == Expression::Kind::tuple;
    return value_of(make_list(heap_, items, is_tuple ? List::Shape::tuple : List::Shape::list));
}

Value Interpreter::evaluate_dict(const Expression& e) {
    Dict* const dict = make_dict(heap_);
    for (size_t i = 0; i < e.parts.size(); i += 2) {
        const Value key = evaluate(*e.parts[i]);
        const Value value = evaluate(*e.parts[i + 1]);
        line_ = e.line;
        dict->set(heap_, key, value);
    }
    return value_of(dict);
}

Value Interpreter::evaluate_slice(const Expression& e) {
    const Value owner = evaluate(*e.parts[0]);
    const auto bound = [&](size_t i) { return e.parts[i] ? evaluate(*e.parts[i]) : none_value(); };
    const Value begin = bound(1), end = bound(2), step = bound(3);
    line_ = e.line;
    return slice_of(heap_, owner, begin, end, step);
}

Value Interpreter::evaluate_compare(const Expression& e) {
    Value left = evaluate(*e.parts[0]);
    for (size_t i = 0; i < e.operators.size(); ++i) {
        const Value right = evaluate(*e.parts[i + 1]);
        line_ = e.line;
        if (!compare(heap_, e.operators[i], left, right)) return value_of(false);
        left = right;
    }
    return value_of(true);
}

Value Interpreter::evaluate_concat(const Expression& e) {
    const Text* all = print(heap_, evaluate(*e.parts[0]));
    for (size_t i = 1; i < e.parts.size(); ++i) {
        const Text* next = print(heap_, evaluate(*e.parts[i]));
        all = join_texts(heap_, *all, *next);
    }
    return value_of(all);
}

Value Interpreter::evaluate_conditional(const Expression& e) {
    if (holds(*e.parts[1])) return evaluate(*e.parts[0]);
    if (e.parts[2]) return evaluate(*e.parts[2]);
    return undefined_value(heap_,
                           "the inline if-expression evaluated to false and no else section "
                           "was defined");
}

Arguments Interpreter::arguments_of(const Expression& e) {
    Arguments arguments;
    for (size_t i = 1; i < e.parts.size(); ++i) arguments.values.push_back(evaluate(*e.parts[i]));
    for (const auto& [name, value] : e.named) arguments.named.emplace_back(name, evaluate(*value));
    if (e.more) {
        const Value more = evaluate(*e.more);
        const auto items = items_of(heap_, more);
        heap_.charge(items.size());
        arguments.values.insert(arguments.values.end(), items.begin(), items.end());
    }
    if (e.more_named) {
        const Value more = evaluate(*e.more_named);
        if (!more.is(Kind::dict)) throw Fault{"argument after ** must be a mapping"};
        heap_.charge(more.dict->size);
        for (const Dict::Member& member : more.dict->all()) {
            if (!member.key.is_text()) throw Fault{"keywords must be strings"};
            arguments.named.emplace_back(member.key.view(), member.value);
        }
    }
    return arguments;
}

Value Interpreter::evaluate_filter(const Expression& e) {
    const Value subject = evaluate(*e.parts[0]);
    const Arguments arguments = arguments_of(e);
    line_ = e.line;
    return e.filter->apply({heap_, subject, arguments, e.filter->name});
}

// A chain of filters whose innermost one has no subject of its own.
Value Interpreter::filtered(const Expression* filter, Value subject) {
    if (!filter) return subject;
    const Deeper deeper(*this);
    const Value inner = filtered(filter->parts[0], subject);
    const Arguments arguments = arguments_of(*filter);
    line_ = filter->line;
    return filter->filter->apply({heap_, inner, arguments, filter->filter->name});
}

Value Interpreter::evaluate_call(const Expression& e) {
    const Value callee = evaluate(*e.parts[0]);
    const Arguments arguments = arguments_of(e);
    line_ = e.line;
    return call(callee, arguments);
}

Value Interpreter::call(const Value& callee, const Arguments& arguments) {
    switch (callee.kind) {
        case Kind::macro:
            return call_macro(*callee.macro, arguments);
        case Kind::function:
            return call_function(heap_, callee.function, arguments, now_);
        case Kind::method:
            return call_method(heap_, *callee.method, arguments);
        default:
            expect_defined(callee);
            throw Fault{"'" + std::string(kind_name(callee)) + "' object is not callable"};
    }
}

Value Interpreter::call_macro(const Macro& macro, const Arguments& arguments) {
    const Statement& s = *macro.statement;
    const std::string who = "macro '" + std::string(s.name) + "'";
    const auto& parameters = s.targets;
    Frame* const caller = frame_;
    frame_ = make_frame(s.num_places, macro.frame);
    enter(s.scope);

    size_t used_named = 0;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const Expression& parameter = *parameters[i];
        const size_t default_at = i + s.values.size() - parameters.size();  // wraps where none
        const Value* given = i < arguments.values.size() ? &arguments.values[i] : nullptr;
        for (const auto& [name, value] : arguments.named)
            if (!given && name == parameter.name) {
                given = &value;
                ++used_named;
            }
        if (given)
            at(parameter.place) = *given;
        else if (default_at < s.values.size())
            at(parameter.place) = evaluate(*s.values[default_at]);
        else
            at(parameter.place) = undefined_value(
                heap_, "parameter '" + std::string(parameter.name) + "' was not provided");
    }
    line_ = s.line;
    const size_t placed = std::min(arguments.values.size(), parameters.size());
    frame_->places[s.more_index] =
        value_of(make_list(heap_, std::span(arguments.values).subspan(placed), List::Shape::tuple));
    Dict* const more_named = make_dict(heap_);
    if (used_named < arguments.named.size())
        for (const auto& [name, value] : arguments.named) {
            const auto is_it = [&, n = name](const Expression* p) { return p->name == n; };
            const auto from = parameters.begin() + static_cast<std::ptrdiff_t>(placed);
            if (std::none_of(from, parameters.end(), is_it))
                more_named->set(heap_, value_of(borrow_text(heap_, name, Origin::author)), value);
        }
    frame_->places[s.more_named_index] = value_of(more_named);
    if (!s.takes_more && placed < arguments.values.size())
        throw Fault{who + " takes not more than " + std::to_string(parameters.size()) +
                    " argument(s)"};
    if (!s.takes_more_named && more_named->size > 0)
        throw Fault{who + " takes no keyword argument " +
                    std::string(more_named->members[0].key.view())};

    TextBuilder out(heap_);
    run(s.body, out);
    frame_ = caller;
    return value_of(out.finish());
}

}  // namespace saker::jinja
