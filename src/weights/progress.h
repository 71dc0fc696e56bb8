// Progress: how far a long read or write is, for the person who waits.
//
// On a terminal one line that is redrawn: bar, bytes, rate, time left. Elsewhere (a log file, a
// container) a plain line every few seconds, so that nothing is silent for long and nothing floods.
// Used by loader.h, and by `saker synth` with writer.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace saker {

class Progress {
  public:
    enum class Style { automatic, bar, lines, silent };

    /// `label` is what happens ("reading weights"). `automatic` is a bar where `out` is a terminal,
    /// else lines. Nothing is shown of work that takes less than about a quarter of a second.
    Progress(std::string label, int64_t total_bytes, Style style = Style::automatic,
             std::FILE* out = stderr);
    ~Progress();  // ends an unfinished bar with a line break, so that an error has its own line
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// More bytes are done. Any thread.
    void add(int64_t bytes);
    /// All is done: the last line says how much in how long.
    void finish();

    int64_t done_bytes() const { return done_.load(std::memory_order_relaxed); }

  private:
    void show(int64_t now);

    std::string label_;
    int64_t total_, start_ns_;
    Style style_;
    std::FILE* out_;
    std::atomic<int64_t> done_{0}, next_show_ns_;
    std::mutex writing_;
    bool open_line_ = false;
};

/// The text of a bar of `width` columns: "label [=====>    ] 12.3 / 62.0 GB  2.1 GB/s  24 s left".
std::string progress_bar(const std::string& label, int64_t done, int64_t total, int64_t elapsed_ns,
                         int width);
/// The same without the bar, for a log.
std::string progress_line(const std::string& label, int64_t done, int64_t total,
                          int64_t elapsed_ns);

}  // namespace saker
