// The tree of a template: expressions and statements, as parser.cpp makes them,
// names.cpp gives the names their places, and interpreter.cpp runs them.
//
// Nodes are owned by the Program and point to one another; nothing changes once it is made, so any
// number of threads may render at once.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/filters.h"
#include "jinja/operators.h"

namespace saker::jinja {

/// Where a name's value is kept: in the `up`-th activation outward (of a macro, or of the template
/// itself), at `index`.
struct Place {
    int up = -1;  // -1: not resolved
    int index = 0;
};

struct Expression {
    enum class Kind {
        constant,
        name,
        name_space_attribute,  // the target of {% set ns.x = … %}: `name` is ns, `word` x
        list,
        tuple,
        dict,       // keys and values in turn
        attribute,  // parts[0] . word
        item,       // parts[0] [parts[1]]
        slice,      // parts[0] [parts[1]:parts[2]:parts[3]], of which the last three may be null
        call,       // parts[0] (parts[1], ...)
        filter,     // parts[0] | word (parts[1], ...); parts[0] is null in a filter block
        test,
        negative,
        positive,
        logical_not,
        logical_and,
        logical_or,
        compare,      // parts[0] operators[0] parts[1] operators[1] ...
        binary,       // operators[0]
        concat,       // ~
        conditional,  // parts[0] if parts[1] else parts[2], which may be null
    };
    Kind kind = Kind::constant;
    int line = 0;
    int depth = 1;  // of the tree under it
    std::string_view word;
    std::string_view name;
    Place place;
    Value constant;  // of a name: what it is where it is undefined
    std::vector<Expression*> parts;
    std::vector<Operator> operators;
    std::vector<std::pair<std::string_view, Expression*>> named;  // arguments by name
    Expression* more = nullptr;                                   // *arguments
    Expression* more_named = nullptr;                             // **arguments
    const FilterRow* filter = nullptr;
    const TestRow* test = nullptr;
};

/// How a name gets its first value where its scope is entered.
struct NameLoad {
    enum class From { outer, variables, nothing };
    From from = From::nothing;
    int index = 0;          // of the name, in its own activation
    Place outer;            // From::outer
    std::string_view name;  // From::variables
};

struct Scope {
    std::vector<NameLoad> loads;
};

struct Statement {
    enum class Kind {
        text,     // `constant`
        print,    // `value`
        branch,   // if, elif, else: `branches`, then `otherwise`
        loop,     // for
        assign,   // set x = value
        capture,  // set x … endset
        macro,
        with,
        filter_block,
        generation,  // and its own activation, as a called block in Jinja
        leave,       // break
        again,       // continue
    };
    Kind kind = Kind::text;
    int line = 0;
    Value constant;
    Expression* value = nullptr;      // for: what it goes over; capture, filter_block: the filter
    Expression* target = nullptr;     // for, assign, capture
    Expression* condition = nullptr;  // for … if
    std::vector<Statement*> body, otherwise;
    std::vector<std::pair<Expression*, std::vector<Statement*>>> branches;
    std::string_view name;             // of a macro
    Place place;                       // of a macro
    std::vector<Expression*> targets;  // with; parameters of a macro
    std::vector<Expression*> values;   // with; defaults of the last parameters
    Scope scope, condition_scope, otherwise_scope;
    int num_places = 0;                                 // macro, generation: of the activation
    int loop_index = -1;                                // for: where `loop` is
    int more_index = -1, more_named_index = -1;         // macro: varargs, kwargs
    bool takes_more = false, takes_more_named = false;  // macro: whether its body names them
};

struct Program {
    Heap constants;
    std::string_view source;  // in `constants`, since the tree has views of it
    std::deque<Expression> expressions;
    std::deque<Statement> statements;
    std::vector<Statement*> body;
    Scope scope;
    int num_places = 0;
};

}  // namespace saker::jinja
