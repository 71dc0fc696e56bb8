// TokenStream: the tokens of a template, read one after the other by the parsers of statements
// (parser.cpp) and expressions (expression_parser.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jinja/lexer.h"

namespace saker::jinja {

class TokenStream {
  public:
    explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    const Token& now() const { return tokens_[at_]; }
    const Token& ahead() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
    int line() const { return now().line; }

    Token next() {
        const Token token = now();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    bool skip_name(std::string_view name) { return now().is_name(name) && step(); }
    bool skip_mark(std::string_view mark) { return now().is_mark(mark) && step(); }
    bool skip(TokenKind kind) { return now().kind == kind && step(); }

    void expect_mark(std::string_view mark) {
        if (!skip_mark(mark)) fail_expected("'" + std::string(mark) + "'");
    }
    void expect_name(std::string_view name) {
        if (!skip_name(name)) fail_expected("'" + std::string(name) + "'");
    }
    std::string_view expect_any_name() {
        if (now().kind != TokenKind::name) fail_expected("a name");
        return next().word;
    }
    void expect(TokenKind kind) {
        Token wanted;
        wanted.kind = kind;
        if (!skip(kind)) fail_expected(describe(wanted));
    }

    [[noreturn]] void fail(const std::string& sentence, int line) const {
        throw Fault{sentence, false, line};
    }
    [[noreturn]] void fail_expected(const std::string& wanted) const {
        fail("expected " + wanted + ", got " + describe(now()), line());
    }

  private:
    bool step() {
        next();
        return true;
    }

    std::vector<Token> tokens_;
    size_t at_ = 0;
};

}  // namespace saker::jinja
