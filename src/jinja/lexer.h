// The text of a template as tokens: data between tags, and the words inside them.
//
// Whitespace is dealt with here, as Jinja does with trim_blocks and lstrip_blocks: one line end
// behind a block or comment goes, and so do the blanks before one that is alone on its line; '-'
// takes all whitespace on its side, '+' leaves it. A fault is thrown with its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jinja/value.h"

namespace saker::jinja {

enum class TokenKind {
    data,
    block_begin,
    block_end,
    variable_begin,
    variable_end,
    name,
    constant,  // a number or a string
    mark,      // an operator or a bracket
    end,
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view word;  // of data, names and marks: in the source, or a literal
    Value constant;
    int line = 1;

    bool is_mark(std::string_view m) const { return kind == TokenKind::mark && word == m; }
    bool is_name(std::string_view n) const { return kind == TokenKind::name && word == n; }
};

/// `source` with all line ends as \n, and without the last one.
std::string normal_source(std::string_view source);

/// Tokens of a normal source, the last one `end`. Words are views of it; constants lie in `heap`.
std::vector<Token> tokenize(std::string_view source, Heap& heap);

/// How a message names the token: "'endfor'", "end of the template".
std::string describe(const Token& token);

}  // namespace saker::jinja
