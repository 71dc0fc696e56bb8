// See filters.h. Filters of one value: texts, numbers, JSON.
#include "jinja/filters.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/utf8.h"
#include "jinja/chars.h"
#include "jinja/methods.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace saker::jinja {
namespace {

const Text& subject_text(const FilterCall& c) {
    return *print(c.heap, c.subject);
}

// --- texts ---

Value string(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    return value_of(print(c.heap, c.subject));
}

Value change_case(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    const Text& text = subject_text(c);
    if (c.name == "capitalize") return value_of(capitalize_text(c.heap, text));
    return value_of(text_in_case(c.heap, text, c.name == "upper"));
}

// Words begin behind blanks, '-' and opening brackets.
Value title(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    const Text& text = subject_text(c);
    TextBuilder out(c.heap);
    bool is_start = true;
    for (size_t at = 0; at < text.size;) {
        const Decoded next = decode_utf8(text.view().substr(at));
        const char32_t letter = next.code_point;
        std::string written;
        append_in_case(letter, is_start ? Case::upper : Case::lower, written);
        out.append(written, text.origin_at(at));
        is_start = is_space(letter) || letter == '-' || letter == '(' || letter == '{' ||
                   letter == '[' || letter == '<';
        at += next.size;
    }
    return value_of(out.finish());
}

Value trim(const FilterCall& c) {
    c.arguments.accept(c.name, {"chars"});
    const bool has_chars = !c.arguments.get(0, "chars", none_value()).is(Kind::none);
    const Text* chars = has_chars ? &c.arguments.require_text(c.name, 0, "chars") : nullptr;
    return value_of(strip_text(c.heap, subject_text(c), chars, Side::both));
}

Value replace(const FilterCall& c) {
    c.arguments.accept(c.name, {"old", "new", "count"});
    const Text* old = print(c.heap, c.arguments.require(c.name, 0, "old"));
    const Text* by = print(c.heap, c.arguments.require(c.name, 1, "new"));
    const bool has_count = !c.arguments.get(2, "count", none_value()).is(Kind::none);
    const int64_t count = has_count ? c.arguments.get_integer(2, "count", -1) : -1;
    return value_of(replace_text(c.heap, subject_text(c), *old, *by, count));
}

Value indent(const FilterCall& c) {
    c.arguments.accept(c.name, {"width", "first", "blank"});
    expect_defined(c.subject);
    if (!c.subject.is_text()) throw Fault{"indent needs a text"};
    const Value width = c.arguments.get(0, "width", value_of(int64_t{4}));
    const Text* by = width.is_text() ? width.text : nullptr;
    if (!by) {
        const int64_t blanks = c.arguments.get_integer(0, "width", 4);
        if (blanks > 10'000) throw Fault{"indents by more than 10000"};
        by = copy_text(c.heap, std::string(static_cast<size_t>(std::max<int64_t>(blanks, 0)), ' '),
                       Origin::author);
    }
    const bool first = c.arguments.get_bool(1, "first", false);
    const bool blank = c.arguments.get_bool(2, "blank", false);
    const Text newline{.bytes = "\n", .size = 1};
    const auto lines = split_lines(c.heap, *join_texts(c.heap, *c.subject.text, newline));
    TextBuilder out(c.heap);
    for (size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) out.append(newline);
        if (i == 0 ? first : blank || lines[i]->size > 0) out.append(*by);
        out.append(*lines[i]);
    }
    return value_of(out.finish());
}

Value wordcount(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    const std::string_view view = subject_text(c).view();
    c.heap.charge_bytes(view.size());
    int64_t words = 0;
    bool was_word = false;
    for (size_t at = 0; at < view.size();) {
        const Decoded next = decode_utf8(view.substr(at));
        const char32_t letter = next.code_point;
        const bool is_word = is_alphabetic(letter) || is_digit(letter) || letter == '_';
        words += is_word && !was_word;
        was_word = is_word;
        at += next.size;
    }
    return value_of(words);
}

// --- JSON ---

Value tojson(const FilterCall& c) {
    c.arguments.accept(c.name, {"ensure_ascii", "indent", "separators", "sort_keys"});
    JsonStyle style;
    style.ensure_ascii = c.arguments.get_bool(0, "ensure_ascii", false);
    style.sort_keys = c.arguments.get_bool(3, "sort_keys", false);
    const Value indent = c.arguments.get(1, "indent", none_value());
    std::string blanks;
    if (!indent.is(Kind::none)) {
        style.has_lines = true;
        style.item_end = ",";
        if (indent.is_text()) {
            style.indent = indent.view();
        } else {
            const int64_t width = c.arguments.get_integer(1, "indent", 0);
            if (width > 100) throw Fault{"tojson indents by more than 100"};
            blanks.assign(static_cast<size_t>(std::max<int64_t>(width, 0)), ' ');
            style.indent = blanks;
        }
    }
    const Value separators = c.arguments.get(2, "separators", none_value());
    if (!separators.is(Kind::none)) {
        const auto both = items_of(c.heap, separators);
        if (both.size() != 2 || !both[0].is_text() || !both[1].is_text())
            throw Fault{"the separators of tojson must be two texts"};
        style.item_end = both[0].view();
        style.key_end = both[1].view();
    }
    TextBuilder out(c.heap);
    print_json_to(c.heap, c.subject, style, out);
    return value_of(out.finish());
}

// --- numbers ---

std::string_view without_blanks(std::string_view text) {
    text = text.substr(0, size_without_end_blanks(text));
    return text.substr(skip_blanks(text, 0));
}

std::optional<double> parse_real(std::string_view text) {
    text = without_blanks(text);
    const bool has_sign = text.starts_with('+') || text.starts_with('-');
    const bool is_negative = text.starts_with('-');
    if (has_sign) text.remove_prefix(1);
    if (text.empty() || text[0] == '-' || text[0] == '+') return std::nullopt;
    double out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ptr != text.data() + text.size() || read.ec == std::errc::invalid_argument)
        return std::nullopt;
    if (read.ec == std::errc::result_out_of_range) return std::nullopt;
    return is_negative ? -out : out;
}

std::optional<int64_t> parse_integer(std::string_view text, int64_t base) {
    text = without_blanks(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    int64_t out = 0;
    const auto read =
        std::from_chars(text.data(), text.data() + text.size(), out, static_cast<int>(base));
    if (read.ec == std::errc::result_out_of_range)
        throw Fault{"an integer of more than 64 bits cannot be computed with"};
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return out;
}

std::optional<int64_t> truncated(double d) {
    if (!(std::fabs(d) < 9.2e18)) return std::nullopt;
    return static_cast<int64_t>(d);
}

Value to_integer(const FilterCall& c) {
    c.arguments.accept(c.name, {"default", "base"});
    const int64_t base = c.arguments.get_integer(1, "base", 10);
    if (base < 2 || base > 36) throw Fault{"the base of int must be from 2 to 36"};
    const Value otherwise = c.arguments.get(0, "default", value_of(int64_t{0}));
    std::optional<int64_t> out;
    if (c.subject.is(Kind::big_integer)) return c.subject;
    if (c.subject.is_text()) {
        out = parse_integer(c.subject.view(), base);
        if (!out)
            if (const auto real = parse_real(c.subject.view())) out = truncated(*real);
    } else if (c.subject.is(Kind::real)) {
        out = truncated(c.subject.real);
    } else if (is_number(c.subject)) {
        out = integer_of(c.subject);
    }
    return out ? value_of(*out) : otherwise;
}

Value to_real(const FilterCall& c) {
    c.arguments.accept(c.name, {"default"});
    if (is_number(c.subject)) return value_of(real_of(c.subject));
    if (c.subject.is_text() || c.subject.is(Kind::big_integer))
        if (const auto real = parse_real(c.subject.view())) return value_of(*real);
    return c.arguments.get(0, "default", value_of(0.0));
}

Value absolute(const FilterCall& c) {
    c.arguments.accept(c.name, {});
    expect_defined(c.subject);
    if (!is_number(c.subject))
        throw Fault{"bad operand type for abs(): '" + std::string(kind_name(c.subject)) + "'"};
    if (c.subject.is(Kind::real)) return value_of(std::fabs(c.subject.real));
    return integer_of(c.subject) < 0 ? negate(c.subject) : value_of(integer_of(c.subject));
}

Value round(const FilterCall& c) {
    c.arguments.accept(c.name, {"precision", "method"});
    expect_defined(c.subject);
    if (!is_number(c.subject)) throw Fault{"round needs a number"};
    const int64_t precision = c.arguments.get_integer(0, "precision", 0);
    if (precision < 0 || precision > 100) throw Fault{"the precision of round must be 0 to 100"};
    const Value method = c.arguments.get(1, "method", none_value());
    const std::string_view how = method.is_text() ? method.view() : "common";
    if (how == "common") {
        if (!c.subject.is(Kind::real)) return value_of(integer_of(c.subject));
        if (!std::isfinite(c.subject.real)) return c.subject;
        char digits[512];
        const int size = std::snprintf(digits, sizeof digits, "%.*f", static_cast<int>(precision),
                                       c.subject.real);
        double out = 0;
        std::from_chars(digits, digits + size, out);
        return value_of(out);
    }
    if (how != "ceil" && how != "floor") throw Fault{"method must be common, ceil or floor"};
    const double scale = std::pow(10.0, static_cast<double>(precision));
    const double scaled = real_of(c.subject) * scale;
    return value_of((how == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

// --- any value ---

Value otherwise(const FilterCall& c) {
    c.arguments.accept(c.name, {"default_value", "boolean"});
    const bool any_false = c.arguments.get_bool(1, "boolean", false);
    if (!c.subject.is(Kind::undefined) && !(any_false && !is_true(c.subject))) return c.subject;
    return c.arguments.get(0, "default_value", value_of(copy_text(c.heap, "", Origin::author)));
}

Value attribute(const FilterCall& c) {
    c.arguments.accept(c.name, {"name"});
    const Text& name = c.arguments.require_text(c.name, 0, "name");
    // Python's attributes alone: the members of a dict are none.
    if (c.subject.is(Kind::dict) && find_method(c.subject, name.view()) == MethodKind::none)
        return undefined_value(c.heap, "there is no such attribute");
    return attribute_of(c.heap, c.subject, name.view());
}

constexpr FilterRow kRows[] = {
    {"abs", absolute},    {"attr", attribute},    {"capitalize", change_case},
    {"d", otherwise},     {"default", otherwise}, {"float", to_real},
    {"indent", indent},   {"int", to_integer},    {"lower", change_case},
    {"replace", replace}, {"round", round},       {"safe", string},
    {"string", string},   {"title", title},       {"tojson", tojson},
    {"trim", trim},       {"upper", change_case}, {"wordcount", wordcount},
};

}  // namespace

std::span<const FilterRow> value_filters() {
    return kRows;
}

const FilterRow* find_filter(std::string_view name) {
    for (const auto& rows : {value_filters(), list_filters()})
        for (const FilterRow& row : rows)
            if (row.name == name) return &row;
    return nullptr;
}

Value ignore_case(Heap& heap, const Value& v) {
    return v.is_text() ? value_of(text_in_case(heap, *v.text, false)) : v;
}

}  // namespace saker::jinja
