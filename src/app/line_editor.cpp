// libedit's wide-character interface, fed by a reader of ours: it decodes UTF-8 whatever the
// locale, and sees Ctrl-C. The history file is ours too: a line an entry, "\n" and "\\" escaped,
// appended as entries come, so that two conversations at once lose nothing.
#include "app/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "app/interrupt.h"
#include "app/session.h"
#include "base/utf8.h"

namespace saker {
namespace {

constexpr size_t kMostEntries = 1000;          // kept from one conversation to the next
constexpr size_t kMostEntryBytes = 64 << 10;   // a longer paste is not kept
constexpr wchar_t kPasteEnd[] = L"\033[201~";  // terminals put it behind a paste

std::wstring widen(std::string_view text) {
    std::wstring out;
    while (!text.empty()) {
        const Decoded next = decode_utf8(text);
        out += static_cast<wchar_t>(next.code_point);
        text.remove_prefix(next.size);
    }
    return out;
}

std::string narrow(std::wstring_view text) {
    std::string out;
    for (wchar_t letter : text) append_utf8(out, static_cast<char32_t>(letter));
    return out;
}

// 1 and a byte; 0 at the end of the input; -1 after Ctrl-C. It is poll() that waits, and read()
// takes what is there: a signal that comes just before a read would not end it.
int read_byte(char& byte) {
    constexpr int kLookMs = 50;
    while (true) {
        if (is_interrupted()) return -1;
        pollfd input = {STDIN_FILENO, POLLIN, 0};
        if (poll(&input, 1, kLookMs) <= 0) continue;
        const ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n >= 0) return static_cast<int>(n);
        if (errno != EINTR) return 0;
    }
}

// The reader that libedit calls: one character.
int read_letter(EditLine*, wchar_t* letter) {
    std::string bytes(1, '\0');
    if (const int got = read_byte(bytes[0]); got != 1) return got;
    while (incomplete_utf8_tail(bytes) == bytes.size()) {
        bytes += '\0';
        if (const int got = read_byte(bytes.back()); got != 1) return got;
    }
    *letter = static_cast<wchar_t>(decode_utf8(bytes).code_point);
    return 1;
}

// Bound to what terminals send before a paste: all of it becomes part of the line, breaks included.
unsigned char insert_paste(EditLine* editor, wint_t) {
    std::wstring paste;
    wchar_t letter = 0;
    while (!paste.ends_with(kPasteEnd)) {
        if (el_wgetc(editor, &letter) != 1) return CC_EOF;
        paste += letter == L'\r' ? L'\n' : letter;
    }
    paste.resize(paste.size() - std::wcslen(kPasteEnd));
    while (!paste.empty() && paste.back() == L'\n') paste.pop_back();
    std::replace(paste.begin(), paste.end(), L'\t', L' ');
    std::erase(paste, L'\0');
    if (!paste.empty() && el_winsertstr(editor, paste.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
}

bool is_smart(const char* terminal) {
    return terminal && *terminal && std::strcmp(terminal, "dumb") != 0;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text) {
        if (c == '\n')
            out += "\\n";
        else if (c == '\\')
            out += "\\\\";
        else
            out += c;
    }
    return out;
}

std::string unescaped(std::string_view line) {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\\' || i + 1 == line.size())
            out += line[i];
        else
            out += line[++i] == 'n' ? '\n' : line[i];
    }
    return out;
}

// Entries on disk, oldest first, and where the next ones go. Without a file nothing is kept.
class HistoryFile {
  public:
    explicit HistoryFile(std::string path) : path_(std::move(path)) {}

    std::vector<std::string> load() {
        std::vector<std::string> lines;
        struct stat status = {};
        if (path_.empty() || stat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
            return lines;
        const auto bytes = read_file(path_);
        if (!bytes) return lines;
        std::string line;
        for (uint8_t byte : *bytes) {
            if (byte != '\n') {
                line += static_cast<char>(byte);
                continue;
            }
            if (is_utf8(line)) lines.push_back(std::move(line));
            line.clear();
        }
        const bool too_many = lines.size() > 2 * kMostEntries;
        if (lines.size() > kMostEntries)
            lines.erase(lines.begin(), lines.end() - static_cast<ptrdiff_t>(kMostEntries));
        if (too_many) rewrite(lines);
        for (std::string& each : lines) each = unescaped(each);
        return lines;
    }

    void append(const std::string& entry) {
        if (path_.empty() || entry.size() > kMostEntryBytes) return;
        std::error_code ignored;
        const auto folder = std::filesystem::path(path_).parent_path();
        if (std::filesystem::create_directories(folder, ignored))
            std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
        write_to(path_, O_APPEND, escaped(entry) + "\n");
    }

  private:
    static bool write_to(const std::string& path, int how, const std::string& text) {
        const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0600);
        if (file < 0) return false;
        fchmod(file, 0600);  // questions are nobody else's business
        const bool whole =
            write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
        return close(file) == 0 && whole;
    }

    void rewrite(const std::vector<std::string>& lines) {
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        const std::string fresh = path_ + ".new";
        if (write_to(fresh, O_TRUNC, text)) rename(fresh.c_str(), path_.c_str());
    }

    std::string path_;
};

}  // namespace

struct LineEditor::Terminal {
    std::wstring prompt;
    FILE* screen = stderr;  // answers go to stdout, which may be a file
    EditLine* editor = nullptr;
    HistoryW* history = nullptr;
    bool marks_pastes = false;
    HistoryFile file{history_file()};

    ~Terminal() {
        if (editor) el_end(editor);
        if (history) history_wend(history);
    }

    void start() {
        if (!isatty(fileno(screen))) screen = stdout;
        if (!isatty(fileno(screen))) return;  // nothing to draw on: lines are read as they come
        std::setlocale(LC_CTYPE, "C.UTF-8");  // which characters are how wide
        editor = el_init("saker", stdin, screen, stderr);
        if (!editor) return;
        el_wset(editor, EL_CLIENTDATA, this);
        el_wset(editor, EL_PROMPT, &Terminal::prompt_of);
        el_wset(editor, EL_GETCFN, &read_letter);
        el_wset(editor, EL_EDITOR, L"emacs");
        bind_keys();
        history = history_winit();
        HistEventW event;
        history_w(history, &event, H_SETSIZE, static_cast<int>(kMostEntries));
        history_w(history, &event, H_SETUNIQUE, 1);
        el_wset(editor, EL_HIST, history_w, history);
        for (const std::string& entry : file.load()) remember(entry);
        marks_pastes = is_smart(std::getenv("TERM"));
    }

    void bind_keys() {
        el_wset(editor, EL_ADDFN, L"saker-paste", L"insert a paste", &insert_paste);
        const wchar_t* const keys[][2] = {
            {L"\\e[200~", L"saker-paste"},       {L"^R", L"em-inc-search-prev"},
            {L"\\e[3~", L"ed-delete-next-char"}, {L"\\e[H", L"ed-move-to-beg"},
            {L"\\e[F", L"ed-move-to-end"},       {L"\\e[1~", L"ed-move-to-beg"},
            {L"\\e[4~", L"ed-move-to-end"}};
        for (const auto& [key, command] : keys)
            el_wset(editor, EL_BIND, key, command, static_cast<wchar_t*>(nullptr));
    }

    void remember(const std::string& entry) {
        HistEventW event;
        history_w(history, &event, H_ENTER, widen(entry).c_str());
    }

    static wchar_t* prompt_of(EditLine* editor) {
        Terminal* self = nullptr;
        el_wget(editor, EL_CLIENTDATA, &self);
        return self->prompt.data();
    }

    // Nothing after Ctrl-C or at the end of the input.
    bool edit(std::string& text) {
        el_resize(editor);
        // By itself libedit shows the prompt first, and a Ctrl-D that comes in between is lost.
        el_wset(editor, EL_PREP_TERM, 1);
        if (marks_pastes) std::fputs("\033[?2004h", screen);
        std::fflush(screen);
        int count = 0;
        const wchar_t* line = el_wgets(editor, &count);
        el_wset(editor, EL_PREP_TERM, 0);
        if (marks_pastes) std::fputs("\033[?2004l", screen);
        std::fflush(screen);
        if (!line || count <= 0) return false;
        text = narrow({line, static_cast<size_t>(count)});
        return true;
    }

    bool read_plain(std::string& text) {
        std::fputs(narrow(prompt).c_str(), screen);
        std::fflush(screen);
        char byte = 0;
        while (read_byte(byte) == 1) {
            text += byte;
            if (byte == '\n') break;
        }
        text = replace_invalid_utf8(text);
        return !text.empty() && !is_interrupted();
    }
};

LineEditor::LineEditor(const std::string& prompt) : terminal_(std::make_unique<Terminal>()) {
    terminal_->prompt = widen(prompt);
    terminal_->start();
}

LineEditor::~LineEditor() = default;

LineEditor::Line LineEditor::read() {
    Line line;
    // A terminal throws away what is written while it is still busy with Ctrl-C: the prompt too.
    if (is_interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    forget_interrupt();
    const bool got =
        terminal_->editor ? terminal_->edit(line.text) : terminal_->read_plain(line.text);
    if (is_interrupted() || !got) {
        line.end = is_interrupted() ? Line::End::interrupt : Line::End::input;
        line.text.clear();
        std::fputc('\n', terminal_->screen);
        return line;
    }
    while (line.text.ends_with('\n')) line.text.pop_back();
    if (terminal_->editor && line.text.find_first_not_of(" \n") != std::string::npos) {
        terminal_->remember(line.text);
        terminal_->file.append(line.text);
    }
    return line;
}

std::string history_file() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/')
        return std::string(state) + "/saker/history";
    if (const char* home = std::getenv("HOME"); home && *home == '/')
        return std::string(home) + "/.local/state/saker/history";
    return {};
}

}  // namespace saker
