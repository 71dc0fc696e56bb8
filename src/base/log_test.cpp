// Log lines: level, prefix, and no field can forge a line.
#include "base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace saker {
namespace {

// What log_line writes to stderr, which points to a file meanwhile.
std::string logged(LogLevel level, std::string_view line) {
    std::FILE* file = std::tmpfile();
    std::fflush(stderr);
    const int saved = dup(2);
    dup2(fileno(file), 2);
    log_line(level, line);
    std::fflush(stderr);
    dup2(saved, 2);
    close(saved);
    std::string text(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)), char(0));
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
}

TEST(Log, PrefixesByLevel) {
    set_log_level(LogLevel::debug);
    EXPECT_EQ(logged(LogLevel::debug, "a"), "saker: debug: a\n");
    EXPECT_EQ(logged(LogLevel::info, "a"), "saker: a\n");
    EXPECT_EQ(logged(LogLevel::warning, "a"), "saker: warning: a\n");
    EXPECT_EQ(logged(LogLevel::error, "a"), "saker: error: a\n");
    set_log_level(LogLevel::info);
}

TEST(Log, BelowTheLevelIsSilent) {
    set_log_level(LogLevel::warning);
    EXPECT_EQ(logged(LogLevel::info, "a"), "");
    EXPECT_EQ(logged(LogLevel::warning, "a"), "saker: warning: a\n");
    set_log_level(LogLevel::off);
    EXPECT_EQ(logged(LogLevel::error, "a"), "");
    set_log_level(LogLevel::info);
}

TEST(Log, ControlCharactersAreEscaped) {
    EXPECT_EQ(logged(LogLevel::info, std::string_view("a\nsaker: b\r\x1b[0m\0\x7f\xC3\xA9", 19)),
              "saker: a\\x0asaker: b\\x0d\\x1b[0m\\x00\\x7f\xC3\xA9\n");
}

}  // namespace
}  // namespace saker
