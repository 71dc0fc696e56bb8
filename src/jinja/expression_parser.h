// ExpressionParser: the expressions of a template, from the weakest operator to the strongest.
#pragma once

#include <string_view>

#include "jinja/token_stream.h"
#include "jinja/tree.h"

namespace saker::jinja {

class ExpressionParser {
  public:
    ExpressionParser(TokenStream& tokens, Program& program) : t_(tokens), program_(program) {}

    Expression* expression();  // with `if … else`
    /// Expressions with commas between them are a tuple; one alone is itself.
    Expression* tuple(bool with_condition, bool in_parentheses = false);
    /// What can be assigned to: a name, a tuple of them, and ns.x where `with_name_space`.
    Expression* target(bool with_name_space);
    /// A filter block's `name(…) | name(…)`, without what it is applied to; null where there is
    /// none.
    Expression* filters(Expression* subject, bool begins_inline);

    Expression* make(Expression::Kind kind, int line, std::vector<Expression*> parts = {});

  private:
    class Nested;

    Expression* logical_or();
    Expression* logical_and();
    Expression* logical_not();
    Expression* comparison();
    Expression* sum();
    Expression* concatenation();
    Expression* product();
    Expression* power();
    Expression* unary(bool with_filters = true);
    Expression* primary(bool with_name_space = false);
    Expression* list();
    Expression* dict();
    Expression* postfix(Expression* node);
    Expression* filters_and_tests(Expression* node);
    Expression* subscript(Expression* node);
    Expression* subscript_item();
    Expression* call(Expression* node);
    void arguments(Expression* node);
    void add_part(Expression* node, Expression* part);
    Expression* test(Expression* node);
    std::string dotted_name();
    bool is_tuple_end() const;

    TokenStream& t_;
    Program& program_;
    int nested_ = 0;
};

}  // namespace saker::jinja
