// See chat_template_file.h.
#include "text/chat_template_file.h"

#include <array>
#include <fstream>
#include <iterator>

#include "base/stand_in.h"
#include "base/utf8.h"
#include "jinja/template.h"
#include "json/keys.h"

namespace saker {
namespace {

using enum KeyUse;

constexpr std::array kTemplateKeys = {KnownKey{"chat_template", honoured}};
constexpr KeyTable kTemplateTable{"chat_template.json", "", UnknownKeys::warn, kTemplateKeys};

constexpr std::array kNamedKeys = {KnownKey{"name", honoured}, KnownKey{"template", honoured}};
constexpr KeyTable kNamedTable{"chat_template.json", "chat_template[]", UnknownKeys::warn,
                               kNamedKeys};

constexpr std::array<std::string_view, 11> kSpecialTokens = {
    "bos_token",  "eos_token",   "unk_token",   "sep_token",        "pad_token",       "cls_token",
    "mask_token", "image_token", "video_token", "vision_bos_token", "vision_eos_token"};

// A dangling link counts as there, so that reading it names the broken file.
bool is_there(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) || std::filesystem::is_symlink(path, ignored);
}

std::string text_of(const json::value& value) {
    return {value.get_string().data(), value.get_string().size()};
}

// Of a list of named templates, "default" and "tool_use" count.
void read_named(const json::array& named, const JsonReader& reader, const std::string& file,
                ChatTemplateFile& out) {
    bool has_default = false;
    for (const json::value& item : named) {
        if (!is_json_object(item)) reader.fail("chat_template", "has an item that is no object");
        const JsonReader entry(item.get_object(), file, "chat_template[].");
        check_keys(entry, kNamedTable);
        const std::string name = entry.string("name");
        if (name == "tool_use") out.tool_use = entry.string("template");
        if (name != "default") continue;
        out.standard = entry.string("template");
        has_default = true;
    }
    if (!has_default) reader.fail("chat_template", "is a list without a template named default");
}

void read_member(const std::filesystem::path& path, bool is_own_file, ChatTemplateFile& out) {
    const json::object root = read_json_file(path);
    const JsonReader reader(root, path.string());
    if (is_own_file) check_keys(reader, kTemplateTable);
    if (!reader.has("chat_template")) return;
    const json::value& value = reader.value("chat_template");
    out.name = path.string();
    if (value.is_string())
        out.standard = text_of(value);
    else if (value.is_array())
        read_named(value.get_array(), reader, path.string(), out);
    else
        reader.fail("chat_template", "is neither a string nor a list of named templates");
}

}  // namespace

std::string read_template(const std::filesystem::path& file) {
    std::error_code ec;
    const auto size = std::filesystem::file_size(file, ec);
    if (ec) throw StartupError(file.string() + ": cannot be read (" + ec.message() + ").");
    if (size > JinjaTemplate::kMaxBytes)
        throw StartupError(file.string() + ": is larger than 1 MiB, too large for a template.");
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw StartupError(file.string() + ": cannot be read.");
    const std::string_view start = std::string_view(text).substr(0, kStandInBytes);
    if (const std::string_view sentence = stand_in(start); !sentence.empty())
        throw StartupError(file.string() + ": " + std::string(sentence) + ".");
    return text;
}

ChatTemplateFile read_chat_template_file(const std::filesystem::path& model_folder) {
    ChatTemplateFile out;
    const auto jinja = model_folder / "chat_template.jinja";
    if (is_there(jinja)) {
        out.name = jinja.string();
        out.standard = read_template(jinja);
        return out;
    }
    for (const char* name : {"chat_template.json", "tokenizer_config.json"})
        if (out.name.empty() && is_there(model_folder / name))
            read_member(model_folder / name, std::string_view(name) == "chat_template.json", out);
    return out;
}

std::vector<std::pair<std::string, std::string>> read_special_tokens(
    const std::filesystem::path& model_folder) {
    std::vector<std::pair<std::string, std::string>> tokens;
    const auto path = model_folder / "tokenizer_config.json";
    if (!is_there(path)) return tokens;
    const json::object root = read_json_file(path);
    const JsonReader reader(root, path.string());
    for (const std::string_view name : kSpecialTokens) {
        if (!reader.has(name)) continue;
        const json::value& value = reader.value(name);
        // {"content": "<|im_end|>", "lstrip": false, …} in older files.
        if (is_json_object(value)) {
            const JsonReader token = reader.object(name);
            tokens.emplace_back(name, token.string("content"));
        } else {
            tokens.emplace_back(name, reader.string(name));
        }
    }
    return tokens;
}

}  // namespace saker
