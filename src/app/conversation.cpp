// What the program says beside the answers goes to stderr, so that stdout holds the answers alone.
#include "app/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/asked_media.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/line_editor.h"
#include "app/message_file.h"
#include "app/strict_number.h"
#include "base/log.h"
#include "base/utf8.h"
#include "json/keys.h"

namespace saker {
namespace {

void say(const std::string& sentence) {
    fmt::print(stderr, "{}\n", sentence);
}

std::string trimmed(const std::string& text) {
    constexpr char kBlank[] = " \t\n";
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// "~/x" is written for a shell, which is not there; quotes around a name, as a terminal puts them
// around a file that is dragged into it, are not part of it.
std::string path_in(const std::string& text) {
    const bool quoted =
        text.size() > 1 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
    const std::string path = quoted ? text.substr(1, text.size() - 2) : text;
    const char* const home = std::getenv("HOME");
    return path.starts_with("~/") && home ? home + path.substr(1) : path;
}

}  // namespace

const std::vector<Conversation::Command>& Conversation::commands() {
    static const std::vector<Command> kCommands = {
        {"/image", "/image FILE", "shows a picture with the next question", &Conversation::image},
        {"/video", "/video FOLDER FPS", "shows a clip, given as its frames", &Conversation::video},
        {"/drop", "/drop", "takes back what is shown with the next question", &Conversation::drop},
        {"/clear", "/clear", "forgets all but the system message", &Conversation::clear},
        {"/system", "/system [TEXT]", "tells or sets the system message", &Conversation::system},
        {"/save", "/save FILE", "writes the conversation as --messages reads it",
         &Conversation::save},
        {"/save!", "/save! FILE", "the same over a file that is there", &Conversation::save_over},
        {"/help", "/help", "this list", &Conversation::help},
        {"/quit", "/quit", "ends, as Ctrl-D does", &Conversation::quit},
        {"/exit", "", "", &Conversation::quit},
    };
    return kCommands;
}

Conversation::Conversation(Session& session, Asker& asker, Asked asked, AfterAnswer after)
    : session_(session), asker_(asker), asked_(std::move(asked)), after_(std::move(after)) {}

Status Conversation::show(MediaInput input) {
    const bool is_image = input.modality == Modality::image;
    const PromptPart part = {is_image ? PromptPart::Kind::image : PromptPart::Kind::video,
                             std::string(is_image ? kImagePad : kVideoPad)};
    std::vector<std::string> warnings;
    auto seen = prepare_prompt({&part, 1}, {&input, 1}, session_.prepare_settings(),
                               session_.media_pool(), nullptr, &warnings);
    if (!seen) return seen.error();
    for (const std::string& warning : warnings) log_warning(warning);
    shown_.push_back(std::move(input));
    return Done{};
}

void Conversation::hold() {
    say("Ask a question; /image FILE shows a picture with it, /help lists the commands.");
    LineEditor editor("> ");
    while (!ended_ && !std::ferror(stdout)) {
        const LineEditor::Line line = editor.read();
        if (line.end == LineEditor::Line::End::input) break;
        if (line.end == LineEditor::Line::End::interrupt) continue;
        if (trimmed(line.text).empty()) continue;
        if (line.text[0] == '/')
            obey(line.text);
        else
            ask(line.text);
    }
}

void Conversation::ask(const std::string& question) {
    asked_.add_question(question, std::exchange(shown_, {}));
    bool line_is_open = false;
    auto answer = asker_.ask(asked_, [&](std::string_view piece) {
        std::fwrite(piece.data(), 1, piece.size(), stdout);
        line_is_open = true;
        return std::fflush(stdout) == 0;
    });
    if (answer ? !answer->text.empty() || answer->finish : line_is_open) std::fputc('\n', stdout);
    std::fflush(stdout);
    // Broken off: what was said so far stands, where anything was.
    if (answer && (answer->finish || !answer->text.empty())) {
        asked_.add_text(Role::assistant, answer->text);
        if (answer->finish) after_(*answer);
        return;
    }
    if (!answer) report(answer.error());
    shown_ = asked_.take_back();
    if (!shown_.empty())
        say("What was shown is still there for the next question; /drop takes it back.");
}

void Conversation::obey(const std::string& line) {
    const size_t end = line.find_first_of(" \t\n");
    const std::string name = line.substr(0, end);
    const std::string rest = end == std::string::npos ? "" : trimmed(line.substr(end));
    const auto found = std::find_if(commands().begin(), commands().end(),
                                    [&](const Command& command) { return command.name == name; });
    if (found != commands().end()) {
        (this->*found->act)(rest);
        return;
    }
    std::vector<KnownKey> names;
    for (const Command& command : commands()) names.push_back({command.name});
    const std::string_view near = nearest_key(name, {"", "", UnknownKeys::warn, names});
    say(fmt::format(
        "There is no {}{}. /help lists the commands; with a blank in front it is a question.",
        quote(name), near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
}

void Conversation::image(const std::string& rest) {
    if (rest.empty()) {
        say("Name the picture: /image FILE.");
        return;
    }
    if (rest == "-") {
        say("In a conversation stdin is the terminal: name a file.");
        return;
    }
    auto input = read_picture(path_in(rest));
    if (!input) {
        report(input.error());
        return;
    }
    if (Status status = show(std::move(*input)); !status)
        report(status.error());
    else
        say("The next question is about it.");
}

void Conversation::video(const std::string& rest) {
    const size_t blank = rest.find_last_of(" \t");
    if (blank == std::string::npos) {
        say("Name the folder of the frames, and how many of them are a second: /video FOLDER FPS.");
        return;
    }
    const auto fps = parse_real(std::string_view(rest).substr(blank + 1), {1e-3, 1e3});
    if (!fps) {
        report({fps.error().code, "The frames a second: " + fps.error().message, ""});
        return;
    }
    auto input = read_clip(path_in(trimmed(rest.substr(0, blank))), *fps);
    if (!input) {
        report(input.error());
        return;
    }
    const size_t frames = input->files.size();
    if (Status status = show(std::move(*input)); !status)
        report(status.error());
    else
        say(fmt::format("The next question is about its {} frames.", frames));
}

void Conversation::drop(const std::string&) {
    say(shown_.empty() ? "Nothing is shown with the next question."
                       : "The next question is about no picture.");
    shown_.clear();
}

bool Conversation::has_system() const {
    return !asked_.chat.messages.empty() && asked_.chat.messages[0].role == Role::system;
}

void Conversation::clear(const std::string&) {
    asked_.chat.messages.resize(has_system() ? 1 : 0);
    asked_.media.clear();
    shown_.clear();
    say(has_system() ? "Forgotten; the system message stays." : "Forgotten.");
}

void Conversation::system(const std::string& rest) {
    std::vector<Message>& messages = asked_.chat.messages;
    if (rest.empty()) {
        say(has_system() ? messages[0].text() : "There is no system message.");
        return;
    }
    if (has_system()) messages.erase(messages.begin());
    Asked fresh;
    fresh.add_text(Role::system, rest);
    messages.insert(messages.begin(), std::move(fresh.chat.messages[0]));
    say("The system message holds for the whole conversation.");
}

void Conversation::save(const std::string& rest) {
    write(rest, false);
}

void Conversation::save_over(const std::string& rest) {
    write(rest, true);
}

void Conversation::write(const std::string& rest, bool overwrite) {
    const std::string path = path_in(rest);
    if (path.empty()) {
        say("Name the file: /save FILE.");
        return;
    }
    if (asked_.chat.messages.empty()) {
        say("Nothing has been said yet.");
        return;
    }
    std::error_code ignored;
    if (!overwrite && std::filesystem::exists(path, ignored)) {
        say(fmt::format("{} is there already: name another file, or write over it with /save! {}",
                        path, rest));
        return;
    }
    if (Status status = save_messages(asked_, path, overwrite); !status)
        report(status.error());
    else
        say(fmt::format("{} holds {} message(s).", path, asked_.chat.messages.size()));
}

void Conversation::help(const std::string&) {
    for (const Command& command : commands())
        if (!command.form.empty()) fmt::print(stderr, "  {:<19}{}\n", command.form, command.what);
    say("Ctrl-C ends an answer, or drops the line that is typed. A question may be pasted with its "
        "line breaks.");
}

void Conversation::quit(const std::string&) {
    ended_ = true;
}

}  // namespace saker
