// Host vectors are filled, copied into scratch, and everything after that is ops.
#include "engine/runner.h"

#include <algorithm>

#include "base/clock.h"
#include "ops/convert/convert.h"
#include "ops/gather_rows/gather_rows.h"
#include "ops/logprobs/logprobs.h"
#include "ops/penalties/penalties.h"
#include "ops/sample/sample.h"
#include "tensor/device.h"

namespace saker {
namespace {

StepLimits step_limits(const EngineLimits& limits) {
    StepLimits s;
    s.max_tokens = limits.max_step_tokens();
    s.max_sequences = limits.max_sequences;
    s.max_logit_rows = limits.all_logits ? limits.max_step_tokens() : limits.max_sequences;
    s.max_patches = limits.max_patches;
    return s;
}

int64_t scratch_bytes(const Model& model, const EngineLimits& limits) {
    const ModelShape& shape = model.shape();
    const StepLimits s = step_limits(limits);
    // Beside the model's own: logits and their copy for sampling, the step's pixels and features.
    const int64_t logits = 3 * s.max_logit_rows * shape.vocab_size * 4;
    const int64_t visual =
        s.max_patches * shape.patch_bytes + 2 * (s.max_patches + limits.chunk_tokens) *
                                                shape.num_feature_levels * shape.hidden_size * 4;
    return model.scratch_bytes(s) + logits + visual + (int64_t{64} << 20);
}

}  // namespace

Runner::Runner(const Model& model, const EngineLimits& limits, const Exec& ex)
    : model_(model),
      limits_(limits),
      scratch_(scratch_bytes(model, limits), ex.place()),
      ex_(ex),
      pages_({model.shape().num_layers, model.shape().num_kv_heads, model.shape().head_dim,
              model.shape().compute},
             limits.num_pages, ex.place()) {
    ex_.scratch = &scratch_;
}

Tensor Runner::place(ScratchScope& scratch, const std::vector<int32_t>& numbers,
                     std::initializer_list<int64_t> dims) {
    const Tensor t = scratch.take(DType::i32, dims);
    copy(t, Tensor(const_cast<int32_t*>(numbers.data()), DType::i32, dims), ex_.stream);
    return t;
}

void Runner::encode(std::span<const PlannedFrame> frames) {
    const Stopwatch watch;
    ScratchScope scratch(ex_);
    const ModelShape& shape = model_.shape();
    std::vector<Grid> grids;
    int64_t num_patches = 0, num_rows = 0;
    for (const PlannedFrame& planned : frames) {
        grids.push_back({planned.get().grid_h, planned.get().grid_w});
        num_patches += planned.get().num_patches();
        num_rows += planned.get().num_tokens;
    }
    VisionBatch batch;
    batch.grids = grids;
    batch.pixels = scratch.take(DType::u8, {num_patches, shape.patch_bytes});
    int64_t patch = 0;
    for (const PlannedFrame& planned : frames) {
        const Frame& frame = planned.get();
        const int64_t end = patch + frame.num_patches();
        copy(batch.pixels.rows(patch, end),
             Tensor(const_cast<uint8_t*>(frame.pixels.data()), DType::u8,
                    {frame.num_patches(), shape.patch_bytes}),
             ex_.stream);
        patch = end;
    }
    std::vector<Tensor> features;
    for (int64_t l = 0; l < shape.num_feature_levels; ++l)
        features.push_back(scratch.take(shape.compute, {num_rows, shape.hidden_size}));
    if (observer_) observer_->on_encode(frames);
    model_.encode(ex_, batch, features);
    int64_t row = 0;
    for (const PlannedFrame& planned : frames) {
        const FeatureRun& run = planned.sequence->features[planned.frame];
        for (int64_t l = 0; l < shape.num_feature_levels; ++l)
            convert(ex_, run.rows(l, 0, run.num_rows()),
                    features[static_cast<size_t>(l)].rows(row, row + run.num_rows()));
        row += run.num_rows();
    }
    times_.encode_ns += watch.elapsed_ns();
    times_.num_patches += num_patches;
}

// Joins the features of all visual tokens in this step, slice by slice: a chunk may begin or end
// inside a picture, and DeepStack must meet the same tokens (specification 3.8).
void Runner::put_visual(const StepPlan& plan, Batch& batch, ScratchScope& scratch) {
    struct Slice {
        const FeatureRun* run;
        int64_t begin, end;
    };
    std::vector<Slice> slices;
    std::vector<int32_t> rows;
    int64_t first_row = 0;
    for (const PlannedRows& planned : plan.rows) {
        const Sequence& sequence = *planned.sequence;
        for (size_t i = 0; i < sequence.frames.size(); ++i) {
            const Frame& frame = sequence.frames[i];
            const int64_t begin = std::max(planned.begin, frame.first_token);
            const int64_t end = std::min(planned.end, frame.end_token());
            if (begin >= end) continue;
            slices.push_back(
                {&sequence.features[i], begin - frame.first_token, end - frame.first_token});
            for (int64_t t = begin; t < end; ++t)
                rows.push_back(static_cast<int32_t>(first_row + t - planned.begin));
        }
        first_row += planned.count();
    }
    if (rows.empty()) return;
    const auto num_rows = static_cast<int64_t>(rows.size());
    const ModelShape& shape = model_.shape();
    batch.visual_rows = place(scratch, rows, {num_rows});
    for (int64_t l = 0; l < shape.num_feature_levels; ++l) {
        const Tensor level = scratch.take(shape.compute, {num_rows, shape.hidden_size});
        int64_t at = 0;
        for (const Slice& slice : slices) {
            const int64_t count = slice.end - slice.begin;
            convert(ex_, level.rows(at, at + count), slice.run->rows(l, slice.begin, slice.end));
            at += count;
        }
        batch.visual_features.push_back(level);
    }
}

StepResult Runner::run(const StepPlan& plan) {
    for (size_t begin = 0; begin < plan.encodes.size();) {
        size_t end = begin;
        int64_t patches = 0;
        do patches += plan.encodes[end++].get().num_patches();
        while (end < plan.encodes.size() &&
               patches + plan.encodes[end].get().num_patches() <= limits_.max_patches);
        encode(std::span(plan.encodes).subspan(begin, end - begin));
        begin = end;
    }

    const Stopwatch watch;
    ScratchScope scratch(ex_);
    const ModelShape& shape = model_.shape();
    const int64_t T = plan.num_tokens();
    const auto S = static_cast<int64_t>(plan.rows.size());
    std::vector<int32_t> ids, positions, slots, starts{0}, context, logit_rows;
    bool any_prompt = false;
    int64_t most_pages = 1;
    for (const PlannedRows& planned : plan.rows) {
        const Sequence& sequence = *planned.sequence;
        any_prompt = any_prompt || !sequence.is_decoding();
        for (int64_t t = planned.begin; t < planned.end; ++t) {
            const bool last = t + 1 == sequence.num_tokens();
            if (last || (sequence.wants_all_logits && t < sequence.num_prompt))
                logit_rows.push_back(static_cast<int32_t>(ids.size()));
            ids.push_back(sequence.tokens[static_cast<size_t>(t)].value);
            slots.push_back(sequence.pages.slot(t));
        }
        starts.push_back(static_cast<int32_t>(ids.size()));
        context.push_back(static_cast<int32_t>(planned.end));
        most_pages = std::max(most_pages, pages_for(planned.end));
    }
    for (int axis = 0; axis < 3; ++axis)
        for (const PlannedRows& planned : plan.rows)
            for (int64_t t = planned.begin; t < planned.end; ++t)
                positions.push_back(planned.sequence->position(axis, t));
    std::vector<int32_t> page_table(static_cast<size_t>(S * most_pages), -1);
    for (int64_t s = 0; s < S; ++s) {
        const PlannedRows& planned = plan.rows[static_cast<size_t>(s)];
        for (int64_t p = 0; p < pages_for(planned.end); ++p)
            page_table[static_cast<size_t>(s * most_pages + p)] =
                planned.sequence->pages.pages()[static_cast<size_t>(p)].value;
    }

    Batch batch;
    batch.ids = place(scratch, ids, {T});
    batch.positions = place(scratch, positions, {3, T});
    batch.slots = place(scratch, slots, {T});
    batch.starts = place(scratch, starts, {S + 1});
    batch.context = place(scratch, context, {S});
    batch.page_table = place(scratch, page_table, {S, most_pages});
    const auto N = static_cast<int64_t>(logit_rows.size());
    batch.logit_rows = place(scratch, logit_rows, {N});
    for (int64_t l = 0; l < shape.num_layers; ++l)
        batch.pages.push_back({pages_.keys(l), pages_.values(l)});
    put_visual(plan, batch, scratch);

    const Tensor logits = scratch.take(DType::f32, {N, shape.vocab_size});
    if (observer_) observer_->on_forward(plan);
    model_.forward(ex_, batch, logits);
    ex_.show("logits", 0, logits);
    StepResult result = sample(plan, logits);

    (any_prompt ? times_.prefill_ns : times_.decode_ns) += watch.elapsed_ns();
    (any_prompt ? times_.num_prefill_steps : times_.num_decode_steps) += 1;
    (any_prompt ? times_.num_prefill_tokens : times_.num_decode_tokens) += T;
    return result;
}

namespace {

// Columns of sampling parameters, one entry a row that samples.
struct SampleColumns {
    std::vector<float> temperature, top_p, min_p, repetition, presence, frequency;
    std::vector<int32_t> top_k, history, history_starts{0}, prompt_tokens;
    std::vector<int64_t> seed, draw;
    bool any_penalty = false;
    int32_t logprobs = -1;  // the most that any row wants

    void add(const Sequence& s) {
        const Sampling& p = s.sampling;
        temperature.push_back(p.temperature);
        top_k.push_back(p.top_k);
        top_p.push_back(p.top_p);
        min_p.push_back(p.min_p);
        repetition.push_back(p.repetition_penalty);
        presence.push_back(p.presence_penalty);
        frequency.push_back(p.frequency_penalty);
        seed.push_back(static_cast<int64_t>(s.seed));
        draw.push_back(s.num_output());
        logprobs = std::max(logprobs, p.logprobs);
        const bool penalised =
            p.repetition_penalty != 1 || p.presence_penalty != 0 || p.frequency_penalty != 0;
        any_penalty = any_penalty || penalised;
        if (penalised)
            for (TokenId token : s.tokens) history.push_back(token.value);
        history_starts.push_back(static_cast<int32_t>(history.size()));
        prompt_tokens.push_back(penalised ? static_cast<int32_t>(s.num_prompt) : 0);
    }
};

template <class T>
Tensor place_column(const Exec& ex, ScratchScope& scratch, const std::vector<T>& numbers) {
    const auto n = static_cast<int64_t>(numbers.size());
    const Tensor t = scratch.take(DTypeOf<T>::value, {n});
    copy(t, Tensor(const_cast<T*>(numbers.data()), DTypeOf<T>::value, {n}), ex.stream);
    return t;
}

template <class T>
std::vector<T> fetch(const Exec& ex, const Tensor& t) {
    std::vector<T> out(static_cast<size_t>(t.num_elements()));
    copy(Tensor(out.data(), t.dtype(), t.dims()), t, ex.stream);
    return out;
}

}  // namespace

StepResult Runner::sample(const StepPlan& plan, const Tensor& logits) {
    ScratchScope scratch(ex_);
    StepResult result;
    SampleColumns columns;
    std::vector<int32_t> rows;  // of `logits`, one for each sequence that samples
    int32_t row = 0;
    for (const PlannedRows& planned : plan.rows) {
        const Sequence& s = *planned.sequence;
        if (s.wants_all_logits)
            row += static_cast<int32_t>(
                std::max<int64_t>(0, std::min(planned.end, s.num_prompt) - planned.begin));
        if (!planned.samples()) continue;
        // With all logits, a prompt's last token was counted among them.
        if (!(s.wants_all_logits && planned.end <= s.num_prompt)) ++row;
        rows.push_back(row - 1);
        columns.add(s);
        result.tokens.push_back({planned.sequence, std::nullopt, 0, {}});
    }
    if (rows.empty()) return result;

    const auto S = static_cast<int64_t>(rows.size());
    const int64_t V = logits.dim(1);
    Tensor chosen_from = logits;
    if (S != logits.dim(0)) {
        chosen_from = scratch.take(DType::f32, {S, V});
        gather_rows(ex_, chosen_from, logits, place_column(ex_, scratch, rows));
    }
    Tensor penalised = chosen_from;
    if (columns.any_penalty) {
        // Log-probabilities are of the model's own distribution, so the penalties work on a copy.
        penalised = scratch.take(DType::f32, {S, V});
        convert(ex_, penalised, chosen_from);
        penalties(ex_, penalised, place_column(ex_, scratch, columns.history),
                  place_column(ex_, scratch, columns.history_starts),
                  place_column(ex_, scratch, columns.prompt_tokens),
                  place_column(ex_, scratch, columns.repetition),
                  place_column(ex_, scratch, columns.presence),
                  place_column(ex_, scratch, columns.frequency));
    }
    const Tensor tokens = scratch.take(DType::i32, {S});
    saker::sample(
        ex_, tokens, penalised, place_column(ex_, scratch, columns.temperature),
        place_column(ex_, scratch, columns.top_k), place_column(ex_, scratch, columns.top_p),
        place_column(ex_, scratch, columns.min_p), place_column(ex_, scratch, columns.seed),
        place_column(ex_, scratch, columns.draw));
    const auto ids = fetch<int32_t>(ex_, tokens);

    std::vector<float> chosen, top;
    std::vector<int32_t> top_ids;
    const int64_t A = std::clamp<int64_t>(columns.logprobs, 0, V);
    if (columns.logprobs >= 0) {
        const Tensor chosen_logprob = scratch.take(DType::f32, {S});
        Tensor top_id, top_logprob;
        if (A > 0) {
            top_id = scratch.take(DType::i32, {S, A});
            top_logprob = scratch.take(DType::f32, {S, A});
        }
        // A row without a token (-1) has nothing to look up; 0 keeps the op's contract.
        std::vector<int32_t> safe = ids;
        for (int32_t& id : safe) id = std::max(id, 0);
        logprobs(ex_, chosen_logprob, top_id, top_logprob, chosen_from,
                 place_column(ex_, scratch, safe));
        chosen = fetch<float>(ex_, chosen_logprob);
        if (A > 0) {
            top = fetch<float>(ex_, top_logprob);
            top_ids = fetch<int32_t>(ex_, top_id);
        }
    }
    for (size_t s = 0; s < result.tokens.size(); ++s) {
        SampledToken& out = result.tokens[s];
        if (ids[s] >= 0) out.token = TokenId(ids[s]);
        const int32_t wanted = out.sequence->sampling.logprobs;
        if (wanted < 0) continue;
        out.logprob = chosen[s];
        for (int64_t a = 0; a < std::min<int64_t>(wanted, A); ++a) {
            const size_t i = s * static_cast<size_t>(A) + static_cast<size_t>(a);
            out.top_logprobs.push_back({TokenId(top_ids[i]), top[i]});
        }
    }
    return result;
}

}  // namespace saker
