// See text_methods.h.
#include "jinja/text_methods.h"

#include <algorithm>

#include "base/utf8.h"
#include "jinja/chars.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace saker::jinja {
namespace {

constexpr size_t kNone = std::string_view::npos;

struct Call {
    Heap& heap;
    const Text& self;
    std::string_view name;
    const Arguments& arguments;

    const Text& text(size_t place, std::string_view argument) const {
        return arguments.require_text(name, place, argument);
    }
};

Value list_of(Heap& heap, const std::vector<const Text*>& texts,
              List::Shape shape = List::Shape::list) {
    std::vector<Value> values;
    for (const Text* text : texts) values.push_back(value_of(text));
    return value_of(make_list(heap, values, shape));
}

// --- strip, split ---

const Text* characters_of(const Call& c) {
    const Value given = c.arguments.get(0, "chars", none_value());
    if (given.is(Kind::none)) return nullptr;
    return &c.text(0, "chars");
}

Value strip(const Call& c) {
    c.arguments.accept(c.name, {"chars"});
    const Side side = c.name == "lstrip"   ? Side::left
                      : c.name == "rstrip" ? Side::right
                                           : Side::both;
    return value_of(strip_text(c.heap, c.self, characters_of(c), side));
}

// Without a separator: at blanks, and none of the parts is empty.
std::vector<const Text*> split_at_blanks(const Call& c, int64_t most) {
    std::vector<const Text*> parts;
    const std::string_view view = c.self.view();
    c.heap.charge_bytes(view.size());
    for (size_t at = skip_blanks(view, 0); at < view.size(); at = skip_blanks(view, at)) {
        size_t end = at;
        if (most-- == 0) {
            end = size_without_end_blanks(view);
        } else {
            while (end < view.size()) {
                const Decoded next = decode_utf8(view.substr(end));
                if (is_space(next.code_point)) break;
                end += next.size;
            }
        }
        parts.push_back(slice_text(c.heap, c.self, at, end));
        c.heap.charge();
        at = end;
    }
    return parts;
}

std::vector<const Text*> split_at(const Call& c, std::string_view separator, int64_t most) {
    std::vector<const Text*> parts;
    size_t at = 0;
    while (most-- != 0) {
        const size_t found = find_text(c.heap, c.self.view(), separator, at);
        if (found == kNone) break;
        parts.push_back(slice_text(c.heap, c.self, at, found));
        at = found + separator.size();
    }
    parts.push_back(slice_text(c.heap, c.self, at, c.self.size));
    return parts;
}

// From the end; the parts in their order.
std::vector<const Text*> split_from_end(const Call& c, std::string_view separator, int64_t most) {
    std::vector<size_t> found;  // from the end, as they do not overlap
    size_t end = c.self.size;
    while (most-- != 0) {
        const size_t at = find_last_text(c.heap, c.self.view().substr(0, end), separator);
        if (at == kNone) break;
        found.push_back(at);
        end = at;
    }
    std::vector<const Text*> parts;
    size_t begin = 0;
    for (auto at = found.rbegin(); at != found.rend(); ++at) {
        parts.push_back(slice_text(c.heap, c.self, begin, *at));
        begin = *at + separator.size();
    }
    parts.push_back(slice_text(c.heap, c.self, begin, c.self.size));
    return parts;
}

Value split(const Call& c) {
    c.arguments.accept(c.name, {"sep", "maxsplit"});
    const int64_t most = c.arguments.get_integer(1, "maxsplit", -1);
    const bool from_end = c.name == "rsplit";
    if (c.arguments.get(0, "sep", none_value()).is(Kind::none)) {
        if (from_end && most >= 0) throw Fault{"rsplit at blanks with a limit is not supported"};
        return list_of(c.heap, split_at_blanks(c, most));
    }
    const Text& separator = c.text(0, "sep");
    if (separator.size == 0) throw Fault{"empty separator"};
    return list_of(c.heap, from_end ? split_from_end(c, separator.view(), most)
                                    : split_at(c, separator.view(), most));
}

Value partition(const Call& c) {
    c.arguments.accept(c.name, {"sep"});
    const Text& separator = c.text(0, "sep");
    if (separator.size == 0) throw Fault{"empty separator"};
    const bool from_end = c.name == "rpartition";
    const size_t at = from_end ? find_last_text(c.heap, c.self.view(), separator.view())
                               : find_text(c.heap, c.self.view(), separator.view());
    const Text* const none = slice_text(c.heap, c.self, 0, 0);
    std::vector<const Text*> parts = {&c.self, none, none};
    if (at != kNone)
        parts = {slice_text(c.heap, c.self, 0, at),
                 slice_text(c.heap, c.self, at, at + separator.size),
                 slice_text(c.heap, c.self, at + separator.size, c.self.size)};
    else if (from_end)
        parts = {none, none, &c.self};
    return list_of(c.heap, parts, List::Shape::tuple);
}

Value splitlines(const Call& c) {
    c.arguments.accept(c.name, {"keepends"});
    return list_of(c.heap, split_lines(c.heap, c.self, c.arguments.get_bool(0, "keepends", false)));
}

// --- search ---

// startswith and endswith take one text or a tuple of them.
Value has_end(const Call& c) {
    c.arguments.accept(c.name, {"affix"});
    const Value given = c.arguments.require(c.name, 0, "affix");
    const bool at_start = c.name == "startswith";
    const auto matches = [&](const Value& affix) {
        if (!affix.is_text()) {
            expect_defined(affix);
            throw Fault{std::string(c.name) + " first arg must be str or a tuple of str, not " +
                        std::string(kind_name(affix))};
        }
        c.heap.charge_bytes(affix.text->size);
        return at_start ? c.self.view().starts_with(affix.view())
                        : c.self.view().ends_with(affix.view());
    };
    if (!given.is(Kind::list) || given.list->shape != List::Shape::tuple)
        return value_of(matches(given));
    for (const Value& affix : given.list->all())
        if (matches(affix)) return value_of(true);
    return value_of(false);
}

Value find(const Call& c) {
    c.arguments.accept(c.name, {"sub"});
    const bool last = c.name == "rfind" || c.name == "rindex";
    const std::string_view wanted = c.text(0, "sub").view();
    const size_t at = last ? find_last_text(c.heap, c.self.view(), wanted)
                           : find_text(c.heap, c.self.view(), wanted);
    if (at != kNone)
        return value_of(static_cast<int64_t>(count_characters(c.self.view().substr(0, at))));
    if (c.name == "index" || c.name == "rindex") throw Fault{"substring not found"};
    return value_of(int64_t{-1});
}

Value count(const Call& c) {
    c.arguments.accept(c.name, {"sub"});
    const std::string_view wanted = c.text(0, "sub").view();
    if (wanted.empty()) return value_of(length_of(c.heap, value_of(&c.self)) + 1);
    int64_t number = 0;
    for (size_t at = find_text(c.heap, c.self.view(), wanted); at != kNone;
         at = find_text(c.heap, c.self.view(), wanted, at + wanted.size()))
        ++number;
    return value_of(number);
}

// --- new texts ---

Value replace(const Call& c) {
    c.arguments.accept(c.name, {"old", "new", "count"});
    return value_of(replace_text(c.heap, c.self, c.text(0, "old"), c.text(1, "new"),
                                 c.arguments.get_integer(2, "count", -1)));
}

Value join(const Call& c) {
    c.arguments.accept(c.name, {"iterable"});
    TextBuilder out(c.heap);
    bool is_first = true;
    for (const Value& item : items_of(c.heap, c.arguments.require(c.name, 0, "iterable"))) {
        if (!item.is_text())
            throw Fault{"sequence item: expected str instance, " + std::string(kind_name(item)) +
                        " found"};
        if (!is_first) out.append(c.self);
        is_first = false;
        out.append(*item.text);
    }
    return value_of(out.finish());
}

Value change_case(const Call& c) {
    c.arguments.accept(c.name, {});
    if (c.name == "capitalize") return value_of(capitalize_text(c.heap, c.self));
    return value_of(text_in_case(c.heap, c.self, c.name == "upper"));
}

// str.title: a letter behind no letter is large.
Value title(const Call& c) {
    c.arguments.accept(c.name, {});
    TextBuilder out(c.heap);
    bool is_inside = false;
    for (size_t at = 0; at < c.self.size;) {
        const Decoded next = decode_utf8(c.self.view().substr(at));
        std::string letter;
        append_in_case(next.code_point, is_inside ? Case::lower : Case::title, letter);
        out.append(letter, c.self.origin_at(at));
        is_inside = is_alphabetic(next.code_point);
        at += next.size;
    }
    return value_of(out.finish());
}

Value remove_affix(const Call& c) {
    c.arguments.accept(c.name, {"affix"});
    const std::string_view affix = c.text(0, "affix").view();
    size_t begin = 0, end = c.self.size;
    if (c.name == "removeprefix" && c.self.view().starts_with(affix)) begin = affix.size();
    if (c.name == "removesuffix" && c.self.view().ends_with(affix)) end -= affix.size();
    return value_of(slice_text(c.heap, c.self, begin, end));
}

// --- questions ---

Value is_made_of(const Call& c) {
    c.arguments.accept(c.name, {});
    const std::string_view view = c.self.view();
    c.heap.charge_bytes(view.size() * 4);
    bool has_cased = false, holds = !view.empty();
    for (size_t at = 0; at < view.size();) {
        const Decoded next = decode_utf8(view.substr(at));
        const char32_t letter = next.code_point;
        at += next.size;
        has_cased = has_cased || is_upper(letter) || is_lower(letter);
        if (c.name == "isspace") holds = holds && is_space(letter);
        if (c.name == "isdigit") holds = holds && is_digit(letter);
        if (c.name == "isalpha") holds = holds && is_alphabetic(letter);
        if (c.name == "isalnum") holds = holds && (is_alphabetic(letter) || is_digit(letter));
        if (c.name == "isupper") holds = holds && !is_lower(letter);
        if (c.name == "islower") holds = holds && !is_upper(letter);
    }
    return value_of(holds && (has_cased || (c.name != "isupper" && c.name != "islower")));
}

struct Row {
    std::string_view name;
    Value (*call)(const Call&);
};
constexpr Row kRows[] = {
    {"strip", strip},
    {"lstrip", strip},
    {"rstrip", strip},
    {"split", split},
    {"rsplit", split},
    {"splitlines", splitlines},
    {"partition", partition},
    {"rpartition", partition},
    {"startswith", has_end},
    {"endswith", has_end},
    {"find", find},
    {"rfind", find},
    {"index", find},
    {"rindex", find},
    {"count", count},
    {"replace", replace},
    {"join", join},
    {"upper", change_case},
    {"lower", change_case},
    {"capitalize", change_case},
    {"title", title},
    {"removeprefix", remove_affix},
    {"removesuffix", remove_affix},
    {"isspace", is_made_of},
    {"isdigit", is_made_of},
    {"isalpha", is_made_of},
    {"isalnum", is_made_of},
    {"isupper", is_made_of},
    {"islower", is_made_of},
};
// What else a str of Python has.
constexpr std::string_view kMissing[] = {
    "casefold", "center",    "encode",    "expandtabs",  "format",    "format_map",
    "isascii",  "isdecimal", "isnumeric", "isprintable", "istitle",   "isidentifier",
    "ljust",    "rjust",     "maketrans", "swapcase",    "translate", "zfill",
};

}  // namespace

MethodKind find_text_method(std::string_view name) {
    for (const Row& row : kRows)
        if (row.name == name) return MethodKind::known;
    const bool is_missing =
        std::find(std::begin(kMissing), std::end(kMissing), name) != std::end(kMissing);
    return is_missing ? MethodKind::missing : MethodKind::none;
}

Value call_text_method(Heap& heap, const Text& self, std::string_view name,
                       const Arguments& arguments) {
    for (const Row& row : kRows)
        if (row.name == name) return row.call({heap, self, name, arguments});
    throw Fault{"the method '" + std::string(name) + "' is not known"};
}

const Text* strip_text(Heap& heap, const Text& text, const Text* characters, Side side) {
    const std::string_view view = text.view();
    const auto is_stripped = [&](std::string_view character) {
        if (!characters) return is_space(decode_utf8(character).code_point);
        heap.charge_bytes(characters->size);
        return characters->view().find(character) != kNone;
    };
    size_t begin = 0, end = view.size();
    while (side != Side::right && begin < end) {
        const size_t size = character_size(view, begin);
        if (!is_stripped(view.substr(begin, size))) break;
        begin += size;
    }
    while (side != Side::left && begin < end) {
        size_t at = end - 1;
        while (at > begin && (static_cast<unsigned char>(view[at]) & 0xC0) == 0x80) --at;
        if (!is_stripped(view.substr(at, end - at))) break;
        end = at;
    }
    heap.charge_bytes(begin + (view.size() - end));
    return slice_text(heap, text, begin, end);
}

const Text* replace_text(Heap& heap, const Text& text, const Text& old, const Text& by,
                         int64_t count) {
    TextBuilder out(heap);
    size_t done = 0;
    const std::string_view view = text.view();
    while (count-- != 0) {
        heap.charge();
        if (old.size == 0) {  // before each character, and at the end
            out.append(by);
            if (done == view.size()) return out.finish();
            const size_t size = character_size(view, done);
            out.append(text, done, done + size);
            done += size;
            continue;
        }
        const size_t at = find_text(heap, view, old.view(), done);
        if (at == kNone) break;
        out.append(text, done, at);
        out.append(by);
        done = at + old.size;
    }
    if (done == 0 && out.size() == 0) return &text;
    out.append(text, done, view.size());
    return out.finish();
}

const Text* text_in_case(Heap& heap, const Text& text, bool upper) {
    TextBuilder out(heap);
    std::string letters;
    for (size_t at = 0; at < text.size;) {
        const Origin origin = text.origin_at(at);
        letters.clear();
        while (at < text.size && letters.size() < 4096 && text.origin_at(at) == origin) {
            const Decoded next = decode_utf8(text.view().substr(at));
            append_in_case(next.code_point, upper ? Case::upper : Case::lower, letters);
            at += next.size;
        }
        heap.charge_bytes(letters.size() * 8);
        out.append(letters, origin);
    }
    return out.finish();
}

const Text* capitalize_text(Heap& heap, const Text& text) {
    if (text.size == 0) return &text;
    const size_t first = character_size(text.view(), 0);
    std::string letter;
    append_in_case(decode_utf8(text.view()).code_point, Case::title, letter);
    TextBuilder out(heap);
    out.append(letter, text.origin_at(0));
    out.append(*text_in_case(heap, *slice_text(heap, text, first, text.size), false));
    return out.finish();
}

std::vector<const Text*> split_lines(Heap& heap, const Text& text, bool keep_ends) {
    std::vector<const Text*> lines;
    const std::string_view view = text.view();
    heap.charge_bytes(view.size());
    size_t begin = 0;
    for (size_t at = 0; at < view.size();) {
        const Decoded next = decode_utf8(view.substr(at));
        const size_t line = at;
        at += next.size;
        if (!is_line_end(next.code_point)) continue;
        if (next.code_point == '\r' && at < view.size() && view[at] == '\n') ++at;
        lines.push_back(slice_text(heap, text, begin, keep_ends ? at : line));
        heap.charge();
        begin = at;
    }
    if (begin < view.size()) lines.push_back(slice_text(heap, text, begin, view.size()));
    return lines;
}

}  // namespace saker::jinja
