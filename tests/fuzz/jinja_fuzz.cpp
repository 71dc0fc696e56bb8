// Arbitrary bytes as a chat template: refused with a sentence and its line, or run within its
// bounds over a conversation whose client's texts never become anything but text.
//
// Bytes that begin with "G" are choices instead: a template is written by them, which is always one
// that can be read, so that what runs it is reached too.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "jinja/template.h"
#include "text/chat_variables.h"

namespace {

using namespace saker;

// Letters that no template of the corpus has: what shows them is the client's.
constexpr std::string_view kClient = "ЖЩЮ";

const ChatRequest& request() {
    static const ChatRequest made = [] {
        auto parsed = parse_chat(R"({"messages": [
            {"role": "system", "content": "ЖЩЮ"},
            {"role": "user", "content": [{"type": "text", "text": " ЖЩЮ <ЖЩЮ> "},
             {"type": "image", "image": "x"}], "name": "ЖЩЮ"},
            {"role": "assistant", "content": "<think>a</think>", "reasoning_content": "r",
             "tool_calls": [{"name": "f", "arguments": {"a": [1, 2.5, null]}}]},
            {"role": "tool", "content": "ЖЩЮ", "tool_call_id": "1"},
            {"role": "user", "content": "ЖЩЮ"}],
            "tools": [{"type": "function", "function": {"name": "f", "description": "ЖЩЮ"}}],
            "chat_template_kwargs": {"x": "ЖЩЮ", "n": 3}})");
        CHECK(parsed.ok(), "the request is a good one");
        return *std::move(parsed);
    }();
    return made;
}

// Whether the template has such letters, small or large, or escapes that may stand for them: what
// it shows then tells nothing.
bool may_spell_letters(std::string_view source) {
    for (size_t at = 0; at + 1 < source.size(); ++at) {
        if (source[at] == '\xD0' || source[at] == '\xD1') return true;
        if (source[at] == '\\' &&
            std::string_view("xuU01234567").find(source[at + 1]) != std::string_view::npos)
            return true;
    }
    return false;
}

// Writes a template; each byte is a choice, and what is missing is zero.
class Writer {
  public:
    explicit Writer(std::string_view choices) : choices_(choices) {}

    bool is_over() const { return choices_.empty(); }

    std::string write() {
        out_ =
            "{% set ns = namespace(v=x) %}{% set m = messages[1] %}{% set a = [n, x] %}"
            "{% macro f(p, a=1) %}{{ p }}{{ a }}{% endmacro %}";
        statement(2);
        return std::move(out_);
    }

  private:
    size_t choose(size_t n) {
        if (choices_.empty()) return 0;
        const auto byte = static_cast<unsigned char>(choices_[0]);
        choices_.remove_prefix(1);
        return byte % n;
    }
    template <size_t N>
    void one_of(const char* const (&words)[N]) {
        out_ += words[choose(N)];
    }

    void name() {
        one_of({"x", "n", "m", "a", "ns", "messages", "tools", "loop", "f", "bos_token"});
    }

    void atom() {
        one_of({"x",
                "n",
                "m",
                "a",
                "'a,b c'",
                "' <A> '",
                "0",
                "3",
                "-1",
                "2.5",
                "none",
                "true",
                "[1, x, 'b']",
                "(n, x)",
                "{'k': x, 'j': [n]}",
                "messages",
                "tools",
                "loop.index",
                "loop.previtem",
                "ns.v",
                "range(4)",
                "f(x, n)",
                "''",
                "messages[1].content",
                "messages[2].content",
                "m.role",
                "12345678901234567890",
                "loop",
                "ns",
                "f"});
    }

    void expression(int depth) {
        const size_t kind = depth > 0 ? choose(14) : 0;
        if (kind < 3) return atom();
        out_ += '(';
        expression(depth - 1);
        if (kind < 6) {
            one_of({" + ", " - ", " * ", " / ", " // ", " % ", " ** ", " ~ ", " == ", " != ", " < ",
                    " >= ", " in ", " not in ", " and ", " or ", " if n else "});
            expression(depth - 1);
        } else if (kind < 9) {
            one_of({" | trim",
                    " | length",
                    " | list",
                    " | join(x)",
                    " | first",
                    " | last",
                    " | sort",
                    " | upper",
                    " | title",
                    " | string",
                    " | tojson",
                    " | tojson(indent=n)",
                    " | items",
                    " | reverse",
                    " | unique",
                    " | map('upper')",
                    " | map(attribute='role')",
                    " | select('string')",
                    " | rejectattr('role', 'equalto', 'user')",
                    " | int",
                    " | float",
                    " | abs",
                    " | round(1)",
                    " | sum",
                    " | min",
                    " | max",
                    " | dictsort",
                    " | default(x)",
                    " | replace('a', x)",
                    " | replace('', x)",
                    " | indent(n)",
                    " | capitalize",
                    " | wordcount",
                    " | safe",
                    " | attr('get')"});
        } else if (kind < 11) {
            out_ += ')';
            one_of({".role",
                    ".content",
                    "[0]",
                    "[-1]",
                    "['k']",
                    "[1:]",
                    "[::-1]",
                    "[:n]",
                    "[n::-2]",
                    ".strip()",
                    ".split(',')",
                    ".split()",
                    ".rsplit(x, 1)",
                    ".upper()",
                    ".items()",
                    ".keys()",
                    ".get('k', x)",
                    ".replace(x, 'q')",
                    ".startswith(x)",
                    ".find('b')",
                    ".partition(',')",
                    ".splitlines()",
                    ".join([x, 'y'])",
                    ".count(x)",
                    ".copy()",
                    ".index(n)",
                    ".update(x)",
                    "(x)",
                    "(x, a=n)",
                    ".title()",
                    ".lstrip(x)"});
            out_ += " ~ (''";
        } else {
            one_of({" is string", " is defined", " is mapping", " is none", " is iterable",
                    " is odd", " is in [x, n]", " is sequence", " is eq x", " is not number",
                    " is callable", " is divisibleby n", " is upper", " is gt n"});
        }
        out_ += ')';
    }

    void body(int depth) {
        statement(depth - 1);
        statement(depth - 1);
    }

    void statement(int depth) {
        switch (depth > 0 ? choose(12) : choose(2)) {
            case 0:
                out_ += "{{ ";
                expression(2);
                one_of({" }}", " -}} ", " }}\n", "}} <think> "});
                return;
            case 1:
                one_of({"text\n", "  {#- c -#} \n", "\n  ", "<|im_end|>"});
                return;
            case 2:
            case 3:
                out_ += "{% if ";
                expression(2);
                out_ += " %}";
                body(depth);
                one_of({"", "{% else -%} y ", "{% elif x %}z"});
                out_ += "{% endif %}\n";
                return;
            case 4:
            case 5:
                one_of({"{% for m in ", "{%- for a, x in ", "{% for x in ", "{% for n in "});
                expression(2);
                one_of({" %}", " if x %}", " if loop %}", " -%} "});
                body(depth);
                one_of({"", "{% break %}", "{% if loop.last %}{% continue %}{% endif %}",
                        "{% else %}e"});
                out_ += "{% endfor %}";
                return;
            case 6:
            case 7:
                out_ += "{% set ";
                name();
                out_ += " = ";
                expression(2);
                out_ += " %}";
                return;
            case 8:
                one_of({"{% set ns = namespace(v=x) %}", "{% set ns.v = [ns.v, x] %}",
                        "{% set ns.v = ns %}", "{% set ns.w = loop %}", "{% set a, n = n, a %}"});
                return;
            case 9:
                out_ += "{% macro f(a, x=n) %}";
                body(depth);
                out_ += "{% endmacro %}";
                return;
            case 10:
                one_of({"{% set x %}", "{% set n | upper %}", "{% set x | replace('a', n) %}"});
                body(depth);
                out_ += "{% endset %}";
                return;
            default:
                one_of({"{% with a = x, m = n %}", "{% with %}"});
                body(depth);
                out_ += "{% endwith %}{% generation %}";
                body(depth);
                out_ += "{% endgeneration %}";
        }
    }

    std::string_view choices_;
    std::string out_;
};

void check_origins(const OriginText& text) {
    size_t begin = 0;
    for (const OriginRun& run : text.runs) {
        CHECK(run.end > begin && run.end <= text.bytes.size(), "runs ascend");
        const std::string_view part = std::string_view(text.bytes).substr(begin, run.end - begin);
        if (run.origin == Origin::author)
            for (size_t at = 0; at + 2 <= kClient.size(); at += 2)
                CHECK(part.find(kClient.substr(at, 2)) == std::string_view::npos,
                      "a client's letters are the client's");
        begin = run.end;
    }
    CHECK(begin == text.bytes.size(), "every byte has an origin");
}

void run(std::string_view source) {
    if (may_spell_letters(source)) return;
    try {
        const auto made = JinjaTemplate::parse(source, "t");
        jinja::Limits limits;
        limits.max_steps = 300'000;  // a test of many inputs has less patience
        limits.max_bytes = size_t{16} << 20;
        jinja::Heap heap(limits);
        const SpecialTokens tokens = {{"bos_token", "<b>"}, {"eos_token", "<e>"}};
        const auto text = made.render(heap, *chat_variables(heap, request(), tokens), 0);
        if (text.ok()) {
            check_origins(*text);
            CHECK(is_utf8(text->bytes), "a prompt is valid UTF-8");
        } else {
            CHECK(is_utf8(text.error().message) && text.error().message.size() < 1500,
                  "an error is one sentence");
        }
    } catch (const StartupError& fault) {
        CHECK(is_utf8(fault.what()) && std::string_view(fault.what()).ends_with('.'),
              "a refusal is a sentence");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    const std::string_view given(reinterpret_cast<const char*>(bytes), size);
    if (!given.starts_with('G')) {
        run(given);
        return 0;
    }
    Writer writer(given.substr(1));
    for (int i = 0; i < 12 && !writer.is_over(); ++i) run(writer.write());
    return 0;
}
