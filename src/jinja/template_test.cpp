// The interpreter against Jinja2 as transformers sets it up (tests/text/jinja_cases.json), its
// bounds, and its messages.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/check.h"
#include "base/clock.h"
#include "jinja/json.h"
#include "jinja/template.h"

namespace saker {
namespace {

json::value read_cases() {
    std::ifstream in("tests/text/jinja_cases.json", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    JsonLimits limits;
    limits.exact_integers = true;
    auto cases = parse_json(text, "jinja_cases.json", limits);
    EXPECT_TRUE(cases.ok());
    return cases.ok() ? *std::move(cases) : json::value();
}

std::string_view view(const json::value& text) {
    return {text.get_string().data(), text.get_string().size()};
}

constexpr std::time_t kNow = 1'700'000'000;

// What the template makes: "output X", "raised X", "fails X" or "syntax X".
std::string outcome(std::string_view source, const json::value& variables = json::object()) {
    try {
        const JinjaTemplate made = JinjaTemplate::parse(source, "t.jinja");
        jinja::Heap heap;
        const auto given = jinja::value_of_json(heap, variables, Origin::client);
        const auto text = made.render(heap, *given.dict, kNow);
        if (text.ok()) return "output " + text->bytes;
        const bool is_ours = text.error().message.starts_with("The chat template (t.jinja) fails");
        return (is_ours ? "fails " : "raised ") + text.error().message;
    } catch (const StartupError& fault) {
        return std::string("syntax ") + fault.what();
    }
}

TEST(Jinja, DoesWhatJinja2Does) {
    const json::value cases = read_cases();
    int num = 0;
    for (const json::value& c : cases.at("snippets").get_array()) {
        const std::string_view source = view(c.at("template"));
        const std::string found = outcome(source, cases.at("variables"));
        const auto& members = c.get_object();
        if (members.contains("output"))
            EXPECT_EQ(found, "output " + std::string(view(c.at("output")))) << source;
        else if (members.contains("raised"))
            EXPECT_EQ(found, "raised " + std::string(view(c.at("raised")))) << source;
        else
            EXPECT_TRUE(found.starts_with(members.contains("fails") ? "fails " : "syntax "))
                << source << '\n'
                << found;
        ++num;
    }
    EXPECT_GT(num, 200);
}

TEST(Jinja, NamesWhatIsWrongAndItsLine) {
    EXPECT_EQ(outcome("a\n{{ x | nope }}"),
              "syntax t.jinja: line 2: the filter 'nope' is not supported; mend the template, or "
              "choose another with --chat-template.");
    const auto fault = [](std::string_view source) {
        const std::string found = outcome(source);
        const size_t begin = found.find("line "), end = found.find("; mend");
        return found.substr(begin, end - begin);
    };
    EXPECT_EQ(fault("\n\n{% include 'x' %}"), "line 3: the tag 'include' is not supported");
    EXPECT_EQ(fault("{% call m() %}{% endcall %}"), "line 1: the tag 'call' is not supported");
    EXPECT_EQ(fault("{% nope %}"), "line 1: unknown tag 'nope'");
    EXPECT_EQ(fault("{{ x is nope }}"), "line 1: the test 'nope' is not supported");
    EXPECT_EQ(fault("{{ 'a' | format(1) }}"), "line 1: the filter 'format' is not supported");
    EXPECT_EQ(fault("\n{{ cycler(1) }}"), "line 2: the function 'cycler' is not supported");
    EXPECT_EQ(fault("{% for i in x recursive %}{% endfor %}"),
              "line 1: 'recursive' of a for is not supported");
    EXPECT_EQ(fault("{% if x %}\n\n."), "line 3: expected 'endif', got the end of the template");
    EXPECT_EQ(fault("{% if x %}\n{% endfor %}"), "line 2: unknown tag 'endfor'");
    EXPECT_EQ(fault("{{ x\n y }}"), "line 2: expected '}}', got 'y'");
    EXPECT_EQ(fault("{{ 'a\n"), "line 1: a string has no end");
    EXPECT_EQ(fault("{{ a }\n}"), "line 1: unexpected '}'");
    EXPECT_EQ(fault("{{ a ? b }}"), "line 1: unexpected character \"?\"");
    EXPECT_EQ(outcome("{{ 'a'.format(1) }}"),
              "fails The chat template (t.jinja) fails at line 1: the method 'format' of 'str' "
              "objects is not supported.");
    EXPECT_EQ(outcome("{{ '%d' % 1 }}"),
              "fails The chat template (t.jinja) fails at line 1: '%' on a text is not supported.");
    EXPECT_EQ(outcome("{% for i in [1, 0] %}\n{{ 1 // i }}\n{% endfor %}"),
              "fails The chat template (t.jinja) fails at line 2: division by zero.");
    EXPECT_EQ(outcome("{{ 9223372036854775807 + 1 }}"),
              "fails The chat template (t.jinja) fails at line 1: an integer of more than 64 bits "
              "cannot be computed with.");
    // What is raised is passed on, to its first thousand bytes.
    EXPECT_EQ(outcome("{{ raise_exception('Only é') }}"), "raised Only é");
    EXPECT_EQ(outcome("{{ raise_exception('é' * 5000) }}").size(),
              1000 + std::string("raised …").size());
}

TEST(Jinja, AsksTheTimeThatItIsGiven) {
    EXPECT_EQ(outcome("{{ strftime_now('%Y') }}"), "output 2023");
    EXPECT_EQ(outcome("[{{ strftime_now('') }}]"), "output []");
    EXPECT_TRUE(outcome("{{ strftime_now('%Y' * 500) }}").starts_with("output 20232023"));
    EXPECT_TRUE(outcome("{{ strftime_now('%Y' * 501) }}").starts_with("fails"));
}

// A template from a stranger ends, within about a second.
TEST(Jinja, StopsWhatDoesNotEnd) {
    const std::string forever = "{% for i in range(100000) %}";
    const std::string ends = "{% endfor %}";
    const std::string nest(200, '(');
    std::string blocks;
    for (int i = 0; i < 100; ++i) blocks += "{% if 1 %}";
    const std::vector<std::string> sources = {
        forever + forever + forever + "x" + ends + ends + ends,
        "{{ 'x' * 10**9 }}",
        "{{ 'x' * 10**18 }}",
        "{{ ([0] * 10**8) | length }}",
        "{% set n = namespace(s='xx') %}" + forever + "{% set n.s = n.s ~ n.s %}" + ends,
        "{% set n = namespace(s=[1]) %}" + forever + "{% set n.s = n.s + n.s %}" + ends,
        "{% set n = namespace(s='x' * 1000) %}" + forever +
            "{% set n.s = n.s.replace('x', n.s) %}" + ends,
        "{% set n = namespace(s=[]) %}" + forever + "{% set n.s = [n.s] %}" + ends + "{{ n.s }}",
        std::string("{% set n = namespace() %}{% set n.n = n %}{{ n }}"),
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m() %}{{ 'x' * 10**7 }}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m(n) %}{{ m(n) }}{{ m(n) }}{% endmacro %}{{ m(1) }}",
        forever + "{{ 'x' * 10000 }}" + ends,
        forever + forever + "{{ ('a' * 1000000) in ('a' * 9999999) }}" + ends + ends,
        forever + "{{ ('a' * 100000).rfind('a' * 50000 ~ 'b') }}" + ends,
        forever + "{{ ('a' * 100000).rsplit('ab') }}" + ends,
        forever + "{{ ('a ' * 100000).split() | length }}" + ends,
        forever + "{{ range(100000) | sort | length }}" + ends,
        forever + "{{ range(100000) | map('string') | join | upper | length }}" + ends,
        forever + "{{ (range(100000) | list) == (range(100000) | list) }}" + ends,
        forever + "{{ ('a' * 100000)[::-1] | tojson(indent=4) }}" + ends,
        forever + "{{ 'a\n' * 1000 | indent(10000) }}" + ends,
        forever + "{{ ('é' * 100000)[99999] }}" + ends,
        "{{ 2 ** 100 }}",
        "{{ 10 ** 10 ** 10 }}",
        "{{ range(10 ** 10) }}",
        "{{ [] | sum(start='x' * 10 ** 10) }}",
        "{{ 'a' | indent(10 ** 10) }}",
        "{{ " + nest + "1" + std::string(200, ')') + " }}",
        "{{ " + std::string(100000, '(') + " }}",
        "{{ " + std::string(100000, '-') + "1 }}",
        "{{ 1" +
            [] {
                std::string sum;
                for (int i = 0; i < 1000; ++i) sum += "+1";
                return sum;
            }() +
            " }}",
        blocks,
    };
    for (const std::string& source : sources) {
        const Stopwatch watch;
        const std::string found = outcome(source);
        EXPECT_TRUE(found.starts_with("fails") || found.starts_with("syntax"))
            << source.substr(0, 200) << '\n'
            << found.substr(0, 300);
        EXPECT_LT(watch.elapsed_ms(), 20'000) << source.substr(0, 200);  // under a sanitizer too
    }
}

// Keys of a dict that fall on one place, as a client may choose them, cost no more than others.
TEST(Jinja, ReadsDictsOfManyKeys) {
    json::object keys;
    for (int i = 0; i < 20'000; ++i) keys["key" + std::to_string(i)] = i;
    json::object variables;
    variables["d"] = keys;
    EXPECT_EQ(outcome("{% set n = namespace(s=0) %}{% for k in d %}{% set n.s = n.s + d[k] %}"
                      "{% endfor %}{{ n.s }} {{ d | length }} {{ 'key77' in d }} {{ d.nope }}",
                      variables),
              "output 199990000 20000 True ");
}

TEST(Jinja, KeepsIntegersOfAnySize) {
    JsonLimits limits;
    limits.exact_integers = true;
    const auto variables = parse_json(
        R"({"a": 123456789012345678901, "b": -18446744073709551615, "c": 18446744073709551615})",
        "x", limits);
    ASSERT_TRUE(variables.ok());
    EXPECT_EQ(outcome("{{ a }} {{ [a, b] }} {{ {'x': c} | tojson }} {{ a == a }} {{ a is number }} "
                      "{{ a is integer }} {{ a ~ '' }} {{ a | int }} {{ a == b }}",
                      *variables),
              "output 123456789012345678901 [123456789012345678901, -18446744073709551615] "
              "{\"x\": 18446744073709551615} True True True 123456789012345678901 "
              "123456789012345678901 False");
}

}  // namespace
}  // namespace saker
