// See template.h. Faults end here.
#include "jinja/template.h"

#include "base/check.h"
#include "base/utf8.h"
#include "jinja/interpreter.h"
#include "jinja/parser.h"

namespace saker {
namespace {

std::string without_stop(std::string sentence) {
    while (sentence.ends_with('.')) sentence.pop_back();
    return sentence;
}

// A template may raise what a client wrote, of any length.
std::string shortened(std::string text) {
    constexpr size_t kMost = 1000;
    if (text.size() <= kMost) return text;
    text.resize(kMost);
    text.resize(text.size() - incomplete_utf8_tail(text));
    return text + "…";
}

}  // namespace

struct JinjaTemplate::Parts {
    jinja::Program program;
};

JinjaTemplate::JinjaTemplate(std::unique_ptr<const Parts> parts, std::string file)
    : parts_(std::move(parts)), file_(std::move(file)) {}
JinjaTemplate::JinjaTemplate(JinjaTemplate&&) noexcept = default;
JinjaTemplate& JinjaTemplate::operator=(JinjaTemplate&&) noexcept = default;
JinjaTemplate::~JinjaTemplate() = default;

JinjaTemplate JinjaTemplate::parse(std::string_view source, std::string file) {
    if (source.size() > kMaxBytes)
        throw StartupError(file + ": is larger than 1 MiB, too large for a template.");
    if (!is_utf8(source)) throw StartupError(file + ": is not valid UTF-8.");
    try {
        auto parts = std::make_unique<Parts>();
        parts->program = jinja::parse_template(source);
        return JinjaTemplate(std::move(parts), std::move(file));
    } catch (const jinja::Fault& fault) {
        throw StartupError(file + ": line " + std::to_string(fault.line) + ": " +
                           without_stop(fault.sentence) +
                           "; mend the template, or choose another with --chat-template.");
    }
}

Result<OriginText> JinjaTemplate::render(jinja::Heap& heap, const jinja::Dict& variables,
                                         std::time_t now) const {
    jinja::Interpreter interpreter(parts_->program, heap, variables, now);
    try {
        return interpreter.run();
    } catch (const jinja::Fault& fault) {
        if (fault.is_raised) return Error{ErrorCode::invalid_value, shortened(fault.sentence), ""};
        return Error{ErrorCode::invalid_value,
                     "The chat template (" + file_ + ") fails at line " +
                         std::to_string(interpreter.line()) + ": " + without_stop(fault.sentence) +
                         ".",
                     ""};
    }
}

}  // namespace saker
