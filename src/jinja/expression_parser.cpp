// See expression_parser.h.
#include "jinja/expression_parser.h"

#include <algorithm>

namespace saker::jinja {
namespace {

using Node = Expression::Kind;

constexpr int kMaxNested = 120, kMaxTree = 400;

// Names that a call at start-up can be told of: Jinja has them, this interpreter does not.
constexpr std::string_view kMissingFunctions[] = {"lipsum", "cycler", "joiner"};

}  // namespace

// Counts how deep brackets and signs are in one another, against the end of the stack.
class ExpressionParser::Nested {
  public:
    explicit Nested(ExpressionParser& parser) : depth_(parser.nested_) {
        if (++depth_ > kMaxNested)
            parser.t_.fail("an expression is nested too deeply", parser.t_.line());
    }
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

  private:
    int& depth_;
};

Expression* ExpressionParser::make(Expression::Kind kind, int line,
                                   std::vector<Expression*> parts) {
    Expression& node = program_.expressions.emplace_back();
    node.kind = kind;
    node.line = line;
    for (Expression* part : parts) add_part(&node, part);
    return &node;
}

void ExpressionParser::add_part(Expression* node, Expression* part) {
    node->parts.push_back(part);
    if (!part) return;
    node->depth = std::max(node->depth, part->depth + 1);
    if (node->depth > kMaxTree) t_.fail("an expression is nested too deeply", node->line);
}

Expression* ExpressionParser::expression() {
    const Nested nested(*this);
    int line = t_.line();
    Expression* node = logical_or();
    while (t_.skip_name("if")) {
        Expression* condition = logical_or();
        Expression* otherwise = t_.skip_name("else") ? expression() : nullptr;
        node = make(Node::conditional, line, {node, condition, otherwise});
        line = t_.line();
    }
    return node;
}

Expression* ExpressionParser::logical_or() {
    const int line = t_.line();
    Expression* node = logical_and();
    while (t_.skip_name("or")) node = make(Node::logical_or, line, {node, logical_and()});
    return node;
}

Expression* ExpressionParser::logical_and() {
    const int line = t_.line();
    Expression* node = logical_not();
    while (t_.skip_name("and")) node = make(Node::logical_and, line, {node, logical_not()});
    return node;
}

Expression* ExpressionParser::logical_not() {
    const Nested nested(*this);
    const int line = t_.line();
    if (t_.skip_name("not")) return make(Node::logical_not, line, {logical_not()});
    return comparison();
}

Expression* ExpressionParser::comparison() {
    constexpr std::pair<std::string_view, Operator> kMarks[] = {
        {"==", Operator::equal},      {"!=", Operator::not_equal}, {"<", Operator::less},
        {"<=", Operator::less_equal}, {">", Operator::greater},    {">=", Operator::greater_equal},
    };
    const int line = t_.line();
    Expression* first = sum();
    Expression* node = nullptr;
    for (;;) {
        const auto* row = std::find_if(std::begin(kMarks), std::end(kMarks),
                                       [&](const auto& r) { return t_.now().is_mark(r.first); });
        Operator found = Operator::in;
        if (row != std::end(kMarks)) {
            t_.next();
            found = row->second;
        } else if (t_.now().is_name("not") && t_.ahead().is_name("in")) {
            t_.next();
            t_.next();
            found = Operator::not_in;
        } else if (!t_.skip_name("in")) {
            return node ? node : first;
        }
        if (!node) node = make(Node::compare, line, {first});
        add_part(node, sum());
        node->operators.push_back(found);
    }
}

Expression* ExpressionParser::sum() {
    const int line = t_.line();
    Expression* node = concatenation();
    for (;;) {
        const bool adds = t_.now().is_mark("+");
        if (!adds && !t_.now().is_mark("-")) return node;
        t_.next();
        node = make(Node::binary, line, {node, concatenation()});
        node->operators = {adds ? Operator::add : Operator::subtract};
    }
}

Expression* ExpressionParser::concatenation() {
    const int line = t_.line();
    Expression* first = product();
    if (!t_.now().is_mark("~")) return first;
    Expression* node = make(Node::concat, line, {first});
    while (t_.skip_mark("~")) add_part(node, product());
    return node;
}

Expression* ExpressionParser::product() {
    constexpr std::pair<std::string_view, Operator> kMarks[] = {
        {"*", Operator::multiply},
        {"/", Operator::divide},
        {"//", Operator::floor_divide},
        {"%", Operator::modulo},
    };
    const int line = t_.line();
    Expression* node = power();
    for (;;) {
        const auto* row = std::find_if(std::begin(kMarks), std::end(kMarks),
                                       [&](const auto& r) { return t_.now().is_mark(r.first); });
        if (row == std::end(kMarks)) return node;
        t_.next();
        node = make(Node::binary, line, {node, power()});
        node->operators = {row->second};
    }
}

Expression* ExpressionParser::power() {
    const int line = t_.line();
    Expression* node = unary();
    while (t_.skip_mark("**")) {
        node = make(Node::binary, line, {node, unary()});
        node->operators = {Operator::power};
    }
    return node;
}

Expression* ExpressionParser::unary(bool with_filters) {
    const Nested nested(*this);
    const int line = t_.line();
    Expression* node = t_.skip_mark("-")   ? make(Node::negative, line, {unary(false)})
                       : t_.skip_mark("+") ? make(Node::positive, line, {unary(false)})
                                           : primary();
    node = postfix(node);
    return with_filters ? filters_and_tests(node) : node;
}

Expression* ExpressionParser::primary(bool with_name_space) {
    const Token token = t_.now();
    if (token.is_mark("[")) return list();
    if (token.is_mark("{")) return dict();
    if (t_.skip_mark("(")) {
        Expression* node = tuple(true, true);
        t_.expect_mark(")");
        return node;
    }
    Expression* node = make(Node::constant, token.line);
    if (t_.skip(TokenKind::constant)) {
        node->constant = token.constant;
        while (token.constant.is_text() && t_.now().kind == TokenKind::constant &&
               t_.now().constant.is_text())
            node->constant = value_of(
                join_texts(program_.constants, *node->constant.text, *t_.next().constant.text));
        return node;
    }
    if (!t_.skip(TokenKind::name)) t_.fail("unexpected " + describe(token), token.line);
    const std::string_view word = token.word;
    if (word == "true" || word == "True" || word == "false" || word == "False") {
        node->constant = value_of(word == "true" || word == "True");
    } else if (word == "none" || word == "None") {
        node->constant = none_value();
    } else {
        node->kind = Node::name;
        node->name = word;
        node->constant =
            undefined_value(program_.constants, "'" + std::string(word) + "' is undefined");
        if (with_name_space && t_.skip_mark(".")) {
            node->kind = Node::name_space_attribute;
            node->word = t_.expect_any_name();
        }
    }
    return node;
}

bool ExpressionParser::is_tuple_end() const {
    const Token& now = t_.now();
    return now.kind == TokenKind::variable_end || now.kind == TokenKind::block_end ||
           now.kind == TokenKind::end || now.is_mark(")");
}

Expression* ExpressionParser::tuple(bool with_condition, bool in_parentheses) {
    const Nested nested(*this);
    const int line = t_.line();
    Expression* first = nullptr;
    Expression* node = nullptr;
    while (!is_tuple_end()) {
        Expression* part = with_condition ? expression() : logical_or();
        if (!first) first = part;
        if (node) add_part(node, part);
        if (!t_.skip_mark(",")) break;
        if (!node) node = make(Node::tuple, line, {first});
    }
    if (node) return node;
    if (first) return first;
    if (!in_parentheses) t_.fail_expected("an expression");
    return make(Node::tuple, line);
}

Expression* ExpressionParser::target(bool with_name_space) {
    const int line = t_.line();
    Expression* first = nullptr;
    Expression* node = nullptr;
    while (!is_tuple_end() && !t_.now().is_mark("=") && !t_.now().is_name("in")) {
        const bool in_parentheses = t_.skip_mark("(");
        const Nested nested(*this);
        Expression* part = in_parentheses ? target(with_name_space) : primary(with_name_space);
        if (in_parentheses) t_.expect_mark(")");
        const bool can_be_assigned = part->kind == Node::name || part->kind == Node::tuple ||
                                     part->kind == Node::name_space_attribute;
        if (!can_be_assigned) t_.fail("only names can be assigned to", part->line);
        if (!first) first = part;
        if (node) add_part(node, part);
        if (!t_.skip_mark(",")) break;
        if (!node) node = make(Node::tuple, line, {first});
    }
    if (!first) t_.fail_expected("a name");
    return node ? node : first;
}

Expression* ExpressionParser::list() {
    Expression* node = make(Node::list, t_.line());
    t_.expect_mark("[");
    while (!t_.now().is_mark("]")) {
        add_part(node, expression());
        if (!t_.skip_mark(",")) break;
    }
    t_.expect_mark("]");
    return node;
}

Expression* ExpressionParser::dict() {
    Expression* node = make(Node::dict, t_.line());
    t_.expect_mark("{");
    while (!t_.now().is_mark("}")) {
        add_part(node, expression());
        t_.expect_mark(":");
        add_part(node, expression());
        if (!t_.skip_mark(",")) break;
    }
    t_.expect_mark("}");
    return node;
}

Expression* ExpressionParser::postfix(Expression* node) {
    for (;;) {
        if (t_.now().is_mark(".") || t_.now().is_mark("["))
            node = subscript(node);
        else if (t_.now().is_mark("("))
            node = call(node);
        else
            return node;
    }
}

Expression* ExpressionParser::filters_and_tests(Expression* node) {
    for (;;) {
        if (t_.now().is_mark("|"))
            node = filters(node, false);
        else if (t_.now().is_name("is"))
            node = test(node);
        else if (t_.now().is_mark("("))
            node = call(node);
        else
            return node;
    }
}

Expression* ExpressionParser::subscript(Expression* node) {
    const int line = t_.line();
    if (t_.skip_mark(".")) {
        const Token token = t_.next();
        if (token.kind == TokenKind::name) {
            Expression* out = make(Node::attribute, line, {node});
            out->word = token.word;
            return out;
        }
        if (token.kind != TokenKind::constant || !token.constant.is(Kind::integer))
            t_.fail("expected a name or a number behind '.'", token.line);
        Expression* index = make(Node::constant, line);
        index->constant = token.constant;
        return make(Node::item, line, {node, index});
    }
    t_.expect_mark("[");
    Expression* first = nullptr;
    Expression* several = nullptr;
    while (!t_.now().is_mark("]")) {
        Expression* part = subscript_item();
        if (!first) first = part;
        if (several) add_part(several, part);
        if (!t_.skip_mark(",")) break;
        if (!several) several = make(Node::tuple, line, {first});
    }
    if (!first) t_.fail_expected("an expression");
    t_.expect_mark("]");
    if (several && first->kind == Node::slice) t_.fail("a slice cannot be one of several", line);
    if (first->kind != Node::slice)
        return make(Node::item, line, {node, several ? several : first});
    first->parts[0] = node;
    first->depth = std::max(first->depth, node->depth + 1);
    if (first->depth > kMaxTree) t_.fail("an expression is nested too deeply", line);
    return first;
}

// An expression, or begin:end:step with what it is of still missing.
Expression* ExpressionParser::subscript_item() {
    const int line = t_.line();
    const auto is_over = [&] {
        return t_.now().is_mark(":") || t_.now().is_mark("]") || t_.now().is_mark(",");
    };
    Expression* begin = t_.now().is_mark(":") ? nullptr : expression();
    if (!t_.skip_mark(":")) return begin;
    Expression* end = is_over() ? nullptr : expression();
    Expression* step = nullptr;
    if (t_.skip_mark(":") && !is_over()) step = expression();
    return make(Node::slice, line, {nullptr, begin, end, step});
}

Expression* ExpressionParser::call(Expression* node) {
    Expression* out = make(Node::call, t_.line(), {node});
    if (node->kind == Node::name)
        for (std::string_view name : kMissingFunctions)
            if (node->name == name)
                t_.fail("the function '" + std::string(name) + "' is not supported", node->line);
    arguments(out);
    return out;
}

void ExpressionParser::arguments(Expression* node) {
    const Nested nested(*this);
    t_.expect_mark("(");
    while (!t_.now().is_mark(")")) {
        const int line = t_.line();
        const bool is_last = node->more_named != nullptr;
        if (t_.skip_mark("*") && !node->more && !is_last) {
            node->more = expression();
        } else if (t_.skip_mark("**") && !is_last) {
            node->more_named = expression();
        } else if (t_.now().kind == TokenKind::name && t_.ahead().is_mark("=") && !is_last) {
            const std::string_view name = t_.next().word;
            t_.next();
            node->named.emplace_back(name, expression());
        } else {
            if (is_last || node->more || !node->named.empty())
                t_.fail("invalid syntax for function call expression", line);
            add_part(node, expression());
        }
        if (!t_.skip_mark(",")) break;
    }
    t_.expect_mark(")");
    for (const auto& [name, value] : node->named)
        node->depth = std::max(node->depth, value->depth + 1);
    for (const Expression* value : {node->more, node->more_named})
        if (value) node->depth = std::max(node->depth, value->depth + 1);
    if (node->depth > kMaxTree) t_.fail("an expression is nested too deeply", node->line);
}

std::string ExpressionParser::dotted_name() {
    std::string name(t_.expect_any_name());
    while (t_.skip_mark(".")) (name += '.') += t_.expect_any_name();
    return name;
}

Expression* ExpressionParser::filters(Expression* subject, bool begins_inline) {
    Expression* node = subject;
    while (begins_inline || t_.skip_mark("|")) {
        begins_inline = false;
        const int line = t_.line();
        const std::string name = dotted_name();
        node = make(Node::filter, line, {node});
        node->filter = find_filter(name);
        if (!node->filter) t_.fail("the filter '" + name + "' is not supported", line);
        if (t_.now().is_mark("(")) arguments(node);
    }
    return node;
}

Expression* ExpressionParser::test(Expression* node) {
    const int line = t_.line();
    t_.expect_name("is");
    const bool is_negated = t_.skip_name("not");
    const std::string name = dotted_name();
    node = make(Node::test, line, {node});
    node->test = find_test(name);
    if (!node->test) t_.fail("the test '" + name + "' is not supported", line);
    const Token& now = t_.now();
    const bool has_argument = now.kind == TokenKind::constant || now.is_mark("[") ||
                              now.is_mark("{") ||
                              (now.kind == TokenKind::name && !now.is_name("else") &&
                               !now.is_name("or") && !now.is_name("and"));
    if (now.is_mark("(")) {
        arguments(node);
    } else if (has_argument) {
        if (now.is_name("is")) t_.fail("You cannot chain multiple tests with is", now.line);
        add_part(node, postfix(primary()));
    }
    return is_negated ? make(Node::logical_not, line, {node}) : node;
}

}  // namespace saker::jinja
