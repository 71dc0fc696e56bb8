// See print.h.
#include "jinja/print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"
#include "jinja/chars.h"
#include "jinja/operators.h"
#include "json/json.h"

namespace saker::jinja {
namespace {

using Shape = List::Shape;

void check_depth(int depth) {
    if (depth > kMaxValueDepth) throw Fault{"values are nested too deeply to be printed"};
}

std::string real_text(double d, bool in_json) {
    if (std::isnan(d)) return in_json ? "NaN" : "nan";
    if (std::isinf(d)) return std::string(d < 0 ? "-" : "") + (in_json ? "Infinity" : "inf");
    return dump_json(json::value(d));
}

// Of none, a boolean or a number that is not big; empty for the rest.
std::string simple_text(const Value& v) {
    switch (v.kind) {
        case Kind::none:
            return "None";
        case Kind::boolean:
            return v.boolean ? "True" : "False";
        case Kind::integer:
            return std::to_string(v.integer);
        case Kind::real:
            return real_text(v.real, false);
        default:
            return "";
    }
}

std::string hex(const char* pattern, char32_t c) {
    char out[16];
    std::snprintf(out, sizeof out, pattern, static_cast<unsigned>(c));
    return out;
}

// Text with some of its characters replaced; what is not goes over in whole pieces.
template <class Escape>
void append_escaped(const Text& text, Escape escape, TextBuilder& out) {
    size_t done = 0;
    for (size_t at = 0; at < text.size;) {
        const Decoded c = decode_utf8(text.view().substr(at));
        const std::string instead = escape(c.code_point);
        if (!instead.empty()) {
            out.append(text, done, at);
            out.append(instead, text.origin_at(at));
            done = at + c.size;
        }
        at += c.size;
    }
    out.append(text, done, text.size);
}

std::string python_escape(char32_t c, char quote) {
    if (c == static_cast<char32_t>(quote) || c == '\\')
        return std::string("\\") + static_cast<char>(c);
    if (c == '\n') return "\\n";
    if (c == '\r') return "\\r";
    if (c == '\t') return "\\t";
    if (is_printable(c)) return "";
    return hex(c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

std::string json_escape(char32_t c, bool ensure_ascii) {
    switch (c) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        case '\b':
            return "\\b";
        case '\f':
            return "\\f";
        default:
            break;
    }
    if (c < 0x20 || (ensure_ascii && c >= 0x7F && c < 0x10000)) return hex("\\u%04x", c);
    if (!ensure_ascii || c < 0x10000) return "";
    return hex("\\u%04x", 0xD800 + ((c - 0x10000) >> 10)) +
           hex("\\u%04x", 0xDC00 + ((c - 0x10000) & 0x3FF));
}

class Printer {
  public:
    Printer(Heap& heap, TextBuilder& out) : heap_(heap), out_(out) {}

    void plain(const Value& v, int depth) {
        switch (v.kind) {
            case Kind::undefined:
                return;
            case Kind::text:
            case Kind::big_integer:
                out_.append(*v.text);
                return;
            default:
                repr(v, depth);
        }
    }

    void repr(const Value& v, int depth) {
        heap_.charge();
        check_depth(depth);
        switch (v.kind) {
            case Kind::undefined:
                mark("Undefined");
                return;
            case Kind::big_integer:
                out_.append(*v.text);
                return;
            case Kind::text:
                quoted(*v.text);
                return;
            case Kind::list:
                list(*v.list, depth);
                return;
            case Kind::dict:
                dict(*v.dict, depth);
                return;
            case Kind::name_space:
                mark("<Namespace ");
                dict(*v.dict, depth);
                mark(">");
                return;
            default: {
                const std::string simple = simple_text(v);
                mark(simple.empty() ? "<" + std::string(kind_name(v)) + ">" : simple);
            }
        }
    }

  private:
    void mark(std::string_view s) { out_.append(s, Origin::client); }

    void quoted(const Text& text) {
        const bool has_single = text.view().find('\'') != std::string_view::npos;
        const bool has_double = text.view().find('"') != std::string_view::npos;
        const char quote = has_single && !has_double ? '"' : '\'';
        mark({&quote, 1});
        append_escaped(
            text, [quote](char32_t c) { return python_escape(c, quote); }, out_);
        mark({&quote, 1});
    }

    void list(const List& list, int depth) {
        if (list.shape == Shape::generator) return mark("<generator>");
        if (list.shape == Shape::range) {
            const Value* items = list.items;
            if (list.size == 0) return mark("range(0, 0)");
            const int64_t step = list.size > 1 ? items[1].integer - items[0].integer : 1;
            mark("range(" + std::to_string(items[0].integer) + ", " +
                 std::to_string(items[list.size - 1].integer + step));
            mark(step == 1 ? ")" : ", " + std::to_string(step) + ")");
            return;
        }
        const bool is_tuple = list.shape == Shape::tuple;
        if (list.shape == Shape::view) mark("dict_view(");
        mark(is_tuple ? "(" : "[");
        for (uint32_t i = 0; i < list.size; ++i) {
            if (i > 0) mark(", ");
            repr(list.items[i], depth + 1);
        }
        if (is_tuple && list.size == 1) mark(",");
        mark(is_tuple ? ")" : "]");
        if (list.shape == Shape::view) mark(")");
    }

    void dict(const Dict& dict, int depth) {
        mark("{");
        bool is_first = true;
        for (const Dict::Member& member : dict.all()) {
            if (!is_first) mark(", ");
            is_first = false;
            repr(member.key, depth + 1);
            mark(": ");
            repr(member.value, depth + 1);
        }
        mark("}");
    }

    Heap& heap_;
    TextBuilder& out_;
};

class JsonPrinter {
  public:
    JsonPrinter(Heap& heap, const JsonStyle& style, TextBuilder& out)
        : heap_(heap), style_(style), out_(out) {}

    void value(const Value& v, int depth) {
        heap_.charge();
        check_depth(depth);
        switch (v.kind) {
            case Kind::text:
                quoted(*v.text);
                return;
            case Kind::big_integer:
                out_.append(*v.text);
                return;
            case Kind::list:
                if (v.list->shape != Shape::list && v.list->shape != Shape::tuple) break;
                list(*v.list, depth);
                return;
            case Kind::dict:
                dict(*v.dict, depth);
                return;
            default:
                if (!scalar(v).empty()) return mark(scalar(v));
        }
        throw Fault{"Object of type " + std::string(kind_name(v)) + " is not JSON serializable"};
    }

  private:
    void mark(std::string_view s) { out_.append(s, Origin::client); }

    static std::string scalar(const Value& v) {
        switch (v.kind) {
            case Kind::none:
                return "null";
            case Kind::boolean:
                return v.boolean ? "true" : "false";
            case Kind::integer:
                return std::to_string(v.integer);
            case Kind::real:
                return real_text(v.real, true);
            default:
                return "";
        }
    }

    void quoted(const Text& text) {
        mark("\"");
        append_escaped(
            text, [this](char32_t c) { return json_escape(c, style_.ensure_ascii); }, out_);
        mark("\"");
    }

    void line(int depth) {
        if (!style_.has_lines) return;
        mark("\n");
        for (int i = 0; i < depth; ++i) mark(style_.indent);
    }

    void list(const List& list, int depth) {
        mark("[");
        for (uint32_t i = 0; i < list.size; ++i) {
            if (i > 0) mark(style_.item_end);
            line(depth + 1);
            value(list.items[i], depth + 1);
        }
        if (list.size > 0) line(depth);
        mark("]");
    }

    void key(const Value& v) {
        if (v.is_text()) return quoted(*v.text);
        if (scalar(v).empty())
            throw Fault{"keys must be str, int, float, bool or None, not " +
                        std::string(kind_name(v))};
        mark("\"" + scalar(v) + "\"");
    }

    void dict(const Dict& dict, int depth) {
        std::vector<Dict::Member> members(dict.all().begin(), dict.all().end());
        if (style_.sort_keys)
            std::stable_sort(members.begin(), members.end(),
                             [this](const Dict::Member& a, const Dict::Member& b) {
                                 return order(heap_, a.key, b.key) < 0;
                             });
        mark("{");
        for (size_t i = 0; i < members.size(); ++i) {
            if (i > 0) mark(style_.item_end);
            line(depth + 1);
            key(members[i].key);
            mark(style_.key_end);
            value(members[i].value, depth + 1);
        }
        if (!members.empty()) line(depth);
        mark("}");
    }

    Heap& heap_;
    const JsonStyle& style_;
    TextBuilder& out_;
};

}  // namespace

void print_to(Heap& heap, const Value& v, TextBuilder& out) {
    // Numbers that stand alone are the author's: '<|image_' ~ n ~ '|>' is a token of some models.
    if (const std::string simple = simple_text(v); !simple.empty())
        return out.append(simple, Origin::author);
    Printer(heap, out).plain(v, 0);
}

const Text* print(Heap& heap, const Value& v) {
    if (v.is_text()) return v.text;
    TextBuilder out(heap);
    print_to(heap, v, out);
    return out.finish();
}

void print_json_to(Heap& heap, const Value& v, const JsonStyle& style, TextBuilder& out) {
    JsonPrinter(heap, style, out).value(v, 0);
}

}  // namespace saker::jinja
