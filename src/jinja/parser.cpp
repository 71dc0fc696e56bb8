// The statements of a template (parser.h).
#include "jinja/parser.h"

#include <algorithm>
#include <initializer_list>

#include "jinja/expression_parser.h"
#include "jinja/names.h"

namespace saker::jinja {
namespace {

using Tag = Statement::Kind;
using Names = std::initializer_list<std::string_view>;

constexpr int kMaxNested = 60;

// Tags that Jinja knows.
constexpr std::string_view kMissingTags[] = {"block", "extends", "include",    "import",
                                             "from",  "call",    "autoescape", "print"};

class Parser {
  public:
    explicit Parser(Program& program)
        : program_(program),
          t_(tokenize(program.source, program.constants)),
          expressions_(t_, program) {}

    std::vector<Statement*> parse() {
        std::vector<Statement*> body = statements({});
        if (t_.now().kind != TokenKind::end) t_.fail_expected("the end of the template");
        return body;
    }

  private:
    Statement* make(Tag kind, int line) {
        Statement& node = program_.statements.emplace_back();
        node.kind = kind;
        node.line = line;
        return &node;
    }

    // Up to a tag that is one of `ends`, whose name is the token at hand, or to the end of the
    // template where there are none.
    std::vector<Statement*> statements(Names ends) {
        if (++nested_ > kMaxNested) t_.fail("blocks are nested too deeply", t_.line());
        std::vector<Statement*> body;
        for (;;) {
            const Token token = t_.now();
            if (token.kind == TokenKind::end) break;
            t_.next();
            if (token.kind == TokenKind::data) {
                Statement* text = make(Tag::text, token.line);
                text->constant =
                    value_of(borrow_text(program_.constants, token.word, Origin::author));
                body.push_back(text);
            } else if (token.kind == TokenKind::variable_begin) {
                Statement* print = make(Tag::print, token.line);
                print->value = expressions_.tuple(true);
                t_.expect(TokenKind::variable_end);
                body.push_back(print);
            } else {
                if (std::any_of(ends.begin(), ends.end(),
                                [&](auto name) { return t_.now().is_name(name); })) {
                    --nested_;
                    return body;
                }
                body.push_back(block());
            }
        }
        if (ends.size() > 0) t_.fail_expected("'" + std::string(*(ends.end() - 1)) + "'");
        --nested_;
        return body;
    }

    // The body of a block up to its end tag, the tag included.
    std::vector<Statement*> body_up_to(std::string_view end) {
        t_.expect(TokenKind::block_end);
        std::vector<Statement*> body = statements({end});
        t_.expect_name(end);
        t_.expect(TokenKind::block_end);
        return body;
    }

    Statement* block() {
        const Token tag = t_.now();
        if (tag.kind != TokenKind::name) t_.fail_expected("the name of a tag");
        t_.next();
        if (tag.word == "if") return branch(tag.line);
        if (tag.word == "for") return loop(tag.line);
        if (tag.word == "set") return assign(tag.line);
        if (tag.word == "macro") return macro(tag.line);
        if (tag.word == "with") return with(tag.line);
        if (tag.word == "filter") return filter_block(tag.line);
        if (tag.word == "generation") {
            Statement* node = make(Tag::generation, tag.line);
            node->body = outside_loops([&] { return body_up_to("endgeneration"); });
            return node;
        }
        if (tag.word == "break" || tag.word == "continue") {
            if (loops_ == 0) t_.fail("'" + std::string(tag.word) + "' outside loop", tag.line);
            t_.expect(TokenKind::block_end);
            return make(tag.word == "break" ? Tag::leave : Tag::again, tag.line);
        }
        const bool is_missing = std::find(std::begin(kMissingTags), std::end(kMissingTags),
                                          tag.word) != std::end(kMissingTags);
        t_.fail(is_missing ? "the tag '" + std::string(tag.word) + "' is not supported"
                           : "unknown tag '" + std::string(tag.word) + "'",
                tag.line);
    }

    // A macro is no part of the loop around it.
    template <class Parse>
    std::vector<Statement*> outside_loops(Parse parse) {
        const int loops = std::exchange(loops_, 0);
        auto body = parse();
        loops_ = loops;
        return body;
    }

    Statement* branch(int line) {
        Statement* node = make(Tag::branch, line);
        for (;;) {
            Expression* condition = expressions_.tuple(false);
            t_.expect(TokenKind::block_end);
            node->branches.emplace_back(condition, statements({"elif", "else", "endif"}));
            if (!t_.skip_name("elif")) break;
        }
        if (t_.skip_name("else")) {
            node->otherwise = body_up_to("endif");
            return node;
        }
        t_.expect_name("endif");
        t_.expect(TokenKind::block_end);
        return node;
    }

    Statement* loop(int line) {
        Statement* node = make(Tag::loop, line);
        node->target = expressions_.target(false);
        if (node->target->kind == Expression::Kind::name && node->target->name == "loop")
            t_.fail("Can't assign to special loop variable in for-loop", line);
        t_.expect_name("in");
        node->value = expressions_.tuple(false);
        if (t_.skip_name("if")) node->condition = expressions_.expression();
        if (t_.now().is_name("recursive"))
            t_.fail("'recursive' of a for is not supported", t_.line());
        t_.expect(TokenKind::block_end);
        ++loops_;
        node->body = statements({"else", "endfor"});
        --loops_;
        if (t_.skip_name("else")) {
            node->otherwise = body_up_to("endfor");
            return node;
        }
        t_.expect_name("endfor");
        t_.expect(TokenKind::block_end);
        return node;
    }

    Statement* assign(int line) {
        Expression* target = expressions_.target(true);
        if (t_.skip_mark("=")) {
            Statement* node = make(Tag::assign, line);
            node->target = target;
            node->value = expressions_.tuple(true);
            t_.expect(TokenKind::block_end);
            return node;
        }
        Statement* node = make(Tag::capture, line);
        node->target = target;
        node->value = expressions_.filters(nullptr, false);
        node->body = body_up_to("endset");
        return node;
    }

    Statement* macro(int line) {
        Statement* node = make(Tag::macro, line);
        node->name = t_.expect_any_name();
        t_.expect_mark("(");
        while (!t_.now().is_mark(")")) {
            Expression* parameter = expressions_.make(Expression::Kind::name, t_.line());
            parameter->name = t_.expect_any_name();
            node->targets.push_back(parameter);
            if (t_.skip_mark("="))
                node->values.push_back(expressions_.expression());
            else if (!node->values.empty())
                t_.fail("a parameter without a default follows one with it", line);
            if (!t_.skip_mark(",")) break;
        }
        t_.expect_mark(")");
        node->body = outside_loops([&] { return body_up_to("endmacro"); });
        return node;
    }

    Statement* with(int line) {
        Statement* node = make(Tag::with, line);
        while (t_.now().kind != TokenKind::block_end) {
            if (!node->targets.empty()) t_.expect_mark(",");
            Expression* name = expressions_.make(Expression::Kind::name, t_.line());
            name->name = t_.expect_any_name();
            t_.expect_mark("=");
            node->targets.push_back(name);
            node->values.push_back(expressions_.expression());
        }
        node->body = body_up_to("endwith");
        return node;
    }

    Statement* filter_block(int line) {
        Statement* node = make(Tag::filter_block, line);
        node->value = expressions_.filters(nullptr, true);
        node->body = body_up_to("endfilter");
        return node;
    }

    Program& program_;
    TokenStream t_;
    ExpressionParser expressions_;
    int nested_ = 0, loops_ = 0;
};

}  // namespace

Program parse_template(std::string_view source) {
    Program program;
    program.source = copy_text(program.constants, normal_source(source), Origin::author)->view();
    program.body = Parser(program).parse();
    resolve_names(program);
    return program;
}

}  // namespace saker::jinja
