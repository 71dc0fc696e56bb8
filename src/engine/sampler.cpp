// Every column is placed in scratch where an op asks for it.
#include "engine/sampler.h"

#include <algorithm>

#include "ops/convert/convert.h"
#include "ops/gather_rows/gather_rows.h"
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
         {&temperature, &top_p, &min_p, &repetition, &presence, &frequency})
        column->clear();
    for (std::vector<int32_t>* column : {&top_k, &history, &history_starts, &prompt_tokens})
        column->clear();
    seed.clear();
    draw.clear();
    history_starts.push_back(0);
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

// Log-probabilities are of the model's own distribution, so the penalties work on a copy.
Tensor Sampler::penalise(const Exec& ex, ScratchScope& scratch, const Tensor& logits) const {
    const Tensor penalised = scratch.take(DType::f32, {logits.dim(0), logits.dim(1)});
    convert(ex, penalised, logits);
    penalties(ex, penalised, column(scratch, columns_.history),
              column(scratch, columns_.history_starts), column(scratch, columns_.prompt_tokens),
              column(scratch, columns_.repetition), column(scratch, columns_.presence),
              column(scratch, columns_.frequency));
    return penalised;
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
    columns_.clear();
    for (const SampledToken& token : tokens) columns_.add(*token.sequence);

    ScratchScope scratch(ex);
    const auto S = static_cast<int64_t>(rows.size());
    Tensor own = logits;
    if (S != logits.dim(0)) {
        own = scratch.take(DType::f32, {S, logits.dim(1)});
        gather_rows(ex, own, logits, column(scratch, rows));
    }
    const Tensor penalised = columns_.any_penalty ? penalise(ex, scratch, own) : own;
    const Tensor ids = scratch.take(DType::i32, {S});
    saker::sample(ex, ids, penalised, column(scratch, columns_.temperature),
                  column(scratch, columns_.top_k), column(scratch, columns_.top_p),
                  column(scratch, columns_.min_p), column(scratch, columns_.seed),
                  column(scratch, columns_.draw));
    fetch(ex, ids, ids_);
    for (size_t s = 0; s < tokens.size(); ++s)
        if (ids_[s] >= 0) tokens[s].token = TokenId(ids_[s]);
    if (columns_.logprobs >= 0) report_logprobs(ex, own, tokens);
}

}  // namespace saker
