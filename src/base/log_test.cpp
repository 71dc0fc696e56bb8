// Log lines: level, prefix, and no field can forge a line.
#include "base/log.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

std::string logged(LogLevel level, std::string_view line) {
    testing::internal::CaptureStderr();
    log_line(level, line);
    return testing::internal::GetCapturedStderr();
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
