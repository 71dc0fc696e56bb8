// JSON in and out: a bounded reader with getters that name the file and key, and a writer whose
// bytes are those of Python's json.dumps.
//
// Files of a checkpoint (config, tokenizer, index) are read at start-up: faults are StartupError.
// Bodies of requests are parsed with parse_json: faults are Error{invalid_json}. Both refuse
// duplicate keys, nesting beyond the limit, bytes after the value, text that is not UTF-8, and
// numbers beyond a double. Integers beyond 64 bits become doubles, or stay what they are where the
// JSON is carried on to the model (JsonLimits::exact_integers).
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace saker {

namespace json = boost::json;

struct JsonLimits {
    size_t max_bytes = size_t{64} << 20;
    size_t max_depth = 64;
    size_t max_values = size_t(-1);  // of any kind, nested ones included
    // Integers beyond 64 bits stay as they are written (see is_big_integer), up to as many digits
    // as Python reads.
    bool exact_integers = false;
};

inline constexpr size_t kMaxIntegerDigits = 4300;

/// Whether `value` is an integer beyond 64 bits. Boost has no kind for one: it is an object with
/// one key that no text can hold, which only the functions here may look into. So where
/// exact_integers is set, ask is_json_object and not value.is_object().
bool is_big_integer(const json::value& value);

/// Its digits, with a minus sign before them where it is negative.
std::string_view big_integer_text(const json::value& value);

/// Whether `value` is an object of the text.
bool is_json_object(const json::value& value);

/// Parses one value; `what` names it in the message ("the request body").
Result<json::value> parse_json(std::string_view text, std::string_view what,
                               JsonLimits limits = {});

/// Parses a file that must hold one object. Throws StartupError naming the file.
json::object read_json_file(const std::filesystem::path& path, JsonLimits limits = {});

/// `value` as Python's json.dumps(value, ensure_ascii=False) writes it: ", " and ": ", key order
/// kept, floats as repr. `indent` above 0 breaks lines as json.dumps(indent=...) does.
std::string dump_json(const json::value& value, int indent = 0);

/// Reads the members of one object of a start-up file. Every getter throws StartupError with the
/// file, the dotted key, what was expected and what stands there.
class JsonReader {
  public:
    JsonReader(const json::object& object, std::string file, std::string path = "");

    bool has(std::string_view key) const;  // present and not null
    int64_t integer(std::string_view key, int64_t low, int64_t high) const;
    int64_t integer_or(std::string_view key, int64_t fallback, int64_t low, int64_t high) const;
    double number(std::string_view key) const;  // finite
    double number_or(std::string_view key, double fallback) const;
    bool boolean_or(std::string_view key, bool fallback) const;
    std::string string(std::string_view key) const;
    std::string string_or(std::string_view key, std::string_view fallback) const;
    std::vector<int64_t> integers(std::string_view key) const;
    std::vector<double> numbers(std::string_view key) const;
    JsonReader object(std::string_view key) const;
    const json::value& value(std::string_view key) const;

    /// Throws StartupError: "FILE: KEY SENTENCE", with one full stop at its end.
    [[noreturn]] void fail(std::string_view key, std::string_view sentence) const;

    const json::object& members() const { return *object_; }
    /// The file, and the path of this object in it: "config.json", "config.json: text_config".
    std::string where() const;

  private:
    const json::value* find(std::string_view key) const;

    const json::object* object_;  // borrowed: the parsed file must outlive the reader
    std::string file_, path_;
};

}  // namespace saker
