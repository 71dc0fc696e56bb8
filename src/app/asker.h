// Asker: takes one question after the other through the rooms (docs/path.md) and gives back each
// answer whole: its text, and what is known of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/asked.h"
#include "app/session.h"
#include "engine/engine.h"

namespace saker {

struct Answer {
    std::string text;                    // what it was told to begin with included
    std::optional<FinishReason> finish;  // none: Ctrl-C, or nobody reads on
    std::vector<TokenEvent> tokens;      // with log-probabilities where Sampling asks for them
    uint64_t seed = 0;
    int64_t prompt_tokens = 0, image_tokens = 0, video_tokens = 0;
    PrepareTimes prepare;
    PhaseTimes phases;  // of this answer alone
    double first_token_ms = 0, total_ms = 0;
};

class Asker {
  public:
    /// `session` and `engine` must outlive this. `prefill`: how each answer begins.
    Asker(Session& session, Engine& engine, const Sampling& sampling,
          std::vector<std::string> stop = {}, std::string prefill = "");

    /// Called with each piece of the text as it comes. False: enough.
    using Show = std::function<bool(std::string_view)>;

    /// Waits for the whole answer. The Error of a refused or broken question.
    Result<Answer> ask(const Asked& asked, const Show& show);

  private:
    Result<TokenChannel::Reader> submit(const Asked& asked, Answer& answer);

    Session& session_;
    Engine& engine_;
    Sampling sampling_;
    std::vector<std::string> stop_;
    std::string prefill_;
};

}  // namespace saker
