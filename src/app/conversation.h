// Conversation: `saker run` without a question, on a terminal: questions line by line, commands
// that begin with "/", and what has been said so far.
//
// A picture is opened, decoded and checked when it is named, so that a broken one is told before
// the question. A question that fails, or is broken off before its answer began, leaves everything
// as it was.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/asked.h"
#include "app/asker.h"
#include "app/session.h"

namespace saker {

class Conversation {
  public:
    /// Called with each answer once it is whole, to print what was asked for beside it.
    using AfterAnswer = std::function<void(const Answer&)>;

    /// `session` and `asker` must outlive this. `asked`: what was said before.
    Conversation(Session& session, Asker& asker, Asked asked, AfterAnswer after);

    /// Shows a picture or clip together with the next question. The Error says what is wrong with
    /// it.
    Status show(MediaInput input);

    /// Until /quit or Ctrl-D, or until nobody reads the answers.
    void hold();

  private:
    struct Command {
        std::string_view name, form, what;
        void (Conversation::*act)(const std::string& rest);
    };
    static const std::vector<Command>& commands();

    void obey(const std::string& line);
    void ask(const std::string& question);

    void image(const std::string& rest);
    void video(const std::string& rest);
    void drop(const std::string& rest);
    void clear(const std::string& rest);
    void system(const std::string& rest);
    void save(const std::string& rest);
    void save_over(const std::string& rest);
    void help(const std::string& rest);
    void quit(const std::string& rest);

    void write(const std::string& path, bool overwrite);
    bool has_system() const;

    Session& session_;
    Asker& asker_;
    Asked asked_;
    std::vector<MediaInput> shown_;  // with the next question
    AfterAnswer after_;
    bool ended_ = false;
};

}  // namespace saker
