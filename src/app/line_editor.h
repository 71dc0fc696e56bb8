// LineEditor: a line typed on the terminal, with editing, history and pastes of several lines
// (libedit). Used by the conversation alone, where stdin is a terminal.
#pragma once

#include <memory>
#include <string>

namespace saker {

class LineEditor {
  public:
    /// `prompt` stands before each line. Lines are kept for the next time in a file of this user's
    /// own (history_file()), where one can be written.
    explicit LineEditor(const std::string& prompt);
    ~LineEditor();
    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;

    struct Line {
        enum class End {
            enter,      // `text` was typed or pasted; it may hold line breaks
            interrupt,  // Ctrl-C: what was typed is dropped
            input,      // Ctrl-D on an empty line, or the terminal is gone
        };
        End end = End::enter;
        std::string text;  // valid UTF-8
    };
    /// Waits for a line.
    Line read();

  private:
    struct Terminal;
    std::unique_ptr<Terminal> terminal_;
};

/// $XDG_STATE_HOME/saker/history, or ~/.local/state/saker/history; empty where there is no home.
std::string history_file();

}  // namespace saker
