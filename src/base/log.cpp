// Writes log lines with one fwrite each, so that lines of several threads never mix.
#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <string>

namespace saker {
namespace {

std::atomic<LogLevel> g_level{LogLevel::info};

const char* prefix(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return "saker: debug: ";
        case LogLevel::warning:
            return "saker: warning: ";
        case LogLevel::error:
            return "saker: error: ";
        default:
            return "saker: ";
    }
}

}  // namespace

void set_log_level(LogLevel level) {
    g_level.store(level, std::memory_order_relaxed);
}

void log_line(LogLevel level, std::string_view line) {
    if (level < g_level.load(std::memory_order_relaxed)) return;
    std::string out = prefix(level);
    for (char c : line) {
        const auto b = static_cast<unsigned char>(c);
        if (b < 0x20 || b == 0x7F) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02x", b);
            out += hex;
        } else {
            out += c;
        }
    }
    out += '\n';
    std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace saker
