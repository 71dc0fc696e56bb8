// Every column is placed in scratch where an op asks for it.
#include "engine/sampler.h"

#include <algorithm>
#include <limits>

#include "ops/convert/convert.h"
#include "ops/gather_rows/gather_rows.h"
#include "ops/logit_bias/logit_bias.h"
#include "ops/logprobs/logprobs.h"
#include "ops/penalties/penalties.h"
#include "ops/sample/sample.h"

namespace saker {
namespace {

template <class T>
Tensor column(ScratchScope& scratch, const std::vector<T>& numbers) {
    return scratch.take_copy(numbers, {static_cast<int64_t>(numbers.size())});
}

template <class T>
void fetch(const Exec& ex, const Tensor& from, std::vector<T>& into) {
    into.resize(static_cast<size_t>(from.num_elements()));
    copy(Tensor(into.data(), from.dtype(), from.dims()), from, ex.stream);
}

}  // namespace

void Sampler::SampleColumns::clear() {
    for (std::vector<float>* column :
         {&temperature, &top_p, &min_p, &repetition, &presence, &frequency, &bias})
        column->clear();
    for (std::vector<int32_t>* column :
         {&top_k, &history, &history_starts, &prompt_tokens, &bias_ids, &bias_starts})
        column->clear();
    seed.clear();
    draw.clear();
    history_starts.push_back(0);
    bias_starts.push_back(0);
    any_penalty = false;
    logprobs = -1;
}

void Sampler::SampleColumns::add(const Sequence& sequence) {
    const Sampling& p = sequence.sampling;
    temperature.push_back(p.temperature);
    top_k.push_back(p.top_k);
    top_p.push_back(p.top_p);
    min_p.push_back(p.min_p);
    repetition.push_back(p.repetition_penalty);
    presence.push_back(p.presence_penalty);
    frequency.push_back(p.frequency_penalty);
    seed.push_back(static_cast<int64_t>(sequence.seed));
    draw.push_back(sequence.num_output());
    logprobs = std::max(logprobs, p.logprobs);
    const bool penalised =
        p.repetition_penalty != 1 || p.presence_penalty != 0 || p.frequency_penalty != 0;
    any_penalty = any_penalty || penalised;
    if (penalised)
        for (TokenId token : sequence.tokens) history.push_back(token.value);
    history_starts.push_back(static_cast<int32_t>(history.size()));
    prompt_tokens.push_back(penalised ? static_cast<int32_t>(sequence.num_prompt) : 0);
}

void Sampler::SampleColumns::add_bans(std::span<const int32_t> ids) {
    bias_ids.insert(bias_ids.end(), ids.begin(), ids.end());
    bias.resize(bias_ids.size(), -std::numeric_limits<float>::infinity());
    bias_starts.push_back(static_cast<int32_t>(bias_ids.size()));
}

void Sampler::fill_columns(std::span<const SampledToken> tokens, int64_t vocab_size) {
    columns_.clear();
    for (const SampledToken& token : tokens) {
        const Sequence& s = *token.sequence;
        columns_.add(s);
        if (s.sampling.has_bans())
            columns_.add_bans(banned_.collect(s.sampling, s.tokens, s.num_prompt,
                                              limits_.eos_tokens, vocab_size));
        else
            columns_.add_bans({});
    }
}

// Log-probabilities are of the model's own distribution, so bans and penalties work on a copy.
Tensor Sampler::adjust(const Exec& ex, ScratchScope& scratch, const Tensor& logits) const {
    const bool any_bias = !columns_.bias_ids.empty();
    if (!any_bias && !columns_.any_penalty) return logits;
    const Tensor adjusted = scratch.take(DType::f32, {logits.dim(0), logits.dim(1)});
    convert(ex, adjusted, logits);
    if (any_bias)
        logit_bias(ex, adjusted, column(scratch, columns_.bias_ids), column(scratch, columns_.bias),
                   column(scratch, columns_.bias_starts));
    if (columns_.any_penalty)
        penalties(ex, adjusted, column(scratch, columns_.history),
                  column(scratch, columns_.history_starts), column(scratch, columns_.prompt_tokens),
                  column(scratch, columns_.repetition), column(scratch, columns_.presence),
                  column(scratch, columns_.frequency));
    return adjusted;
}

Tensor Sampler::choose(const Exec& ex, ScratchScope& scratch, const Tensor& logits) const {
    const Tensor ids = scratch.take(DType::i32, {logits.dim(0)});
    saker::sample(ex, ids, logits, column(scratch, columns_.temperature),
                  column(scratch, columns_.top_k), column(scratch, columns_.top_p),
                  column(scratch, columns_.min_p), column(scratch, columns_.seed),
                  column(scratch, columns_.draw));
    return ids;
}

// A row without a token whose own logits yield one has nothing left but what is banned.
void Sampler::find_all_banned(const Exec& ex, const Tensor& logits,
                              std::span<SampledToken> tokens) {
    bool any = false;
    for (const SampledToken& t : tokens) any = any || (!t.token && t.sequence->sampling.has_bans());
    if (!any) return;
    ScratchScope scratch(ex);
    std::vector<int32_t> unbanned;
    fetch(ex, choose(ex, scratch, logits), unbanned);
    for (size_t s = 0; s < tokens.size(); ++s)
        tokens[s].all_banned = !tokens[s].token && unbanned[s] >= 0;
}

// For the tokens in ids_; a row without one (-1) yields a NaN that nobody reads.
void Sampler::report_logprobs(const Exec& ex, const Tensor& logits,
                              std::span<SampledToken> tokens) {
    ScratchScope scratch(ex);
    const int64_t S = logits.dim(0), A = std::min<int64_t>(columns_.logprobs, logits.dim(1));
    const Tensor chosen = scratch.take(DType::f32, {S});
    Tensor top_ids, top;
    if (A > 0) {
        top_ids = scratch.take(DType::i32, {S, A});
        top = scratch.take(DType::f32, {S, A});
    }
    logprobs(ex, chosen, top_ids, top, logits, column(scratch, ids_));
    fetch(ex, chosen, chosen_);
    if (A > 0) {
        fetch(ex, top_ids, top_ids_);
        fetch(ex, top, top_);
    }
    for (size_t s = 0; s < tokens.size(); ++s) {
        const int32_t wanted = tokens[s].sequence->sampling.logprobs;
        if (wanted < 0) continue;
        tokens[s].logprob = chosen_[s];
        for (int64_t a = 0; a < std::min<int64_t>(wanted, A); ++a) {
            const size_t i = s * static_cast<size_t>(A) + static_cast<size_t>(a);
            tokens[s].top_logprobs.push_back({TokenId(top_ids_[i]), top_[i]});
        }
    }
}

void Sampler::sample(const Exec& ex, const Tensor& logits, const std::vector<int32_t>& rows,
                     std::span<SampledToken> tokens) {
    CHECK(rows.size() == tokens.size(), "one row of logits for each token to choose");
    if (tokens.empty()) return;
    fill_columns(tokens, logits.dim(1));

    ScratchScope scratch(ex);
    const auto S = static_cast<int64_t>(rows.size());
    Tensor own = logits;
    if (S != logits.dim(0)) {
        own = scratch.take(DType::f32, {S, logits.dim(1)});
        gather_rows(ex, own, logits, column(scratch, rows));
    }
    fetch(ex, choose(ex, scratch, adjust(ex, scratch, own)), ids_);
    for (size_t s = 0; s < tokens.size(); ++s)
        if (ids_[s] >= 0) tokens[s].token = TokenId(ids_[s]);
    find_all_banned(ex, own, tokens);
    if (columns_.logprobs >= 0) report_logprobs(ex, own, tokens);
}

}  // namespace saker
