// The texts, and who gets which.
#include "weights/progress.h"

#include <gtest/gtest.h>

#include <thread>

#include "weights/test_files.h"

namespace saker {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(Progress, Texts) {
    EXPECT_EQ("reading: 12.5 GB of 62.5 GB, 2.5 GB/s, 20 s left",
              progress_line("reading", 12'500'000'000, 62'500'000'000, 5 * kSecond));
    EXPECT_EQ("reading: 1 MB of 400 MB, 1 MB/s, 6 min 39 s left",
              progress_line("reading", 1'000'000, 400'000'000, kSecond));
    EXPECT_EQ("reading: 0 MB of 400 MB, 0 MB/s", progress_line("reading", 0, 400'000'000, kSecond));
    EXPECT_EQ("reading: 62.0 GB of 62.0 GB, 2.0 GB/s, took 31 s",
              progress_line("reading", 62'000'000'000, 62'000'000'000, 31 * kSecond));
    EXPECT_EQ("reading: 0 MB of 0 MB, 0 MB/s, took 0 s", progress_line("reading", 0, 0, 0));
}

TEST(Progress, Bar) {
    const std::string half = progress_bar("reading", 31'000'000'000, 62'000'000'000, kSecond, 80);
    EXPECT_EQ(80u, half.size()) << half;
    EXPECT_TRUE(half.starts_with("reading [=====")) << half;
    const auto full = std::count(half.begin(), half.end(), '=');
    EXPECT_NEAR(static_cast<double>(full),
                static_cast<double>(half.find(']') - half.find('[') - 1) / 2, 1.0);
    EXPECT_EQ(std::string::npos, progress_bar("reading", 2, 1, kSecond, 80).find("[= "));
    EXPECT_EQ(progress_line("reading", 1, 2, kSecond), progress_bar("reading", 1, 2, kSecond, 30))
        << "no room";
}

std::string written(Progress::Style style, int64_t sleep_ms) {
    const TestFolder folder;
    std::FILE* out = std::fopen((folder / "log").c_str(), "w");
    {
        Progress progress("reading", 100, style, out);
        progress.add(40);
        std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms));
        progress.add(60);
        progress.finish();
        EXPECT_EQ(100, progress.done_bytes());
    }
    std::fclose(out);
    return read_all(folder / "log");
}

TEST(Progress, ShortWorkIsSilent) {
    for (const auto style : {Progress::Style::automatic, Progress::Style::bar,
                             Progress::Style::lines, Progress::Style::silent})
        EXPECT_EQ("", written(style, 0));
}

TEST(Progress, FilesGetPlainLinesAndTerminalsABar) {
    const std::string lines = written(Progress::Style::automatic, 300);
    EXPECT_TRUE(lines.starts_with("saker: reading: 0 MB of 0 MB")) << lines;
    EXPECT_EQ(1, std::count(lines.begin(), lines.end(), '\n'));
    EXPECT_EQ("", written(Progress::Style::silent, 300));
    const std::string bar = written(Progress::Style::bar, 300);
    EXPECT_TRUE(bar.starts_with("\r\x1b[Kreading")) << bar;
    EXPECT_TRUE(bar.ends_with("\n"));
}

}  // namespace
}  // namespace saker
