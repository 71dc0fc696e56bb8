// Statements (interpreter.h).
#include "jinja/interpreter.h"

#include <algorithm>

#include "jinja/print.h"

namespace saker::jinja {

// Asks the condition of a `for … if` of an item, and leaves the names of the body as they were.
class Interpreter::LoopCondition final : public Condition {
  public:
    LoopCondition(Interpreter& interpreter, const Statement& s, Frame* frame)
        : i_(interpreter), s_(s), frame_(frame) {}

    bool holds(const Value& item) override {
        Frame* const frame = std::exchange(i_.frame_, frame_);
        std::vector<Value> saved;
        save(*s_.target, saved);
        i_.assign(*s_.target, item);
        i_.enter(s_.condition_scope);
        const bool found = i_.holds(*s_.condition);
        const Value* next = saved.data();
        restore(*s_.target, next);
        i_.frame_ = frame;
        return found;
    }

  private:
    void save(const Expression& target, std::vector<Value>& saved) {
        if (target.kind == Expression::Kind::name) saved.push_back(i_.at(target.place));
        for (const Expression* part : target.parts) save(*part, saved);
    }
    void restore(const Expression& target, const Value*& next) {
        if (target.kind == Expression::Kind::name) i_.at(target.place) = *next++;
        for (const Expression* part : target.parts) restore(*part, next);
    }

    Interpreter& i_;
    const Statement& s_;
    Frame* frame_;
};

OriginText Interpreter::run() {
    TextBuilder out(heap_);
    frame_ = make_frame(program_.num_places, nullptr);
    enter(program_.scope);
    run(program_.body, out);
    return out.take();
}

Frame* Interpreter::make_frame(int num_places, Frame* outer) {
    heap_.charge(static_cast<uint64_t>(num_places) / 4 + 1);
    Frame frame{heap_.array<Value>(static_cast<size_t>(num_places)), outer};
    std::fill_n(frame.places, num_places, Value());
    return heap_.make(frame);
}

Value& Interpreter::at(const Place& place) {
    Frame* frame = frame_;
    for (int i = 0; i < place.up; ++i) frame = frame->outer;
    return frame->places[place.index];
}

Value Interpreter::variable(std::string_view name) const {
    const Value* given = variables_.find(name);
    return given ? *given : global_function(name);
}

void Interpreter::enter(const Scope& scope) {
    heap_.charge(scope.loads.size());
    for (const NameLoad& load : scope.loads) {
        Value value;
        if (load.from == NameLoad::From::outer) value = at(load.outer);
        if (load.from == NameLoad::From::variables) value = variable(load.name);
        frame_->places[load.index] = value;
    }
}

Interpreter::Flow Interpreter::run(const std::vector<Statement*>& body, TextBuilder& out) {
    for (const Statement* s : body)
        if (const Flow flow = run(*s, out); flow != Flow::on) return flow;
    return Flow::on;
}

Interpreter::Flow Interpreter::run(const Statement& s, TextBuilder& out) {
    const Deeper deeper(*this);
    line_ = s.line;
    using Tag = Statement::Kind;
    switch (s.kind) {
        case Tag::text:
            out.append(*s.constant.text);
            return Flow::on;
        case Tag::print:
            print_to(heap_, evaluate(*s.value), out);
            return Flow::on;
        case Tag::branch:
            return run_branch(s, out);
        case Tag::loop:
            return run_loop(s, out);
        case Tag::assign:
            assign(*s.target, evaluate(*s.value));
            return Flow::on;
        case Tag::capture:
        case Tag::filter_block:
            run_captured(s, out);
            return Flow::on;
        case Tag::macro: {
            Value macro;
            macro.kind = Kind::macro;
            macro.macro = heap_.make(Macro{&s, frame_});
            at(s.place) = macro;
            return Flow::on;
        }
        case Tag::with:
            return run_with(s, out);
        case Tag::generation:
            run_generation(s, out);
            return Flow::on;
        case Tag::leave:
            return Flow::leave;
        case Tag::again:
            return Flow::again;
    }
    return Flow::on;
}

Interpreter::Flow Interpreter::run_branch(const Statement& s, TextBuilder& out) {
    for (const auto& [condition, body] : s.branches)
        if (holds(*condition)) return run(body, out);
    return run(s.otherwise, out);
}

Interpreter::Flow Interpreter::run_loop(const Statement& s, TextBuilder& out) {
    const Value over = evaluate(*s.value);
    line_ = s.line;
    LoopCondition condition(*this, s, frame_);
    Loop* const loop = heap_.make(Loop());
    loop->items = items_of(heap_, over);
    loop->condition = s.condition ? &condition : nullptr;
    Value itself;
    itself.kind = Kind::loop;
    itself.loop = loop;
    bool has_run = false;
    Flow flow = Flow::on;
    while (loop->advance(heap_)) {
        has_run = true;
        heap_.charge();
        enter(s.scope);
        frame_->places[s.loop_index] = itself;
        assign(*s.target, loop->current);
        flow = run(s.body, out);
        if (flow == Flow::leave) break;
    }
    // Whoever kept the loop finds it at its end.
    if (loop->condition) loop->cursor = loop->items.size();
    loop->condition = nullptr;
    if (has_run) return Flow::on;
    enter(s.otherwise_scope);
    return run(s.otherwise, out);
}

Interpreter::Flow Interpreter::run_with(const Statement& s, TextBuilder& out) {
    std::vector<Value> values;
    for (const Expression* value : s.values) values.push_back(evaluate(*value));
    enter(s.scope);
    for (size_t i = 0; i < values.size(); ++i) assign(*s.targets[i], values[i]);
    return run(s.body, out);
}

void Interpreter::run_generation(const Statement& s, TextBuilder& out) {
    Frame* const frame = frame_;
    frame_ = make_frame(s.num_places, frame);
    enter(s.scope);
    run(s.body, out);
    frame_ = frame;
}

// {% set x %}…{% endset %} and {% filter f %}…{% endfilter %}.
void Interpreter::run_captured(const Statement& s, TextBuilder& out) {
    TextBuilder captured(heap_);
    enter(s.scope);
    run(s.body, captured);
    const Value text = filtered(s.value, value_of(captured.finish()));
    line_ = s.line;
    if (s.kind == Statement::Kind::capture)
        assign(*s.target, text);
    else
        print_to(heap_, text, out);
}

void Interpreter::assign(const Expression& target, const Value& value) {
    if (target.kind == Expression::Kind::name) {
        at(target.place) = value;
        return;
    }
    if (target.kind == Expression::Kind::name_space_attribute) {
        const Value& owner = at(target.place);
        if (!owner.is(Kind::name_space))
            throw Fault{"cannot assign attribute on non-namespace object"};
        const Value key = value_of(borrow_text(heap_, target.word, Origin::author));
        owner.dict->set(heap_, key, value);
        return;
    }
    const auto items = items_of(heap_, value);
    if (items.size() != target.parts.size())
        throw Fault{(items.size() < target.parts.size() ? "not enough values to unpack (expected "
                                                        : "too many values to unpack (expected ") +
                    std::to_string(target.parts.size()) + ")"};
    for (size_t i = 0; i < items.size(); ++i) assign(*target.parts[i], items[i]);
}

}  // namespace saker::jinja
