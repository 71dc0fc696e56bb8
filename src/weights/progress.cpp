// Draws what progress.h promises. The clock is looked at once an add(), and a line is drawn when
// one is due, by whichever thread finds it so.
#include "weights/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace saker {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kFirstShowNs = kSecond / 4;
constexpr int64_t kBarNs = kSecond / 10, kLineNs = 5 * kSecond;
constexpr int kMinBar = 10, kMaxWidth = 100;

std::string size_text(int64_t bytes) {
    return bytes < 1'000'000'000 ? fmt::format("{:.0f} MB", static_cast<double>(bytes) * 1e-6)
                                 : fmt::format("{:.1f} GB", static_cast<double>(bytes) * 1e-9);
}

std::string time_text(double seconds) {
    const auto whole = static_cast<int64_t>(seconds + 0.5);
    return whole < 100 ? fmt::format("{} s", whole)
                       : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string rate_text(int64_t done, int64_t elapsed_ns) {
    return size_text(done * 1000 / std::max<int64_t>(elapsed_ns / 1'000'000, 1)) + "/s";
}

// "12.3 GB of 62.0 GB, 2.1 GB/s, 24 s left"
std::string figures(int64_t done, int64_t total, int64_t elapsed_ns) {
    std::string text =
        fmt::format("{} of {}, {}", size_text(done), size_text(total), rate_text(done, elapsed_ns));
    const double seconds = static_cast<double>(elapsed_ns) / kSecond;
    if (done >= total)
        text += ", took " + time_text(seconds);
    else if (done > 0)
        text += ", " +
                time_text(seconds * static_cast<double>(total - done) / static_cast<double>(done)) +
                " left";
    return text;
}

int terminal_width(std::FILE* out) {
    winsize size = {};
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return std::min<int>(size.ws_col - 1, kMaxWidth);
}

}  // namespace

std::string progress_line(const std::string& label, int64_t done, int64_t total,
                          int64_t elapsed_ns) {
    return label + ": " + figures(done, total, elapsed_ns);
}

std::string progress_bar(const std::string& label, int64_t done, int64_t total, int64_t elapsed_ns,
                         int width) {
    const std::string numbers = figures(done, total, elapsed_ns);
    const int room = width - static_cast<int>(label.size() + numbers.size()) -
                     4;  // the brackets and their blanks
    if (room < kMinBar) return progress_line(label, done, total, elapsed_ns);
    const double share =
        total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0)
                  : 1.0;
    const auto full = static_cast<size_t>(share * room);
    return label + " [" + std::string(full, '=') +
           std::string(static_cast<size_t>(room) - full, ' ') + "] " + numbers;
}

Progress::Progress(std::string label, int64_t total_bytes, Style style, std::FILE* out)
    : label_(std::move(label)),
      total_(total_bytes),
      start_ns_(now_ns()),
      style_(style),
      out_(out),
      next_show_ns_(start_ns_ + kFirstShowNs) {
    if (style_ == Style::automatic) style_ = isatty(fileno(out)) ? Style::bar : Style::lines;
    if (style_ == Style::lines) next_show_ns_ = start_ns_ + kLineNs;
}

Progress::~Progress() {
    if (open_line_) std::fputc('\n', out_);
}

void Progress::add(int64_t bytes) {
    done_.fetch_add(bytes, std::memory_order_relaxed);
    if (style_ == Style::silent) return;
    const int64_t now = now_ns();
    int64_t due = next_show_ns_.load(std::memory_order_relaxed);
    const int64_t interval = style_ == Style::bar ? kBarNs : kLineNs;
    if (now >= due && next_show_ns_.compare_exchange_strong(due, now + interval)) show(now);
}

void Progress::finish() {
    const int64_t now = now_ns();
    if (style_ == Style::silent || now - start_ns_ < kFirstShowNs) return;
    total_ = std::max(total_, done_bytes());
    show(now);
    if (open_line_) std::fputc('\n', out_);
    open_line_ = false;
}

void Progress::show(int64_t now) {
    const std::lock_guard lock(writing_);
    std::string text;
    if (style_ == Style::bar) {
        // Back to the first column, and clear what an older, longer line left behind.
        text = "\r\x1b[K" +
               progress_bar(label_, done_bytes(), total_, now - start_ns_, terminal_width(out_));
        open_line_ = true;
    } else {
        text = "saker: " + progress_line(label_, done_bytes(), total_, now - start_ns_) + "\n";
    }
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
}

}  // namespace saker
