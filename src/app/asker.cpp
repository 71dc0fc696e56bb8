// Template, pictures, ids, engine, text: stops 2 to 11 of docs/path.md.
#include "app/asker.h"

#include <random>
#include <utility>

#include "app/interrupt.h"
#include "base/clock.h"
#include "base/log.h"
#include "serve/answer.h"

namespace saker {
namespace {

// The conversation with `prefill` as the beginning of an answer that goes on from there.
ChatRequest with_prefill(ChatRequest chat, const std::string& prefill) {
    ContentPart part;
    part.text = prefill;
    Message begun;
    begun.role = Role::assistant;
    begun.content.push_back(std::move(part));
    chat.messages.push_back(std::move(begun));
    chat.add_generation_prompt = false;
    chat.continue_final_message = true;
    return chat;
}

PhaseTimes between(const PhaseTimes& before, const PhaseTimes& after) {
    PhaseTimes times;
    times.encode_ns = after.encode_ns - before.encode_ns;
    times.prefill_ns = after.prefill_ns - before.prefill_ns;
    times.decode_ns = after.decode_ns - before.decode_ns;
    times.num_patches = after.num_patches - before.num_patches;
    times.num_prefill_tokens = after.num_prefill_tokens - before.num_prefill_tokens;
    times.num_decode_tokens = after.num_decode_tokens - before.num_decode_tokens;
    times.num_prefill_steps = after.num_prefill_steps - before.num_prefill_steps;
    times.num_decode_steps = after.num_decode_steps - before.num_decode_steps;
    return times;
}

}  // namespace

Asker::Asker(Session& session, Engine& engine, const Sampling& sampling,
             std::vector<std::string> stop, std::string prefill)
    : session_(session),
      engine_(engine),
      sampling_(sampling),
      stop_(std::move(stop)),
      prefill_(std::move(prefill)) {}

Result<TokenChannel::Reader> Asker::submit(const Asked& asked, Answer& answer) {
    auto parts = session_.chat_template().render(
        prefill_.empty() ? asked.chat : with_prefill(asked.chat, prefill_));
    if (!parts) return parts.error();
    std::vector<std::string> warnings;
    auto prompt = prepare_prompt(*parts, asked.media, session_.prepare_settings(),
                                 session_.media_pool(), &answer.prepare, &warnings);
    if (!prompt) return prompt.error();
    for (const std::string& warning : warnings) log_warning(warning);
    answer.prompt_tokens = static_cast<int64_t>(prompt->ids.size());
    for (const Frame& frame : prompt->frames)
        (frame.modality == Modality::image ? answer.image_tokens : answer.video_tokens) +=
            frame.num_tokens;
    // Drawn here, where it can be told: the same seed gives the same answer again.
    Sampling sampling = sampling_;
    if (!sampling.seed) sampling.seed = std::random_device{}();
    answer.seed = *sampling.seed;
    auto fitted = session_.generation().fit_to_prompt(sampling, answer.prompt_tokens,
                                                      engine_.limits().max_context);
    if (!fitted) return fitted.error();
    return engine_.submit(std::move(*prompt), *fitted);
}

Result<Answer> Asker::ask(const Asked& asked, const Show& show) {
    constexpr int64_t kLookMs = 20;  // how soon Ctrl-C is seen where no token comes
    const Stopwatch watch;
    Answer answer;
    const PhaseTimes before = engine_.times();
    auto reader = submit(asked, answer);
    if (!reader) return reader.error();
    AnswerStream stream(session_.tokenizer(), std::move(*reader),
                        session_.generation().stops_with(stop_));
    answer.text = prefill_;
    bool wanted = prefill_.empty() || show(prefill_);
    while (wanted && !is_interrupted()) {
        if (!stream.wait(kLookMs)) continue;
        auto piece = stream.next();
        if (!piece) break;
        if (piece->error) return *piece->error;
        if (answer.tokens.empty() && !piece->tokens.empty())
            answer.first_token_ms = watch.elapsed_ms();
        for (TokenEvent& token : piece->tokens) answer.tokens.push_back(std::move(token));
        answer.text += piece->text;
        answer.finish = piece->finish;
        if (!piece->text.empty()) wanted = show(piece->text);
    }
    // Of an answer that was broken off the running step may take long: nobody waits for it.
    if (answer.finish) answer.phases = between(before, engine_.times());
    answer.total_ms = watch.elapsed_ms();
    return answer;
}

}  // namespace saker
