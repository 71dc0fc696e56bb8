// The reader refuses what it must, the writer writes what Python writes, and getters name file and
// key. tests/json/dumps.json holds texts with Python's own dumps (made by make_dumps.py).
#include "json/json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "base/check.h"

namespace saker {
namespace {

std::string message_of(std::string_view text, JsonLimits limits = {}) {
    const auto parsed = parse_json(text, "The body", limits);
    return parsed.ok() ? "" : parsed.error().message;
}

json::value parsed(std::string_view text) {
    auto value = parse_json(text, "The text");
    EXPECT_TRUE(value.ok()) << text << ": " << value.error().message;
    return *std::move(value);
}

JsonLimits exact() {
    JsonLimits limits;
    limits.exact_integers = true;
    return limits;
}

std::string nested(size_t depth, std::string_view open = "[", std::string_view close = "]") {
    std::string s;
    for (size_t i = 0; i < depth; ++i) s += open;
    for (size_t i = 0; i < depth; ++i) s += close;
    return s;
}

/// A file that lives as long as the object.
class TempFile {
  public:
    explicit TempFile(std::string_view text) {
        path_ = testing::TempDir() + "saker_json_test_" + std::to_string(getpid()) + ".json";
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TempFile() { std::remove(path_.c_str()); }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

template <class F>
std::string thrown(F&& f) {
    try {
        f();
    } catch (const StartupError& e) {
        return e.what();
    }
    return "(nothing was thrown)";
}

// ---- Writing: the bytes of Python's json.dumps -------------------------------------------------

TEST(DumpJson, EqualsPython) {
    const json::object file = read_json_file("tests/json/dumps.json");
    const auto& cases = file.at("cases").get_array();
    ASSERT_GT(cases.size(), 80u);
    for (const auto& item : cases) {
        const auto& c = item.get_array();
        const std::string text(c[0].get_string().c_str());
        const auto value = parse_json(text, "The text", exact());
        ASSERT_TRUE(value.ok()) << text.substr(0, 200) << ": " << value.error().message;
        EXPECT_EQ(dump_json(*value), std::string(c[1].get_string().c_str()));
        if (c[2].is_null()) continue;
        EXPECT_EQ(dump_json(*value, 2), std::string(c[2].get_string().c_str()));
    }
}

TEST(DumpJson, ValuesBuiltInCode) {
    EXPECT_EQ(dump_json(json::value(1e16)), "1e+16");
    EXPECT_EQ(dump_json(json::value(1e-5)), "1e-05");
    EXPECT_EQ(dump_json(json::value(0.1)), "0.1");
    EXPECT_EQ(dump_json(json::value(-0.0)), "-0.0");
    EXPECT_EQ(dump_json(json::value(NAN)), "NaN");
    EXPECT_EQ(dump_json(json::value(-INFINITY)), "-Infinity");
    EXPECT_EQ(dump_json(json::value(uint64_t{18446744073709551615u})), "18446744073709551615");
    EXPECT_EQ(dump_json(json::value("a\0b\x7f")), "\"a\"");  // a C string ends at its NUL
    EXPECT_EQ(dump_json(json::value(json::string_view("a\0b\x7f", 4))), "\"a\\u0000b\x7f\"");
    EXPECT_EQ(dump_json(json::array{1, json::object{{"k", json::array{}}}}, 4),
              "[\n    1,\n    {\n        \"k\": []\n    }\n]");
}

// ---- Reading
// -------------------------------------------------------------------------------------

TEST(ParseJson, RefusesWhatIsNotJson) {
    for (const char* text :
         {"",        " ",          "nul",           "tru",       "+1",       ".5",
          "5.",

          "1e",      "-",

          "'a'",     "\"a",        "[1,]",          "[1",        "{\"a\":}", "{\"a\" 1}",
          "{a:1}",   "{\"a\":1,}", "[1 2]",         "NaN",       "Infinity", "-Infinity",
          "// c\n1", "/* c */ 1",  "\"\\x41\"",     "\"\\u12\"", "\"\t\"",   "\"\n\"",
          "[}",      "{]",         "\xEF\xBB\xBF{}"})
        EXPECT_NE(message_of(text).find("The body is not valid JSON at byte"), std::string::npos)
            << text << ": " << message_of(text);
}

TEST(ParseJson, RefusesHalfOfASurrogatePair) {
    for (const char* text :
         {R"("\ud800")", R"("\uDBFFx")", R"("\ud800\n")", R"("\ud800\u0041")", R"("\udc00x")",
          R"("\udc00\ud800")", R"({"\ud800": 1})", R"(["a", "bcdefghijklmnopqrstuvwxyz\uD83D")"}) {
        const auto parsed = parse_json(text, "The body");
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_EQ(parsed.error().code, ErrorCode::invalid_utf8) << text;
    }
    EXPECT_TRUE(parse_json(R"("\ud83d\ude00")", "The body").ok());
}

TEST(ParseJson, CountsValues) {
    JsonLimits limits;
    limits.max_values = 5;
    EXPECT_TRUE(parse_json(R"([1, {"a": "b", "c": null}])", "The body", limits).ok());
    const auto many = parse_json(R"([1, {"a": "b", "c": [1.5]}])", "The body", limits);
    ASSERT_FALSE(many.ok());
    EXPECT_EQ(many.error().code, ErrorCode::invalid_json);
    EXPECT_EQ(many.error().message, "The body has more than 5 values.");
}

TEST(ParseJson, ErrorsHoldTheCodeAndOneSentence) {
    const auto bad = parse_json("[1", "The body");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().code, ErrorCode::invalid_json);
    EXPECT_EQ(bad.error().message, "The body is not valid JSON at byte 2.");
    const auto bytes = parse_json("\"\xC3(\"", "The body");
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().code, ErrorCode::invalid_utf8);
    EXPECT_EQ(bytes.error().message, "The body is not valid UTF-8.");
}

TEST(ParseJson, RefusesDuplicateKeys) {
    for (const char* text : {"{\"a\":1,\"a\":2}", "{\"a\":1,\"b\":{\"c\":1,\"c\":1}}",
                             "{\"\":1,\"\":2}", "[{\"x\":1},{\"y\":1,\"z\":2,\"y\":3}]",
                             "{\"a\":1,\"\\u0061\":2}", "{\"\\u0000\":1,\"\\u0000\":2}"})
        EXPECT_EQ(message_of(text), "The body has a key twice.") << text;
    // Equal keys of different objects, and keys that share a start, are no duplicates.
    EXPECT_EQ(message_of("{\"a\":{\"a\":{\"a\":1}},\"ab\":[{\"a\":1},{\"a\":2}]}"), "");
    EXPECT_EQ(message_of("{\"a\":1,\"a\\u0000\":2,\"A\":3,\"\":4}"), "");
}

TEST(ParseJson, RefusesBytesAfterTheValue) {
    EXPECT_EQ(message_of("1 2"), "The body has bytes after its end, at byte 2.");
    EXPECT_EQ(message_of("{} x"), "The body has bytes after its end, at byte 3.");
    EXPECT_EQ(message_of("[]]"), "The body has bytes after its end, at byte 2.");
    EXPECT_EQ(message_of(std::string_view("{}\0", 3)),
              "The body has bytes after its end, at byte 2.");
    EXPECT_EQ(message_of("01"), "The body has bytes after its end, at byte 1.");
    EXPECT_EQ(message_of("0x10"), "The body has bytes after its end, at byte 1.");
    EXPECT_EQ(message_of("null,"), "The body has bytes after its end, at byte 4.");
    EXPECT_EQ(message_of(" [] \r\n\t "), "");
}

TEST(ParseJson, RefusesDeepNesting) {
    EXPECT_EQ(message_of(nested(64)), "");
    EXPECT_EQ(message_of(nested(65)), "The body is nested deeper than 64 levels.");
    EXPECT_EQ(message_of(nested(1000000)), "The body is nested deeper than 64 levels.");
    EXPECT_EQ(message_of(std::string(1000000, '[')), "The body is nested deeper than 64 levels.");
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    EXPECT_EQ(message_of(objects), "The body is nested deeper than 64 levels.");
    JsonLimits limits;
    limits.max_depth = 3;
    EXPECT_EQ(message_of("[[{}]]", limits), "");
    EXPECT_EQ(message_of("[[{\"a\":[]}]]", limits), "The body is nested deeper than 3 levels.");
}

TEST(ParseJson, RefusesTooManyBytes) {
    JsonLimits limits;
    limits.max_bytes = size_t{1} << 20;
    std::string text = "\"" + std::string((size_t{1} << 20) - 2, 'x') + "\"";
    EXPECT_EQ(message_of(text, limits), "");
    text += ' ';
    EXPECT_EQ(message_of(text, limits), "The body is larger than 1 MiB.");
}

TEST(ParseJson, NumbersOutOfRange) {
    for (const char* text : {"1e309", "-1e309", "1e400", "[1e99999]", "{\"a\":-1.8e308}",
                             "1e2147483647", "1e99999999999999999999", "0.1e999999999"})
        EXPECT_EQ(message_of(text), "The body has a number out of range.") << text;
    std::string long_integer(400, '9');
    EXPECT_EQ(message_of(long_integer), "The body has a number out of range.");
    EXPECT_EQ(parsed("1e-400").as_double(), 0.0);
    EXPECT_TRUE(std::signbit(parsed("-1e-400").as_double()));
    EXPECT_EQ(message_of("1e-99999999999999999999"), "The body has a number out of range.");
    EXPECT_EQ(parsed("0e99999").as_double(), 0.0);
    EXPECT_EQ(parsed("1.7976931348623157e308").as_double(), 1.7976931348623157e308);
    // Beyond 64 bits: the nearest double, as a double.
    EXPECT_EQ(parsed("18446744073709551616").as_double(), 0x1p64);
    EXPECT_EQ(parsed("1000000000000000019884624838656").as_double(), 1e30);
    EXPECT_EQ(parsed("-9223372036854775809").as_double(), -0x1p63);
    EXPECT_EQ(parsed("18446744073709551615").as_uint64(), 18446744073709551615u);
    EXPECT_EQ(parsed("9007199254740993").as_int64(), 9007199254740993);
}

// Python reads up to 4,300 digits.
TEST(ParseJson, KeepsIntegersOfAnySizeWhereAsked) {
    const auto read = [](std::string_view text) { return parse_json(text, "The body", exact()); };
    for (const char* text : {"18446744073709551616", "-9223372036854775809",
                             "123456789012345678901", "-123456789012345678901"}) {
        const auto value = read(text);
        ASSERT_TRUE(value.ok()) << text;
        EXPECT_TRUE(is_big_integer(*value)) << text;
        EXPECT_FALSE(is_json_object(*value)) << text;
        EXPECT_FALSE(value->is_number()) << text;
        EXPECT_EQ(big_integer_text(*value), text);
        EXPECT_EQ(dump_json(*value, 2), text);
    }
    for (const char* text : {"18446744073709551615", "-9223372036854775808", "-0", "1e20",
                             "123456789012345678901.0", "{}", R"({"a": 1})", "\"1\""})
        EXPECT_FALSE(is_big_integer(*read(text))) << text;
    EXPECT_TRUE(is_json_object(*read("{}")));
    const std::string longest = "-" + std::string(4300, '7');
    EXPECT_EQ(dump_json(*read("[" + longest + "]")), "[" + longest + "]");
    const auto longer = read("[" + longest + "7]");
    ASSERT_FALSE(longer.ok());
    EXPECT_EQ(longer.error().code, ErrorCode::invalid_json);
    EXPECT_EQ(longer.error().message, "The body has an integer of more than 4300 digits.");
    EXPECT_EQ(read(std::string(100'000, '7')).error().message, longer.error().message);
    // Each is one value, and none is a member of its object.
    JsonLimits four = exact();
    four.max_values = 4;
    const std::string text = "{\"a\": 123456789012345678901, \"b\": [123456789012345678901]}";
    EXPECT_EQ(dump_json(*parse_json(text, "The body", four)), text);
    four.max_values = 3;
    EXPECT_FALSE(parse_json(text, "The body", four).ok());
    EXPECT_EQ(read(R"({"a": 123456789012345678901, "a": 1})").error().message,
              "The body has a key twice.");
}

TEST(ParseJson, DoublesAreTheNearest) {
    for (double d : {0.1, 1.0 / 3.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
                     123456.789, 8.41e21, 7.2057594037927933e16, 9.5e-7}) {
        char text[64];
        std::snprintf(text, sizeof text, "%.17g", d);
        EXPECT_EQ(parsed(text).to_number<double>(), d) << text;
        std::snprintf(text, sizeof text, "%.40e", d);
        EXPECT_EQ(parsed(text).to_number<double>(), d) << text;
    }
}

TEST(ParseJson, StringsAndKeysOfManyParts) {
    const json::value v = parsed("{\"a\\n\\u00e9\\ud83d\\ude00b\":\"x\\ty\\u0000z\"}");
    const auto& object = v.get_object();
    ASSERT_EQ(object.size(), 1u);
    EXPECT_EQ(object.begin()->key(),
              "a\n\xC3\xA9\xF0\x9F\x98\x80"
              "b");
    EXPECT_EQ(object.begin()->value().get_string(), json::string_view("x\ty\0z", 5));
}

TEST(ParseJson, KeepsTheOrderOfKeys) {
    EXPECT_EQ(dump_json(parsed("{\"z\":1,\"a\":2,\"m\":3}")), "{\"z\": 1, \"a\": 2, \"m\": 3}");
}

// Every proper start of a text is refused, and never read past its end (the asan preset watches).
TEST(ParseJson, EveryPrefixIsRefused) {
    const std::string text =
        "{\"k\\u00e9y\": [1, -2.5e-3, true, null, \"\\ud83d\\ude00 \xE2\x82\xAC\"], \"n\": {\"a\": "
        "[]}}";
    for (size_t n = 0; n < text.size(); ++n) {
        const std::vector<char> exact(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n));
        EXPECT_NE(message_of({exact.data(), exact.size()}), "") << n;
    }
    EXPECT_EQ(message_of(text), "");
}

// ---- Files and getters
// ---------------------------------------------------------------------------

TEST(ReadJsonFile, NamesTheFile) {
    EXPECT_NE(thrown([] {
                  read_json_file("/nonexistent/config.json");
              }).find("/nonexistent/config.json: cannot be read"),
              std::string::npos);
    EXPECT_NE(thrown([] { read_json_file("/"); }).find("/: cannot be read"), std::string::npos);
    const TempFile array("[1]"), broken("{\"a\":");
    EXPECT_EQ(thrown([&] { read_json_file(broken.path()); }),
              broken.path() +
                  ": is not valid JSON at byte 5, where it ends: if its download was cut short, "
                  "fetch it again.");
}

TEST(ReadJsonFile, TellsDamageFromWhatIsNoJsonAtAll) {
    const auto error = [](std::string_view bytes) {
        const TempFile file(bytes);
        return thrown([&] { read_json_file(file.path()); }).substr(file.path().size());
    };
    EXPECT_EQ(error("{\"a\": x}"), ": is not valid JSON at byte 6.");
    EXPECT_NE(error("{\"a\": [").find("at byte 7, where it ends"), std::string::npos);
    EXPECT_NE(error("version https://git-lfs.github.com/spec/v1\n").find("git lfs pull"),
              std::string::npos);
    EXPECT_NE(error("<!DOCTYPE html>").find("is a web page"), std::string::npos);
}

TEST(ReadJsonFile, WantsAnObjectWithinTheLimit) {
    const TempFile array("[1]");
    EXPECT_EQ(thrown([&] { read_json_file(array.path()); }),
              array.path() + ": is not a JSON object.");
    JsonLimits limits;
    limits.max_bytes = 2;
    EXPECT_EQ(thrown([&] { read_json_file(array.path(), limits); }),
              array.path() + ": is larger than 0 MiB.");
}

TEST(ReadJsonFile, ReadsAnObject) {
    const TempFile file("{\"a\": 1}\n");
    EXPECT_EQ(read_json_file(file.path()).at("a").as_int64(), 1);
}

class Getters : public testing::Test {
  protected:
    json::value value_ = parsed(
        "{\"i\":7,\"big\":18446744073709551615,\"d\":2.5,\"whole\":3.0,\"s\":\"x\",\"t\":true,"
        "\"null\":null,"
        "\"ints\":[1,2],\"mixed\":[1,2.5],\"strings\":[\"a\"],\"o\":{\"p\":{\"i\":\"no\"}}}");
    JsonReader reader_{value_.get_object(), "config.json"};
};

TEST_F(Getters, ReadWhatIsThere) {
    EXPECT_TRUE(reader_.has("i"));
    EXPECT_FALSE(reader_.has("null"));
    EXPECT_FALSE(reader_.has("missing"));
    EXPECT_EQ(reader_.integer("i", 0, 10), 7);
    EXPECT_EQ(reader_.integer_or("missing", 5, 0, 10), 5);
    EXPECT_EQ(reader_.integer_or("null", 5, 0, 10), 5);
    EXPECT_EQ(reader_.number("i"), 7.0);
    EXPECT_EQ(reader_.number("d"), 2.5);
    EXPECT_EQ(reader_.number_or("missing", 1.5), 1.5);
    EXPECT_TRUE(reader_.boolean_or("t", false));
    EXPECT_TRUE(reader_.boolean_or("missing", true));
    EXPECT_EQ(reader_.string("s"), "x");
    EXPECT_EQ(reader_.string_or("missing", "y"), "y");
    EXPECT_EQ(reader_.integers("ints"), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(reader_.numbers("mixed"), (std::vector<double>{1, 2.5}));
    EXPECT_TRUE(reader_.value("o").is_object());
}

TEST_F(Getters, FaultsNameFileKeyAndExpectation) {
    const auto fault = [&](auto&& get) { return thrown([&] { (void)get(); }); };
    EXPECT_EQ(fault([&] { return reader_.integer("missing", 0, 1); }),
              "config.json: missing is missing.");
    EXPECT_EQ(fault([&] { return reader_.value("null"); }), "config.json: null is missing.");
    EXPECT_EQ(fault([&] { return reader_.integer("s", 0, 1); }),
              "config.json: s is not an integer.");
    EXPECT_EQ(fault([&] { return reader_.integer("d", 0, 9); }),
              "config.json: d is not an integer.");
    EXPECT_EQ(fault([&] { return reader_.integer("i", 8, 9); }),
              "config.json: i is 7, outside 8 to 9.");
    EXPECT_EQ(fault([&] { return reader_.integer("big", 0, INT64_MAX); }),
              "config.json: big is 18446744073709551615, outside 0 to 9223372036854775807.");
    EXPECT_EQ(fault([&] { return reader_.number("s"); }), "config.json: s is not a number.");
    EXPECT_EQ(fault([&] { return reader_.boolean_or("i", true); }),
              "config.json: i is not true or false.");
    EXPECT_EQ(fault([&] { return reader_.string("i"); }), "config.json: i is not a string.");
    EXPECT_EQ(fault([&] { return reader_.integers("i"); }), "config.json: i is not a list.");
    EXPECT_EQ(fault([&] { return reader_.integers("mixed"); }),
              "config.json: mixed has an item that is not an integer.");
    EXPECT_EQ(fault([&] { return reader_.numbers("strings"); }),
              "config.json: strings has an item that is not a number.");
    EXPECT_EQ(fault([&] { return reader_.object("i").has("x"); }),
              "config.json: i is not an object.");
    EXPECT_EQ(fault([&] { return reader_.object("o").object("p").integer("i", 0, 1); }),
              "config.json: o.p.i is not an integer.");
}

TEST_F(Getters, AFaultEndsWithOneFullStop) {
    for (const char* sentence : {"must be 3", "must be 3.", "must be 3.."})
        EXPECT_EQ(thrown([&] { reader_.fail("i", sentence); }), "config.json: i must be 3.");
}

}  // namespace
}  // namespace saker
