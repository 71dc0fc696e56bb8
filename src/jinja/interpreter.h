// Interpreter: runs a Program once, with the variables of one rendering.
//
// Used by JinjaTemplate alone, which makes one for each rendering. Faults are thrown with the line
// of the expression at hand.
#pragma once

#include <ctime>

#include "jinja/loop.h"
#include "jinja/tree.h"

namespace saker::jinja {

/// The values of one activation, of the template or of a macro's call.
struct Frame {
    Value* places;
    Frame* outer;  // where the macro was written
};

struct Macro {
    const Statement* statement;
    Frame* frame;  // where it was written
};

class Interpreter {
  public:
    /// `variables` holds what the caller gives; `now` is the time for strftime_now.
    Interpreter(const Program& program, Heap& heap, const Dict& variables, std::time_t now)
        : program_(program), heap_(heap), variables_(variables), now_(now) {}

    OriginText run();

    /// Where the interpreter stands.
    int line() const { return line_; }

  private:
    enum class Flow { on, leave, again };
    class Deeper;
    class LoopCondition;

    // Statements (interpreter.cpp).
    Flow run(const std::vector<Statement*>& body, TextBuilder& out);
    Flow run(const Statement& s, TextBuilder& out);
    Flow run_branch(const Statement& s, TextBuilder& out);
    Flow run_loop(const Statement& s, TextBuilder& out);
    Flow run_with(const Statement& s, TextBuilder& out);
    void run_generation(const Statement& s, TextBuilder& out);
    void run_captured(const Statement& s, TextBuilder& out);
    void assign(const Expression& target, const Value& value);
    void enter(const Scope& scope);
    Value variable(std::string_view name) const;
    Frame* make_frame(int num_places, Frame* outer);
    Value& at(const Place& place);

    // Expressions (expressions.cpp).
    Value evaluate(const Expression& e);
    Value evaluate_name(const Expression& e);
    Value evaluate_list(const Expression& e);
    Value evaluate_dict(const Expression& e);
    Value evaluate_slice(const Expression& e);
    Value evaluate_compare(const Expression& e);
    Value evaluate_concat(const Expression& e);
    Value evaluate_conditional(const Expression& e);
    Value evaluate_filter(const Expression& e);
    Value evaluate_call(const Expression& e);
    bool holds(const Expression& e);
    Arguments arguments_of(const Expression& e);
    Value filtered(const Expression* filter, Value subject);
    Value call(const Value& callee, const Arguments& arguments);
    Value call_macro(const Macro& macro, const Arguments& arguments);

    const Program& program_;
    Heap& heap_;
    const Dict& variables_;
    std::time_t now_;
    Frame* frame_ = nullptr;
    int line_ = 0, depth_ = 0;
};

class Interpreter::Deeper {
  public:
    explicit Deeper(Interpreter& i) : depth_(i.depth_) {
        if (++depth_ > i.heap_.limits().max_depth) throw Fault{"is nested too deeply"};
        i.heap_.charge();
    }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

  private:
    int& depth_;
};

/// The functions that every template has, and what they give (functions.cpp).
Value global_function(std::string_view name);
Value call_function(Heap& heap, Function function, const Arguments& arguments, std::time_t now);

}  // namespace saker::jinja
