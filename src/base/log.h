// One line to stderr at a time: what the process tells its operator.
//
// Control characters are escaped, so that no field can forge a line. Prompts, pictures and keys
// never come here. Lines below `info` are left out unless set_log_level asks for them.
#pragma once

#include <string_view>

namespace saker {

enum class LogLevel { debug, info, warning, error, off };

void set_log_level(LogLevel level);
void log_line(LogLevel level, std::string_view line);
inline void log_info(std::string_view line) {
    log_line(LogLevel::info, line);
}
inline void log_warning(std::string_view line) {
    log_line(LogLevel::warning, line);
}

}  // namespace saker
