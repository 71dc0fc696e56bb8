// What all commands share: the version, and how an Error is told.
#include "app/commands.h"

#include <cstdio>

#include "base/utf8.h"
#include "json/json.h"

namespace saker {

namespace {

constexpr std::string_view kCallers = "invalid_request_error", kOurs = "server_error";

void tell(const std::string& sentence, std::string_view type, const std::string& param,
          std::string_view code, bool as_json) {
    // Names and templates may hold anything; a terminal is to see one line of text.
    std::string line = sentence;
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    std::fprintf(stderr, "saker: %s\n", line.c_str());
    if (!as_json) return;
    json::object error;
    // A path may hold any bytes, JSON none that are not UTF-8.
    error["message"] = replace_invalid_utf8(sentence);
    error["type"] = type;
    error["param"] = param.empty() ? json::value(nullptr) : json::value(param);
    error["code"] = code;
    std::printf("%s\n", dump_json(json::object{{"error", error}}).c_str());
}

}  // namespace

std::string version() {
    return "0.1.0";
}

int report(const Error& error, bool as_json) {
    const bool ours =
        error.code == ErrorCode::numeric_error || error.code == ErrorCode::internal_error;
    tell(error.message, ours ? kOurs : kCallers, error.param, to_string(error.code), as_json);
    return ours ? 3 : 2;
}

int report_startup(const std::string& sentence, bool as_json) {
    tell(sentence, kOurs, "", "startup_failed", as_json);
    return 3;
}

}  // namespace saker
