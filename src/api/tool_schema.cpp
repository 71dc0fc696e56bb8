// See tool_schema.h. Recursion is bounded: bodies are parsed with a depth limit.
#include "api/tool_schema.h"

#include <algorithm>
#include <string_view>

#include "api/chat.h"

namespace saker {
namespace {

constexpr size_t kMaxNameBytes = 128;
constexpr int kMaxRefHops = 32;

Error fault(const std::string& param, std::string_view rule) {
    return Error{ErrorCode::invalid_schema, param + " " + std::string(rule), param};
}

bool is_name_byte(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c >= 0x80 || c == '_' || c == '-' || c == '.' || c == ':' || c == '/';
}

size_t depth_of(const json::value& value) {
    size_t deepest = 0;
    if (is_json_object(value))
        for (const auto& member : value.get_object())
            deepest = std::max(deepest, depth_of(member.value()));
    else if (value.is_array())
        for (const json::value& item : value.get_array())
            deepest = std::max(deepest, depth_of(item));
    else
        return 0;
    return deepest + 1;
}

const json::string* ref_of(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* ref = object ? object->if_contains("$ref") : nullptr;
    return ref ? ref->if_string() : nullptr;
}

// Whether a reference is "#..." and ends, hop by hop, at something that is not itself a reference.
bool ends_inside(const json::value& schema, const json::string* ref) {
    for (int hop = 0; hop < kMaxRefHops; ++hop) {
        const std::string_view text(ref->data(), ref->size());
        if (!text.starts_with('#')) return false;
        if (text.size() > 1 && text[1] != '/') return true;  // an anchor: a name, not a path
        boost::system::error_code ec;
        const json::value* target = schema.find_pointer(text.substr(1), ec);
        if (!target) return false;
        ref = ref_of(*target);
        if (!ref) return true;
    }
    return false;
}

bool has_wrong_ref(const json::value& schema, const json::value& at) {
    if (const json::string* ref = ref_of(at); ref && !ends_inside(schema, ref)) return true;
    const auto is_wrong = [&](const json::value& v) { return has_wrong_ref(schema, v); };
    if (at.is_array()) return std::any_of(at.get_array().begin(), at.get_array().end(), is_wrong);
    return at.is_object() &&
           std::any_of(at.get_object().begin(), at.get_object().end(),
                       [&](const auto& member) { return is_wrong(member.value()); });
}

}  // namespace

Status check_tool(const json::value& tool, const std::string& at) {
    if (!is_json_object(tool)) return fault(at, "must be an object.");
    const json::value* type = tool.get_object().if_contains("type");
    if (type && !(type->is_string() && type->get_string() == "function"))
        return fault(at + ".type", "must be \"function\".");
    const json::value* function = tool.get_object().if_contains("function");
    if (!function || !is_json_object(*function))
        return fault(at + ".function", "must be an object with a name.");
    const json::value* name = function->get_object().if_contains("name");
    if (!name || !name->is_string() || name->get_string().empty() ||
        name->get_string().size() > kMaxNameBytes ||
        !std::all_of(name->get_string().begin(), name->get_string().end(), is_name_byte))
        return fault(at + ".function.name",
                     "must be 1 to 128 bytes of letters, digits and \"_-.:/\".");
    if (dump_json(tool).size() > kMaxToolBytes) return fault(at, "must not exceed 64 KiB.");
    const json::value* parameters = function->get_object().if_contains("parameters");
    if (!parameters || parameters->is_null()) return Done{};
    const std::string param = at + ".function.parameters";
    if (!is_json_object(*parameters))
        return fault(param, "must be a JSON schema, which is an object.");
    if (depth_of(*parameters) > kMaxSchemaDepth)
        return fault(param, "must not be nested deeper than 32 levels.");
    if (has_wrong_ref(*parameters, *parameters))
        return fault(param, "has a $ref that is not to another place in the same schema.");
    return Done{};
}

}  // namespace saker
