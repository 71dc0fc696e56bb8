// WordReader: the names, numbers, strings and operators inside the tags of a template.
//
// lexer.cpp finds the tags; while a bracket is open, their end marks are operators.
#pragma once

#include <string_view>
#include <vector>

#include "jinja/lexer.h"

namespace saker::jinja {

class WordReader {
  public:
    WordReader(std::string_view source, Heap& heap) : source_(source), heap_(heap) {}

    /// Reads the word at `at`, which is no blank, into `token`, whose line is set; returns where it
    /// ends.
    size_t read(size_t at, Token& token);

    /// Whether no bracket is open.
    bool is_balanced() const { return open_.empty(); }

  private:
    size_t read_number(size_t at, Token& token);
    size_t read_string(size_t at, Token& token);
    size_t read_mark(size_t at, Token& token);

    std::string_view source_;
    Heap& heap_;
    std::vector<char> open_;  // the brackets that are to close
};

}  // namespace saker::jinja
