// The scanner follows the alternatives of the pattern in their order; the names a1 to a7 below are
// their places in it:
//   a1 (?i:'s|'t|'re|'ve|'m|'ll|'d)   a2 [^\r\n\p{L}\p{N}]?\p{L}+   a3 \p{N}
//   a4  ?[^\s\p{L}\p{N}]+[\r\n]*      a5 \s*[\r\n]+   a6 \s+(?!\S)   a7 \s+
#include "text/pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <stdexcept>

#include "base/check.h"
#include "base/utf8.h"

namespace saker {
namespace {

size_t end_of_letters(const CharTable& table, std::string_view text, size_t at) {
    while (at < text.size()) {
        const CharTable::Char c = table.at(text.data() + at);
        if (!(c.bits & kLetter)) break;
        at += c.size;
    }
    return at;
}

// The end of a4 behind its optional blank: symbols, then line ends.
size_t end_of_symbols(const CharTable& table, std::string_view text, size_t at) {
    while (at < text.size()) {
        const CharTable::Char c = table.at(text.data() + at);
        if (c.bits & (kLetter | kNumber | kSpace)) break;
        at += c.size;
    }
    while (at < text.size() && (text[at] == '\r' || text[at] == '\n')) ++at;
    return at;
}

// a5, a6 and a7 at a white space: up to the last line end of the run, else the run without the
// blank that belongs to what follows, else all of it.
size_t end_of_space(const CharTable& table, std::string_view text, size_t begin) {
    size_t at = begin, last = begin, after_newline = begin;
    while (at < text.size()) {
        const CharTable::Char c = table.at(text.data() + at);
        if (!(c.bits & kSpace)) break;
        last = at;
        at += c.size;
        if (c.bits & kNewline) after_newline = at;
    }
    if (after_newline > begin) return after_newline;
    return at == text.size() || last == begin ? at : last;
}

// a1 at an apostrophe: its size, or 0. Case folding also takes U+017F, the long s, for an s.
size_t size_of_contraction(std::string_view rest) {
    if (rest.size() < 2) return 0;
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; };
    const char a = lower(rest[1]);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
    if (rest.size() < 3) return 0;
    if (rest[1] == '\xC5' && rest[2] == '\xBF') return 3;
    const char b = lower(rest[2]);
    return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? 3 : 0;
}

}  // namespace

size_t qwen_piece_end(const CharTable& table, std::string_view text, size_t begin) {
    if (text[begin] == '\'')
        if (const size_t size = size_of_contraction(text.substr(begin))) return begin + size;
    const CharTable::Char c = table.at(text.data() + begin);
    const size_t behind = begin + c.size;
    if (c.bits & kLetter) return end_of_letters(table, text, behind);
    if (c.bits & kNumber) return behind;
    uint8_t next_bits =
        kSpace;  // at the end of the text, as before a blank: a2 and a4 do not match
    if (behind < text.size()) next_bits = table.at(text.data() + behind).bits;
    if ((next_bits & kLetter) && !(c.bits & kNewline)) return end_of_letters(table, text, behind);
    if (!(c.bits & kSpace)) return end_of_symbols(table, text, begin);
    if (text[begin] == ' ' && !(next_bits & (kLetter | kNumber | kSpace)))
        return end_of_symbols(table, text, behind);
    return end_of_space(table, text, begin);
}

// --- any other pattern, under PCRE2 ---

namespace {

constexpr size_t kMaxPatternBytes = 4096;
constexpr uint32_t kMatchLimit = 1'000'000;

template <auto Free>
struct Freer {
    template <class T>
    void operator()(T* p) const {
        Free(p);
    }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Freer<Free>>;

// Oniguruma's \s is White_Space; PCRE2's also takes U+180E. \h means another thing in each.
std::string to_pcre(std::string_view pattern) {
    std::string out;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '\\' || i + 1 == pattern.size()) {
            out += pattern[i];
            continue;
        }
        const char escape = pattern[++i];
        if (escape == 's')
            out += "\\p{White_Space}";
        else if (escape == 'S')
            out += "\\P{White_Space}";
        else if (escape == 'h' || escape == 'H')
            throw std::invalid_argument("uses \\h, which is not supported");
        else
            (out += '\\') += escape;
    }
    return out;
}

}  // namespace

struct SplitPattern::Code {
    Owned<pcre2_code, pcre2_code_free> compiled;
};

struct PieceCursor::Matching {
    Owned<pcre2_match_data, pcre2_match_data_free> found;
    Owned<pcre2_match_context, pcre2_match_context_free> limits;
    Owned<pcre2_jit_stack, pcre2_jit_stack_free> stack;
};

SplitPattern::SplitPattern(std::string_view pattern) {
    if (pattern.size() > kMaxPatternBytes) throw std::invalid_argument("is longer than 4096 bytes");
    const std::string translated = to_pcre(pattern);
    int error = 0;
    PCRE2_SIZE where = 0;
    auto code = std::make_unique<Code>();
    code->compiled.reset(
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error,
                      &where, nullptr));
    if (!code->compiled)
        throw std::invalid_argument("does not compile at byte " + std::to_string(where));
    pcre2_jit_compile(code->compiled.get(),
                      PCRE2_JIT_COMPLETE);  // where it fails, PCRE2 interprets
    code_ = std::move(code);

    for (const std::string_view unit :
         {"a", " ", "1", "!", "\n", "a ", "a1", "'s", "\xE4\xB8\xAD"}) {
        std::string probe;
        while (probe.size() < 4096) probe += unit;
        for (const char* end : {"", "!", "b", " x"}) {
            const std::string text = probe + end;
            PieceCursor cursor(*this, text);
            while (cursor.next()) continue;
            if (cursor.ran_away())
                throw std::invalid_argument("takes unbounded time on simple texts");
        }
    }
}

SplitPattern::~SplitPattern() = default;

PieceCursor::PieceCursor(const SplitPattern& pattern, std::string_view text)
    : code_(pattern.code_.get()), text_(text), matching_(std::make_unique<Matching>()) {
    matching_->found.reset(pcre2_match_data_create_from_pattern(code_->compiled.get(), nullptr));
    matching_->limits.reset(pcre2_match_context_create(nullptr));
    matching_->stack.reset(pcre2_jit_stack_create(32 << 10, 1 << 20, nullptr));
    CHECK(matching_->found && matching_->limits && matching_->stack, "PCRE2 has no memory");
    pcre2_set_match_limit(matching_->limits.get(), kMatchLimit);
    pcre2_jit_stack_assign(matching_->limits.get(), nullptr, matching_->stack.get());
    find();
}

PieceCursor::~PieceCursor() = default;

void PieceCursor::restart(std::string_view text) {
    text_ = text;
    done_ = 0;
    ran_away_ = false;
    find();
}

// The next match that is not empty, from done_ on.
void PieceCursor::find() {
    size_t from = done_;
    has_match_ = false;
    while (from < text_.size()) {
        const int n = pcre2_match(code_->compiled.get(), reinterpret_cast<PCRE2_SPTR>(text_.data()),
                                  text_.size(), from, PCRE2_NO_UTF_CHECK, matching_->found.get(),
                                  matching_->limits.get());
        if (n < 0) {
            ran_away_ = n != PCRE2_ERROR_NOMATCH;
            return;
        }
        const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(matching_->found.get());
        if (ends[1] > ends[0] && ends[0] >= done_) {
            match_begin_ = ends[0];
            match_end_ = ends[1];
            has_match_ = true;
            return;
        }
        from = std::max<size_t>(from, ends[1]);
        from += decode_utf8(text_.substr(from)).size;
    }
}

std::optional<std::string_view> PieceCursor::next() {
    if (done_ == text_.size()) return std::nullopt;
    const size_t begin = done_;
    if (has_match_ && match_begin_ == begin) {
        done_ = match_end_;
        find();
    } else {
        done_ = has_match_ ? match_begin_ : text_.size();
    }
    return text_.substr(begin, done_ - begin);
}

}  // namespace saker
