// A Sequence is flattened first, so that every list is one of plain steps.
#include "text/tokenizer_steps.h"

#include "base/utf8.h"
#include "text/tokenizer_keys.h"

namespace saker {
namespace {

constexpr size_t kMaxSteps = 16;

struct Step {
    JsonReader reader;
    std::string at;  // its path in the file
    std::string type;
};

// Appends the plain steps of `object` to `steps`. `list` is the key of a Sequence's steps.
void flatten(const json::object& object, const std::string& name, const std::string& at,
             const char* list, std::vector<Step>& steps) {
    const JsonReader reader(object, name, at + ".");
    std::string type = reader.string("type");
    if (type != "Sequence") {
        if (steps.size() == kMaxSteps) reader.fail("type", "is that of a 17th step; 16 may be");
        steps.push_back({reader, at, std::move(type)});
        return;
    }
    check_keys(reader, TokenizerKeys::sequence);
    const json::value& items = reader.value(list);
    if (!items.is_array()) reader.fail(list, "is not a list");
    for (size_t i = 0; i < items.get_array().size(); ++i) {
        const std::string key = std::string(list) + "[" + std::to_string(i) + "]";
        const json::value& item = items.get_array()[i];
        if (!item.is_object()) reader.fail(key, "is not an object");
        flatten(item.get_object(), name, at + "." + key, list, steps);
    }
}

std::vector<Step> steps_of(const JsonReader& root, const std::string& name, const char* key,
                           const char* list) {
    std::vector<Step> steps;
    if (root.has(key)) flatten(root.object(key).members(), name, key, list, steps);
    return steps;
}

[[noreturn]] void refuse(const Step& step, std::string_view known) {
    step.reader.fail("type", "is " + quote(step.type) + ", which Saker does not do; it does " +
                                 std::string(known));
}

// NFC of NFD is NFC, and NFD of NFC is NFD: the last one counts.
void read_normalizer(const JsonReader& root, const std::string& name, TokenizerFile& file) {
    for (const Step& step : steps_of(root, name, "normalizer", "normalizers")) {
        if (step.type == "NFC")
            file.form = NormalForm::nfc;
        else if (step.type == "NFD")
            file.form = NormalForm::nfd;
        else
            refuse(step, "NFC and NFD");
        check_keys(step.reader, TokenizerKeys::normal_form);
    }
}

// A pattern that matches `text` and nothing else.
std::string literal(std::string_view text) {
    std::string pattern;
    for (const char c : text) {
        const bool is_plain = (c & 0x80) != 0 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                              (c >= 'A' && c <= 'Z');
        if (!is_plain) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

SplitStep read_split(const Step& step) {
    check_keys(step.reader, TokenizerKeys::split);
    const std::string behavior = step.reader.string("behavior");
    if (behavior != "Isolated")
        step.reader.fail("behavior",
                         "is " + quote(behavior) + ", which Saker does not do; it does Isolated");
    step.reader.boolean_or("invert", false);
    const JsonReader pattern = step.reader.object("pattern");
    check_keys(pattern, TokenizerKeys::pattern);
    if (pattern.has("String"))
        return {literal(pattern.string("String")), step.at + ".pattern.String"};
    return {pattern.string("Regex"), step.at + ".pattern.Regex"};
}

SplitStep read_digits(const Step& step) {
    check_keys(step.reader, TokenizerKeys::digits);
    const bool each = step.reader.boolean_or("individual_digits", false);
    return {each ? "\\p{N}" : "\\p{N}+", step.at};
}

void read_pre_tokenizer(const JsonReader& root, const std::string& name, TokenizerFile& file) {
    const std::vector<Step> steps = steps_of(root, name, "pre_tokenizer", "pretokenizers");
    if (steps.empty() || steps.back().type != "ByteLevel")
        root.fail("pre_tokenizer", "does not end in a ByteLevel step, and Saker reads no others");
    for (const Step& step : steps) {
        if (&step == &steps.back()) break;
        if (step.type == "Split")
            file.splits.push_back(read_split(step));
        else if (step.type == "Digits")
            file.splits.push_back(read_digits(step));
        else
            refuse(step, "Split and Digits before a last ByteLevel");
    }
    const JsonReader& bytes = steps.back().reader;
    check_keys(bytes, TokenizerKeys::byte_level);
    file.adds_prefix_space = bytes.boolean_or("add_prefix_space", true);
    file.splits_bytes = bytes.boolean_or("use_regex", true);
}

// A layout of tokens around a prompt must add none: its `single` is the prompt alone.
void read_layout(const Step& step) {
    check_keys(step.reader, TokenizerKeys::layout);
    const json::value& single = step.reader.value("single");
    const bool is_prompt_alone = single.is_array() && single.get_array().size() == 1 &&
                                 single.get_array()[0].is_object() &&
                                 single.get_array()[0].get_object().contains("Sequence");
    if (!is_prompt_alone)
        step.reader.fail("single", "adds tokens to every prompt, which Saker does not do");
}

void read_post_processor(const JsonReader& root, const std::string& name) {
    for (const Step& step : steps_of(root, name, "post_processor", "processors")) {
        if (step.type == "ByteLevel")
            check_keys(step.reader, TokenizerKeys::byte_level);
        else if (step.type == "TemplateProcessing")
            read_layout(step);
        else
            refuse(step, "ByteLevel, and TemplateProcessing that adds nothing");
    }
}

// Behind ByteLevel there is one text, and Fuse joins what is one already.
void read_decoder(const JsonReader& root, const std::string& name) {
    const std::vector<Step> steps = steps_of(root, name, "decoder", "decoders");
    if (steps.empty() || steps[0].type != "ByteLevel")
        root.fail("decoder", "does not begin with ByteLevel, and Saker reads no others");
    check_keys(steps[0].reader, TokenizerKeys::byte_level);
    for (size_t i = 1; i < steps.size(); ++i) {
        if (steps[i].type != "Fuse") refuse(steps[i], "Fuse behind a ByteLevel");
        check_keys(steps[i].reader, TokenizerKeys::fuse);
    }
}

}  // namespace

void read_steps(const JsonReader& root, const std::string& name, TokenizerFile& file) {
    read_normalizer(root, name, file);
    read_pre_tokenizer(root, name, file);
    read_post_processor(root, name);
    read_decoder(root, name);
}

}  // namespace saker
