// See lexer.h. The words inside tags are in words.cpp.
#include "jinja/lexer.h"

#include "jinja/chars.h"
#include "jinja/words.h"

namespace saker::jinja {
namespace {

constexpr size_t kNone = std::string_view::npos;

class Lexer {
  public:
    Lexer(std::string_view source, Heap& heap) : source_(source), words_(source, heap) {}

    std::vector<Token> run() {
        while (at_ < source_.size()) outside();
        push(TokenKind::end, "");
        return std::move(tokens_);
    }

  private:
    void push(TokenKind kind, std::string_view word) {
        Token token;
        token.kind = kind;
        token.word = word;
        token.line = line_;
        tokens_.push_back(token);
    }

    // Steps over the source up to `end`.
    void move_to(size_t end) {
        for (; at_ < end; ++at_) line_ += source_[at_] == '\n';
    }

    // The next "{{", "{%" or "{#".
    size_t next_tag() const {
        for (size_t at = at_;; ++at) {
            at = source_.find('{', at);
            if (at == kNone || at + 1 >= source_.size()) return kNone;
            const char c = source_[at + 1];
            if (c == '{' || c == '%' || c == '#') return at;
        }
    }

    void outside() {
        const size_t tag = next_tag();
        if (tag == kNone) {
            push(TokenKind::data, source_.substr(at_));
            move_to(source_.size());
            return;
        }
        const char kind = source_[tag + 1];
        const char sign = tag + 2 < source_.size() ? source_[tag + 2] : ' ';
        data(tag, sign, kind != '{');
        move_to(tag + (sign == '-' || sign == '+' ? 3 : 2));
        if (kind == '#') {
            comment();
        } else if (kind == '{') {
            inside(TokenKind::variable_begin, TokenKind::variable_end, "}}");
        } else if (const size_t body = raw_body(); body != kNone) {
            move_to(body);
            raw();
        } else {
            inside(TokenKind::block_begin, TokenKind::block_end, "%}");
        }
    }

    // Data before a tag at `end`, without the whitespace that the tag takes.
    void data(size_t end, char sign, bool is_block) {
        std::string_view text = source_.substr(at_, end - at_);
        if (sign == '-') {
            text = text.substr(0, size_without_end_blanks(text));
        } else if (sign != '+' && is_block) {
            const size_t line = text.rfind('\n') + 1;
            const bool is_line_start = line > 0 || at_ == 0 || source_[at_ - 1] == '\n';
            if (is_line_start && skip_blanks(text, line) == text.size())
                text = text.substr(0, line);
        }
        if (!text.empty()) push(TokenKind::data, text);
    }

    // Behind the end mark of a tag, at `end`: '-' before the mark takes all whitespace, and where
    // `trims`, no sign takes one line end.
    void close(size_t end, bool has_minus, bool trims) {
        if (has_minus)
            end = skip_blanks(source_, end);
        else if (trims && end < source_.size() && source_[end] == '\n')
            ++end;
        move_to(end);
    }

    void comment() {
        const size_t end = source_.find("#}", at_);
        if (end == kNone) throw Fault{"Missing end of comment tag", false, line_};
        const char sign = end > at_ ? source_[end - 1] : ' ';
        close(end + 2, sign == '-', sign != '+');
    }

    // Where the text of a raw block begins, if the block that was just opened is one.
    size_t raw_body() const {
        size_t at = skip_blanks(source_, at_);
        if (source_.substr(at, 3) != "raw") return kNone;
        at = skip_blanks(source_, at + 3);
        if (source_.substr(at, 2) == "%}") return at + 2;
        return source_.substr(at, 3) == "-%}" ? skip_blanks(source_, at + 3) : kNone;
    }

    void raw() {
        for (size_t tag = at_;; tag += 2) {
            tag = source_.find("{%", tag);
            if (tag == kNone) throw Fault{"Missing end of raw directive", false, line_};
            size_t at = tag + 2;
            const char sign = at < source_.size() ? source_[at] : ' ';
            if (sign == '-' || sign == '+') ++at;
            at = skip_blanks(source_, at);
            if (source_.substr(at, 6) != "endraw") continue;
            at = skip_blanks(source_, at + 6);
            const char end_sign = at < source_.size() ? source_[at] : ' ';
            if (end_sign == '-' || end_sign == '+') ++at;
            if (source_.substr(at, 2) != "%}") continue;
            data(tag, sign, true);
            close(at + 2, end_sign == '-', end_sign != '+');
            return;
        }
    }

    void inside(TokenKind begin, TokenKind end, std::string_view mark) {
        push(begin, "");
        const bool is_block = end == TokenKind::block_end;
        for (;;) {
            move_to(skip_blanks(source_, at_));
            if (at_ == source_.size()) return;
            const std::string_view left = source_.substr(at_);
            const char sign = left[0] == '-' || (is_block && left[0] == '+') ? left[0] : ' ';
            if (words_.is_balanced() && left.substr(sign != ' ').starts_with(mark)) {
                push(end, "");
                close(at_ + mark.size() + (sign != ' '), sign == '-', is_block && sign != '+');
                return;
            }
            Token token;
            token.line = line_;
            const size_t next = words_.read(at_, token);
            tokens_.push_back(token);
            move_to(next);
        }
    }

    std::string_view source_;
    WordReader words_;
    size_t at_ = 0;
    int line_ = 1;
    std::vector<Token> tokens_;
};

}  // namespace

std::string normal_source(std::string_view source) {
    std::string out;
    out.reserve(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
            continue;
        }
        out += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
    if (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
}

std::vector<Token> tokenize(std::string_view source, Heap& heap) {
    return Lexer(source, heap).run();
}

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::data:
            return "template data";
        case TokenKind::block_begin:
            return "'{%'";
        case TokenKind::block_end:
            return "'%}'";
        case TokenKind::variable_begin:
            return "'{{'";
        case TokenKind::variable_end:
            return "'}}'";
        case TokenKind::constant:
            return "a constant";
        case TokenKind::end:
            return "the end of the template";
        default:
            return "'" + std::string(token.word) + "'";
    }
}

}  // namespace saker::jinja
