// See names.h. Two passes over each scope: the first finds its names (Symbols), the second
// gives every name in it a place and enters the scopes inside.
#include "jinja/names.h"

#include <map>
#include <optional>
#include <set>

#include "base/check.h"

namespace saker::jinja {
namespace {

using Statements = std::vector<Statement*>;

// The names of one scope, while they are found.
struct Symbols {
    const Symbols* parent = nullptr;
    int activation = 0;  // how many macros it is inside of
    std::map<std::string_view, int> indices;
    std::map<std::string_view, NameLoad> loads;  // parameters have none
    std::set<std::string_view> stores;
};

struct Found {
    const Symbols* owner;
    int index;
};

std::optional<Found> find(const Symbols* symbols, std::string_view name) {
    for (; symbols; symbols = symbols->parent) {
        const auto at = symbols->indices.find(name);
        if (at != symbols->indices.end()) return Found{symbols, at->second};
    }
    return std::nullopt;
}

Place place_of(const Found& found, const Symbols& from) {
    return {from.activation - found.owner->activation, found.index};
}

// What goes on in one activation: the numbers of its places.
struct Activation {
    int num_places = 0;
};

class Finder {
  public:
    Finder(Symbols& symbols, Activation& activation) : s_(&symbols), activation_(activation) {}

    int define(std::string_view name, std::optional<NameLoad> load) {
        const auto [at, is_new] = s_->indices.try_emplace(name, activation_.num_places);
        activation_.num_places += is_new;
        if (load) s_->loads[name] = *load;
        return at->second;
    }

    int parameter(std::string_view name) {
        s_->stores.insert(name);
        return define(name, std::nullopt);
    }

    void expression(const Expression* e) {
        if (!e) return;
        if (e->kind == Expression::Kind::name || e->kind == Expression::Kind::name_space_attribute)
            load(e->name);
        for (const Expression* part : e->parts) expression(part);
        for (const auto& [name, value] : e->named) expression(value);
        expression(e->more);
        expression(e->more_named);
    }

    void target(const Expression* e, bool as_parameter) {
        if (e->kind == Expression::Kind::name_space_attribute)
            load(e->name);
        else if (e->kind != Expression::Kind::name)
            for (const Expression* part : e->parts) target(part, as_parameter);
        else if (as_parameter)
            parameter(e->name);
        else
            store(e->name);
    }

    void statements(const Statements& body) {
        for (const Statement* s : body) statement(*s);
    }

  private:
    void load(std::string_view name) {
        if (find(s_, name)) return;
        NameLoad load;
        load.from = NameLoad::From::variables;
        load.name = name;
        define(name, load);
    }

    void store(std::string_view name) {
        s_->stores.insert(name);
        if (s_->indices.contains(name)) return;
        NameLoad load;
        if (const auto outer = find(s_->parent, name)) {
            load.from = NameLoad::From::outer;
            load.outer = place_of(*outer, *s_);
        }
        define(name, load);
    }

    void statement(const Statement& s) {
        using Tag = Statement::Kind;
        switch (s.kind) {
            case Tag::print:
            case Tag::loop:
                expression(s.value);
                return;
            case Tag::branch:
                branch(s, 0);
                return;
            case Tag::assign:
                expression(s.value);
                target(s.target, false);
                return;
            case Tag::capture:
                target(s.target, false);
                return;
            case Tag::macro:
                store(s.name);
                return;
            case Tag::with:
                for (const Expression* value : s.values) expression(value);
                return;
            case Tag::filter_block:
                expression(s.value);
                return;
            default:
                return;
        }
    }

    // Jinja sees an if with n branches as its first one, the rest of the chain, and the else.
    void branch(const Statement& s, size_t first) {
        expression(s.branches[first].first);
        Symbols* const before = s_;
        const auto visit = [&](auto fill) {
            Symbols inner = *before;
            s_ = &inner;
            fill();
            s_ = before;
            return inner;
        };
        const Symbols body = visit([&] { statements(s.branches[first].second); });
        const Symbols chain = visit([&] {
            if (first > 0) return;
            for (size_t i = 1; i < s.branches.size(); ++i) branch(s, i);
        });
        const Symbols otherwise = visit([&] {
            if (first == 0) statements(s.otherwise);
        });
        merge({&body, &chain, &otherwise});
    }

    // A name that only branches assign begins as what it is outside.
    void merge(std::initializer_list<const Symbols*> branches) {
        std::set<std::string_view> assigned;
        for (const Symbols* branch : branches)
            for (const std::string_view name : branch->stores)
                if (!s_->stores.contains(name)) assigned.insert(name);
        for (const Symbols* branch : branches) {
            s_->indices.insert(branch->indices.begin(), branch->indices.end());
            for (const auto& [name, load] : branch->loads) s_->loads[name] = load;
            s_->stores.insert(branch->stores.begin(), branch->stores.end());
        }
        for (const std::string_view name : assigned) {
            NameLoad load;
            if (const auto outer = find(s_->parent, name)) {
                load.from = NameLoad::From::outer;
                load.outer = place_of(*outer, *s_);
            } else {
                load.from = NameLoad::From::variables;
                load.name = name;
            }
            s_->loads[name] = load;
        }
    }

    Symbols* s_;
    Activation& activation_;
};

class Resolver {
  public:
    void program(Program& p) {
        Symbols root;
        Activation activation;
        Finder(root, activation).statements(p.body);
        statements(p.body, root, activation);
        p.scope = scope_of(root);
        p.num_places = activation.num_places;
    }

  private:
    static Scope scope_of(const Symbols& symbols) {
        Scope scope;
        for (const auto& [name, load] : symbols.loads) {
            scope.loads.push_back(load);
            // Branches number a name that is new to each of them anew; one number counts.
            scope.loads.back().index = symbols.indices.at(name);
        }
        return scope;
    }

    static Symbols inside(const Symbols& parent, bool is_activation = false) {
        Symbols inner;
        inner.parent = &parent;
        inner.activation = parent.activation + is_activation;
        return inner;
    }

    void expression(Expression* e, const Symbols& symbols) {
        if (!e) return;
        if (e->kind == Expression::Kind::name ||
            e->kind == Expression::Kind::name_space_attribute) {
            const auto found = find(&symbols, e->name);
            CHECK(found, "the first pass finds every name");
            e->place = place_of(*found, symbols);
        }
        if (e->kind == Expression::Kind::name && e->place.up == 0) {
            takes_more_ |= e->name == "varargs";
            takes_more_named_ |= e->name == "kwargs";
        }
        for (Expression* part : e->parts) expression(part, symbols);
        for (auto& [name, value] : e->named) expression(value, symbols);
        expression(e->more, symbols);
        expression(e->more_named, symbols);
    }

    void statements(const Statements& body, const Symbols& symbols, Activation& activation) {
        for (Statement* s : body) statement(*s, symbols, activation);
    }

    void statement(Statement& s, const Symbols& symbols, Activation& activation) {
        using Tag = Statement::Kind;
        switch (s.kind) {
            case Tag::branch:
                for (auto& [condition, body] : s.branches) {
                    expression(condition, symbols);
                    statements(body, symbols, activation);
                }
                statements(s.otherwise, symbols, activation);
                return;
            case Tag::loop:
                loop(s, symbols, activation);
                return;
            case Tag::capture: {
                expression(s.target, symbols);
                Symbols inner = inside(symbols);
                Finder(inner, activation).statements(s.body);
                // Jinja asks the filter's arguments in the scope of the body.
                Finder(inner, activation).expression(s.value);
                expression(s.value, inner);
                statements(s.body, inner, activation);
                s.scope = scope_of(inner);
                return;
            }
            case Tag::filter_block: {
                Symbols inner = inside(symbols);
                Finder finder(inner, activation);
                finder.statements(s.body);
                finder.expression(s.value);
                expression(s.value, inner);
                statements(s.body, inner, activation);
                s.scope = scope_of(inner);
                return;
            }
            case Tag::with: {
                for (Expression* value : s.values) expression(value, symbols);
                Symbols inner = inside(symbols);
                Finder finder(inner, activation);
                for (Expression* name : s.targets) finder.target(name, true);
                finder.statements(s.body);
                for (Expression* name : s.targets) expression(name, inner);
                statements(s.body, inner, activation);
                s.scope = scope_of(inner);
                return;
            }
            case Tag::macro:
                s.place = place_of(*find(&symbols, s.name), symbols);
                macro(s, symbols);
                return;
            case Tag::generation:
                macro(s, symbols);
                return;
            default:
                expression(s.value, symbols);
                expression(s.target, symbols);
                return;
        }
    }

    void loop(Statement& s, const Symbols& symbols, Activation& activation) {
        expression(s.value, symbols);
        Symbols inner = inside(symbols);
        Finder finder(inner, activation);
        s.loop_index = finder.parameter("loop");
        finder.target(s.target, true);
        if (s.condition) {  // it sees the item in the places of the body, and nothing else of it
            Symbols asked = inside(symbols);
            asked.indices = inner.indices;
            asked.indices.erase("loop");
            Finder(asked, activation).expression(s.condition);
            expression(s.condition, asked);
            s.condition_scope = scope_of(asked);
        }
        finder.statements(s.body);
        expression(s.target, inner);
        statements(s.body, inner, activation);
        s.scope = scope_of(inner);
        Symbols otherwise = inside(symbols);
        Finder(otherwise, activation).statements(s.otherwise);
        statements(s.otherwise, otherwise, activation);
        s.otherwise_scope = scope_of(otherwise);
    }

    void macro(Statement& s, const Symbols& symbols) {
        Symbols inner = inside(symbols, true);
        Activation activation;
        Finder finder(inner, activation);
        for (Expression* name : s.targets) finder.target(name, true);
        for (Expression* value : s.values) finder.expression(value);
        if (s.kind == Statement::Kind::macro) {
            s.more_index = finder.parameter("varargs");
            s.more_named_index = finder.parameter("kwargs");
        }
        finder.statements(s.body);
        for (Expression* name : s.targets) expression(name, inner);
        for (Expression* value : s.values) expression(value, inner);
        const bool outer_takes_more = std::exchange(takes_more_, false);
        const bool outer_takes_more_named = std::exchange(takes_more_named_, false);
        statements(s.body, inner, activation);
        s.takes_more = std::exchange(takes_more_, outer_takes_more);
        s.takes_more_named = std::exchange(takes_more_named_, outer_takes_more_named);
        s.scope = scope_of(inner);
        s.num_places = activation.num_places;
    }

    bool takes_more_ = false, takes_more_named_ = false;  // of the macro at hand
};

}  // namespace

void resolve_names(Program& program) {
    Resolver().program(program);
}

}  // namespace saker::jinja
