// Boost.JSON behind json.h. The parser is the SAX one with a handler of our own, since the plain
// parser lets the last of two equal keys win, reads doubles inexactly and bounds only depth; files
// of unknown origin must not be read in two ways.
#include "json/json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <fstream>

#include "base/check.h"
#include "base/stand_in.h"
#include "base/utf8.h"

namespace saker {
namespace {

namespace bj = boost::json;
using Code = boost::system::error_code;

// The key of a big integer. Texts that are not UTF-8 are refused, so that no object holds it.
constexpr std::string_view kBigInteger = "\xff";

// Builds a value while counting members and refusing numbers that no double holds. Doubles are read
// anew from their text: Boost 1.81 is off by a unit in the last place for many of them.
struct Builder {
    static constexpr size_t max_object_size = size_t(-1);
    static constexpr size_t max_array_size = size_t(-1);
    static constexpr size_t max_key_size = size_t(-1);
    static constexpr size_t max_string_size = size_t(-1);

    bj::value_stack stack;
    size_t num_members = 0;  // of all objects, equal keys counted each time
    std::string number;      // the text of a number up to the part at hand
    bool has_overflow = false;
    size_t values_left = size_t(-1);
    bool has_too_many = false;
    bool exact_integers = false;
    bool has_too_many_digits = false;

    // Called for each value before it takes memory.
    bool count(Code& ec) {
        if (values_left-- > 0) return true;
        has_too_many = true;
        ec = bj::make_error_code(bj::error::syntax);
        return false;
    }

    bool on_document_begin(Code&) {
        stack.reset();
        return true;
    }
    bool on_document_end(Code&) { return true; }
    bool on_object_begin(Code& ec) { return count(ec); }
    bool on_object_end(size_t n, Code&) {
        num_members += n;
        stack.push_object(n);
        return true;
    }
    bool on_array_begin(Code& ec) { return count(ec); }
    bool on_array_end(size_t n, Code&) {
        stack.push_array(n);
        return true;
    }
    bool on_key_part(bj::string_view s, size_t, Code&) {
        stack.push_chars(s);
        return true;
    }
    bool on_key(bj::string_view s, size_t, Code&) {
        stack.push_key(s);
        return true;
    }
    bool on_string_part(bj::string_view s, size_t, Code&) {
        stack.push_chars(s);
        return true;
    }
    bool on_string(bj::string_view s, size_t, Code& ec) {
        stack.push_string(s);
        return count(ec);
    }
    bool on_number_part(bj::string_view s, Code&) {
        number.append(s.data(), s.size());
        return true;
    }
    bool on_int64(int64_t i, bj::string_view, Code& ec) {
        number.clear();
        stack.push_int64(i);
        return count(ec);
    }
    bool on_uint64(uint64_t u, bj::string_view, Code& ec) {
        number.clear();
        stack.push_uint64(u);
        return count(ec);
    }
    bool on_double(double rough, bj::string_view s, Code& ec) {
        number.append(s.data(), s.size());
        if (exact_integers && number.find_first_of(".eE") == std::string::npos)
            return on_big_integer(ec);
        double d = 0;
        const auto read = std::from_chars(number.data(), number.data() + number.size(), d);
        // Out of range is too large or too small; the rough value tells which.
        if (read.ec == std::errc::result_out_of_range) {
            has_overflow = std::fabs(rough) > 1;
            d = std::copysign(0.0, rough);
        }
        if (has_overflow) {
            ec = bj::make_error_code(bj::error::syntax);
            return false;
        }
        number.clear();
        stack.push_double(d);
        return count(ec);
    }
    bool on_big_integer(Code& ec) {
        const size_t num_digits = number.size() - (number.front() == '-' ? 1 : 0);
        if (num_digits > kMaxIntegerDigits) {
            has_too_many_digits = true;
            ec = bj::make_error_code(bj::error::syntax);
            return false;
        }
        stack.push_key({kBigInteger.data(), kBigInteger.size()});
        stack.push_string({number.data(), number.size()});
        stack.push_object(1);
        ++num_members;  // count_members will find it
        number.clear();
        return count(ec);
    }
    bool on_bool(bool b, Code& ec) {
        stack.push_bool(b);
        return count(ec);
    }
    bool on_null(Code& ec) {
        stack.push_null();
        return count(ec);
    }
    bool on_comment_part(bj::string_view, Code&) { return true; }
    bool on_comment(bj::string_view, Code&) { return true; }
};

// Members of all objects in `v`, equal keys counted once: of two, Boost keeps the last alone.
size_t count_members(const bj::value& v) {
    size_t n = 0;
    if (v.is_object()) {
        n = v.get_object().size();
        for (const auto& member : v.get_object()) n += count_members(member.value());
    } else if (v.is_array()) {
        for (const auto& item : v.get_array()) n += count_members(item);
    }
    return n;
}

constexpr std::string_view kNotUtf8 = "is not valid UTF-8";

// Whether parsing stopped at a \uD800 to \uDFFF without its other half, which names no character.
// Of a first half that stands alone the parser only says that the syntax is wrong behind it.
bool is_half_a_pair(const Code& ec, std::string_view before) {
    if (ec == bj::error::illegal_leading_surrogate || ec == bj::error::illegal_trailing_surrogate)
        return true;
    if (ec != bj::error::syntax) return false;
    if (before.ends_with('\\')) before.remove_suffix(1);
    if (before.size() < 6) return false;
    const std::string_view escape = before.substr(before.size() - 6);
    return escape.starts_with("\\u") && (escape[2] == 'd' || escape[2] == 'D') &&
           std::string_view("89abAB").find(escape[3]) != std::string_view::npos;
}

// Empty on success, else the fault.
std::string parse_into(std::string_view text, JsonLimits limits, bj::value& out) {
    if (text.size() > limits.max_bytes)
        return "is larger than " + std::to_string(limits.max_bytes >> 20) + " MiB";
    if (find_invalid_utf8(text) != std::string_view::npos) return std::string(kNotUtf8);
    bj::parse_options options;
    options.max_depth = limits.max_depth;
    bj::basic_parser<Builder> parser(options);
    parser.handler().values_left = limits.max_values;
    parser.handler().exact_integers = limits.exact_integers;
    Code ec;
    const size_t used = parser.write_some(false, text.data(), text.size(), ec);
    if (parser.handler().has_too_many)
        return "has more than " + std::to_string(limits.max_values) + " values";
    if (parser.handler().has_too_many_digits)
        return "has an integer of more than " + std::to_string(kMaxIntegerDigits) + " digits";
    if (is_half_a_pair(ec, text.substr(0, used))) return std::string(kNotUtf8);
    if (parser.handler().has_overflow || ec == bj::error::exponent_overflow)
        return "has a number out of range";
    if (ec == bj::error::too_deep)
        return "is nested deeper than " + std::to_string(limits.max_depth) + " levels";
    if (ec || !parser.done()) return "is not valid JSON at byte " + std::to_string(used);
    for (size_t i = used; i < text.size(); ++i)
        if (text[i] != ' ' && text[i] != '\n' && text[i] != '\r' && text[i] != '\t')
            return "has bytes after its end, at byte " + std::to_string(i);
    out = parser.handler().stack.release();
    if (count_members(out) != parser.handler().num_members) return "has a key twice";
    return "";
}

void dump_string(std::string_view s, std::string& out) {
    out += '"';
    for (char c : s) {
        const auto b = static_cast<unsigned char>(c);
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            case '\b':
                out += "\\b";
                break;
            case '\f':
                out += "\\f";
                break;
            default:
                if (b < 0x20) {
                    char hex[8];
                    std::snprintf(hex, sizeof hex, "\\u%04x", b);
                    out += hex;
                } else {
                    out += c;
                }
        }
    }
    out += '"';
}

// Python's repr of a float: shortest digits that read back, exponent form below 1e-4 and from 1e16.
void dump_double(double d, std::string& out) {
    if (std::isnan(d)) {
        out += "NaN";
        return;
    }
    if (std::isinf(d)) {
        out += d < 0 ? "-Infinity" : "Infinity";
        return;
    }
    char digits[40];
    const double a = std::fabs(d);
    const bool scientific = a != 0 && (a < 1e-4 || a >= 1e16);
    const auto end =
        std::to_chars(digits, digits + sizeof digits, d,
                      scientific ? std::chars_format::scientific : std::chars_format::fixed);
    std::string_view text(digits, static_cast<size_t>(end.ptr - digits));
    out += text;
    if (!scientific && text.find('.') == std::string_view::npos) out += ".0";
}

void dump_value(const bj::value& v, int indent, int depth, std::string& out) {
    const auto line = [&](int d) {
        if (indent > 0) {
            out += '\n';
            out.append(static_cast<size_t>(indent * d), ' ');
        }
    };
    const char* comma = indent > 0 ? "," : ", ";
    switch (v.kind()) {
        case bj::kind::null:
            out += "null";
            break;
        case bj::kind::bool_:
            out += v.get_bool() ? "true" : "false";
            break;
        case bj::kind::int64:
            out += std::to_string(v.get_int64());
            break;
        case bj::kind::uint64:
            out += std::to_string(v.get_uint64());
            break;
        case bj::kind::double_:
            dump_double(v.get_double(), out);
            break;
        case bj::kind::string:
            dump_string({v.get_string().data(), v.get_string().size()}, out);
            break;
        case bj::kind::array: {
            out += '[';
            bool first = true;
            for (const auto& item : v.get_array()) {
                if (!first) out += comma;
                first = false;
                line(depth + 1);
                dump_value(item, indent, depth + 1, out);
            }
            if (!first) line(depth);
            out += ']';
            break;
        }
        case bj::kind::object: {
            if (is_big_integer(v)) {
                out += big_integer_text(v);
                break;
            }
            out += '{';
            bool first = true;
            for (const auto& [key, item] : v.get_object()) {
                if (!first) out += comma;
                first = false;
                line(depth + 1);
                dump_string({key.data(), key.size()}, out);
                out += ": ";
                dump_value(item, indent, depth + 1, out);
            }
            if (!first) line(depth);
            out += '}';
            break;
        }
    }
}

}  // namespace

bool is_big_integer(const json::value& value) {
    const json::object* object = value.if_object();
    return object && object->size() == 1 && object->begin()->key() == kBigInteger;
}

std::string_view big_integer_text(const json::value& value) {
    CHECK(is_big_integer(value), "the digits of a value that is no big integer");
    const json::string& digits = value.get_object().begin()->value().get_string();
    return {digits.data(), digits.size()};
}

bool is_json_object(const json::value& value) {
    return value.is_object() && !is_big_integer(value);
}

Result<json::value> parse_json(std::string_view text, std::string_view what, JsonLimits limits) {
    json::value value;
    const std::string fault = parse_into(text, limits, value);
    if (!fault.empty())
        return Error{fault == kNotUtf8 ? ErrorCode::invalid_utf8 : ErrorCode::invalid_json,
                     std::string(what) + " " + fault + ".", ""};
    return value;
}

json::object read_json_file(const std::filesystem::path& path, JsonLimits limits) {
    std::error_code ec;
    const auto size = std::filesystem::file_size(path, ec);
    if (ec) throw StartupError(path.string() + ": cannot be read (" + ec.message() + ").");
    if (size > limits.max_bytes)
        throw StartupError(path.string() + ": is larger than " +
                           std::to_string(limits.max_bytes >> 20) + " MiB.");
    std::ifstream in(path, std::ios::binary);
    std::string text(static_cast<size_t>(size), '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    if (!in) throw StartupError(path.string() + ": cannot be read.");
    if (const std::string_view sentence = stand_in(std::string_view(text).substr(0, kStandInBytes));
        !sentence.empty())
        throw StartupError(path.string() + ": " + std::string(sentence) + ".");
    json::value value;
    std::string fault = parse_into(text, limits, value);
    if (fault == "is not valid JSON at byte " + std::to_string(text.size()))
        fault += ", where it ends: if its download was cut short, fetch it again";
    if (!fault.empty()) throw StartupError(path.string() + ": " + fault + ".");
    if (!value.is_object()) throw StartupError(path.string() + ": is not a JSON object.");
    return std::move(value.get_object());
}

std::string dump_json(const json::value& value, int indent) {
    std::string out;
    dump_value(value, indent, 0, out);
    return out;
}

JsonReader::JsonReader(const json::object& object, std::string file, std::string path)
    : object_(&object), file_(std::move(file)), path_(std::move(path)) {}

const json::value* JsonReader::find(std::string_view key) const {
    const json::value* v = object_->if_contains(key);
    return v && !v->is_null() ? v : nullptr;
}

bool JsonReader::has(std::string_view key) const {
    return find(key) != nullptr;
}

void JsonReader::fail(std::string_view key, std::string_view sentence) const {
    // A sentence may come with its full stop or without.
    while (sentence.ends_with('.')) sentence.remove_suffix(1);
    throw StartupError(file_ + ": " + path_ + std::string(key) + " " + std::string(sentence) + ".");
}

std::string JsonReader::where() const {
    return path_.empty() ? file_ : file_ + ": " + path_.substr(0, path_.size() - 1);
}

const json::value& JsonReader::value(std::string_view key) const {
    const json::value* v = find(key);
    if (!v) fail(key, "is missing");
    return *v;
}

int64_t JsonReader::integer(std::string_view key, int64_t low, int64_t high) const {
    const json::value& v = value(key);
    if (!v.is_int64() && !v.is_uint64()) fail(key, "is not an integer");
    // Boost keeps as uint64 only what int64 cannot hold.
    if (v.is_uint64() || v.get_int64() < low || v.get_int64() > high)
        fail(key, "is " + dump_json(v) + ", outside " + std::to_string(low) + " to " +
                      std::to_string(high));
    return v.get_int64();
}

int64_t JsonReader::integer_or(std::string_view key, int64_t fallback, int64_t low,
                               int64_t high) const {
    return has(key) ? integer(key, low, high) : fallback;
}

double JsonReader::number(std::string_view key) const {
    const json::value& v = value(key);
    if (!v.is_number()) fail(key, "is not a number");
    const double d = v.to_number<double>();
    if (!std::isfinite(d)) fail(key, "is not finite");
    return d;
}

double JsonReader::number_or(std::string_view key, double fallback) const {
    return has(key) ? number(key) : fallback;
}

bool JsonReader::boolean_or(std::string_view key, bool fallback) const {
    if (!has(key)) return fallback;
    const json::value& v = value(key);
    if (!v.is_bool()) fail(key, "is not true or false");
    return v.get_bool();
}

std::string JsonReader::string(std::string_view key) const {
    const json::value& v = value(key);
    if (!v.is_string()) fail(key, "is not a string");
    return {v.get_string().data(), v.get_string().size()};
}

std::string JsonReader::string_or(std::string_view key, std::string_view fallback) const {
    return has(key) ? string(key) : std::string(fallback);
}

std::vector<int64_t> JsonReader::integers(std::string_view key) const {
    const json::value& v = value(key);
    if (!v.is_array()) fail(key, "is not a list");
    std::vector<int64_t> out;
    for (const auto& item : v.get_array()) {
        if (!item.is_int64()) fail(key, "has an item that is not an integer");
        out.push_back(item.get_int64());
    }
    return out;
}

std::vector<double> JsonReader::numbers(std::string_view key) const {
    const json::value& v = value(key);
    if (!v.is_array()) fail(key, "is not a list");
    std::vector<double> out;
    for (const auto& item : v.get_array()) {
        if (!item.is_number()) fail(key, "has an item that is not a number");
        out.push_back(item.to_number<double>());
        if (!std::isfinite(out.back())) fail(key, "has an item that is not finite");
    }
    return out;
}

JsonReader JsonReader::object(std::string_view key) const {
    const json::value& v = value(key);
    if (!v.is_object()) fail(key, "is not an object");
    return JsonReader(v.get_object(), file_, path_ + std::string(key) + ".");
}

}  // namespace saker
