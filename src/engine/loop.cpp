// Admit, plan, run, commit.
#include "engine/loop.h"

#include <algorithm>
#include <random>
#include <string>

namespace saker {
namespace {

Status refuse(ErrorCode code, std::string sentence, const char* param = "") {
    return Error{code, std::move(sentence), param};
}

// Ids that the sampling parameters name are in the vocabulary.
Status check_lists(const Sampling& sampling, int64_t vocab_size) {
    const auto check = [&](const std::vector<TokenId>& ids, const char* param) -> Status {
        for (TokenId id : ids)
            if (id.value < 0 || id.value >= vocab_size)
                return refuse(ErrorCode::invalid_value,
                              std::string(param) +
                                  " holds an id outside the vocabulary: send ids below " +
                                  std::to_string(vocab_size) + ".",
                              param);
        return Done{};
    };
    if (auto s = check(sampling.stop_token_ids, "stop_token_ids"); !s) return s;
    if (auto s = check(sampling.suppress_tokens, "suppress_tokens"); !s) return s;
    if (auto s = check(sampling.begin_suppress_tokens, "begin_suppress_tokens"); !s) return s;
    for (const std::vector<TokenId>& word : sampling.bad_words)
        if (auto s = check(word, "bad_words"); !s) return s;
    return Done{};
}

Error all_banned() {
    return {ErrorCode::invalid_value,
            "No token is left to choose: suppress_tokens, begin_suppress_tokens, bad_words, "
            "no_repeat_ngram_size and min_tokens ban all of them; ban fewer.",
            ""};
}

}  // namespace

Status check_prompt(const Prompt& prompt, const Sampling& sampling, const ModelShape& shape,
                    const EngineLimits& limits) {
    if (auto status = sampling.validate(); !status) return status;
    const auto n = static_cast<int64_t>(prompt.ids.size());
    if (n == 0)
        return refuse(ErrorCode::invalid_value, "The prompt is empty: send at least one token.");
    if (n >= limits.max_context || sampling.max_tokens > limits.max_context - n)
        return refuse(ErrorCode::context_length_exceeded,
                      "This model's maximum context length is " +
                          std::to_string(limits.max_context) + " tokens, but the prompt has " +
                          std::to_string(n) +
                          (sampling.max_tokens > 0
                               ? " and max_tokens asks for " + std::to_string(sampling.max_tokens)
                               : std::string()) +
                          ": " + limits.too_long_advice + ".");
    for (TokenId id : prompt.ids)
        if (id.value < 0 || id.value >= shape.vocab_size)
            return refuse(ErrorCode::invalid_value,
                          "A token id of the prompt is outside the vocabulary: send ids below " +
                              std::to_string(shape.vocab_size) + ".");
    if (auto status = check_lists(sampling, shape.vocab_size); !status) return status;
    int64_t end = 0;
    for (const Frame& frame : prompt.frames) {
        const int64_t merged = shape.merge_size * shape.merge_size;
        CHECK(frame.first_token >= end && frame.end_token() <= n &&
                  frame.num_tokens * merged == frame.num_patches() &&
                  static_cast<int64_t>(frame.pixels.size()) ==
                      frame.num_patches() * shape.patch_bytes,
              "a frame of the prompt does not fit its tokens");
        end = frame.end_token();
        if (frame.num_patches() > limits.max_patches || frame.num_tokens > limits.feature_rows)
            return refuse(ErrorCode::image_too_large,
                          "A picture has " + std::to_string(frame.num_patches()) +
                              " patches; this engine takes " + std::to_string(limits.max_patches) +
                              ": make it smaller.");
    }
    return Done{};
}

Loop::Loop(const Model& model, const EngineLimits& limits, const Exec& ex)
    : model_(model),
      limits_(limits),
      pages_(limits.num_pages),
      features_(model.shape().num_feature_levels, limits.feature_rows, model.shape().hidden_size,
                model.shape().compute, ex.place()),
      scheduler_(limits_, pages_, features_),
      runner_(model, limits_, ex) {
    CHECK(limits.num_pages >= pages_for(limits.max_context),
          "the pages do not hold one full context");
}

SeqId Loop::add(Prompt prompt, const Sampling& sampling, TokenChannel::Writer writer,
                bool wants_all_logits) {
    CHECK(!wants_all_logits || limits_.all_logits, "this engine was not planned for all logits");
    auto s = std::make_unique<Sequence>();
    s->id = SeqId(next_id_++);
    s->sampling = sampling;
    s->seed = sampling.seed ? *sampling.seed : std::random_device{}();
    s->wants_all_logits = wants_all_logits;
    s->writer = std::move(writer);
    s->num_prompt = static_cast<int64_t>(prompt.ids.size());
    std::vector<PositionBlock> blocks;
    for (const Frame& frame : prompt.frames) {
        const int64_t merge = model_.shape().merge_size;
        blocks.push_back({frame.first_token, frame.grid_h / merge, frame.grid_w / merge});
    }
    s->positions = model_.positions(s->num_prompt, blocks);
    s->tokens = std::move(prompt.ids);
    s->frames = std::move(prompt.frames);
    s->features.resize(s->frames.size());
    const SeqId id = s->id;
    scheduler_.add(std::move(s));
    return id;
}

bool Loop::step() {
    scheduler_.sweep();
    scheduler_.admit();
    const StepPlan plan = scheduler_.plan();
    if (plan.is_empty()) return false;
    commit(plan, runner_.run(plan));
    return true;
}

void Loop::finish(Sequence& sequence, FinishReason reason) {
    TokenEvent event;
    event.finish = reason;
    sequence.writer.push(std::move(event));
    sequence.finished = true;
}

void Loop::commit(const StepPlan& plan, StepResult result) {
    for (const PlannedRows& planned : plan.rows) {
        Sequence& s = *planned.sequence;
        s.num_computed = planned.end;
        for (size_t i = 0; i < s.frames.size(); ++i)
            if (s.frames[i].end_token() <= s.num_computed) s.features[i].release();
    }
    for (SampledToken& sampled : result.tokens) {
        Sequence& s = *sampled.sequence;
        if (!sampled.token) {
            TokenEvent event;
            event.error =
                Error{ErrorCode::numeric_error,
                      "The model's output for this prompt is not a number: its weights may be "
                      "damaged, find out which with saker inspect --check-finite.",
                      ""};
            if (sampled.all_banned) event.error = all_banned();
            s.writer.push(std::move(event));
            s.finished = true;
            continue;
        }
        const TokenId token = *sampled.token;
        const auto is_in = [&](const std::vector<TokenId>& ids) {
            return std::find(ids.begin(), ids.end(), token) != ids.end();
        };
        if ((!s.sampling.ignore_eos && is_in(limits_.eos_tokens)) ||
            is_in(s.sampling.stop_token_ids)) {
            finish(s, FinishReason::stop);
            continue;
        }
        s.tokens.push_back(token);
        TokenEvent event;
        event.token = token;
        event.logprob = sampled.logprob;
        event.top_logprobs = std::move(sampled.top_logprobs);
        s.writer.push(std::move(event));
        const bool enough = s.sampling.max_tokens > 0 && s.num_output() >= s.sampling.max_tokens;
        if (enough || s.num_tokens() >= limits_.max_context) finish(s, FinishReason::length);
    }
    scheduler_.sweep();
}

}  // namespace saker
