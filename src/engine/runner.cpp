// Host columns are filled, copied into scratch, and everything after that is ops.
#include "engine/runner.h"

#include <algorithm>

#include "base/clock.h"
#include "ops/convert/convert.h"
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
    // Beside the model's own: logits and their copies for sampling, the tokens so far for penalties
    // (a column and 32 bytes a token in the op), banned tokens, the step's pixels and features.
    const int64_t logits = 3 * s.max_logit_rows * shape.vocab_size * 4;
    const int64_t history = 40 * limits.num_pages * kPageTokens;
    const int64_t bans = 8 * s.max_sequences * shape.vocab_size;
    const int64_t visual =
        s.max_patches * shape.patch_bytes + 2 * (s.max_patches + limits.chunk_tokens) *
                                                shape.num_feature_levels * shape.hidden_size * 4;
    return model.scratch_bytes(s) + logits + history + bans + visual + (int64_t{64} << 20);
}

}  // namespace

Runner::Runner(const Model& model, const EngineLimits& limits, const Exec& ex)
    : model_(model),
      limits_(limits),
      scratch_(scratch_bytes(model, limits), ex.place()),
      ex_(ex),
      pages_({model.shape().num_layers, model.shape().num_kv_heads, model.shape().head_dim,
              model.shape().compute},
             limits.num_pages, ex.place()),
      sampler_(limits) {
    ex_.scratch = &scratch_;
    for (int64_t l = 0; l < model.shape().num_layers; ++l)
        layers_.push_back({pages_.keys(l), pages_.values(l)});
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
void Runner::put_visual(const StepPlan& plan, ScratchScope& scratch, Batch& batch) {
    struct Slice {
        const FeatureRun* run;
        int64_t begin, end;
    };
    std::vector<Slice> slices;
    std::vector<int32_t>& rows = columns_.visual_rows;
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
    batch.visual_rows = scratch.take_copy(rows, {num_rows});
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

void Runner::Columns::fill(const StepPlan& plan) {
    for (std::vector<int32_t>* column : {&ids, &positions, &slots, &starts, &context, &page_table,
                                         &logit_rows, &visual_rows, &sampled})
        column->clear();
    starts.push_back(0);
    num_pages = 1;
    for (const PlannedRows& planned : plan.rows) {
        const Sequence& sequence = *planned.sequence;
        for (int64_t t = planned.begin; t < planned.end; ++t) {
            const bool last = t + 1 == sequence.num_tokens();
            if (last) sampled.push_back(static_cast<int32_t>(logit_rows.size()));
            if (last || (sequence.wants_all_logits && t < sequence.num_prompt))
                logit_rows.push_back(static_cast<int32_t>(ids.size()));
            ids.push_back(sequence.tokens[static_cast<size_t>(t)].value);
            slots.push_back(sequence.pages.slot(t));
        }
        starts.push_back(static_cast<int32_t>(ids.size()));
        context.push_back(static_cast<int32_t>(planned.end));
        num_pages = std::max(num_pages, pages_for(planned.end));
    }
    for (int axis = 0; axis < 3; ++axis)
        for (const PlannedRows& planned : plan.rows)
            for (int64_t t = planned.begin; t < planned.end; ++t)
                positions.push_back(planned.sequence->position(axis, t));
    for (const PlannedRows& planned : plan.rows) {
        const auto pages = planned.sequence->pages.pages();
        for (int64_t p = 0; p < num_pages; ++p)
            page_table.push_back(p < pages_for(planned.end) ? pages[static_cast<size_t>(p)].value
                                                            : -1);
    }
}

Batch Runner::make_batch(const StepPlan& plan, ScratchScope& scratch) {
    columns_.fill(plan);
    const int64_t T = plan.num_tokens();
    const auto S = static_cast<int64_t>(plan.rows.size());
    Batch batch;
    batch.ids = scratch.take_copy(columns_.ids, {T});
    batch.positions = scratch.take_copy(columns_.positions, {3, T});
    batch.slots = scratch.take_copy(columns_.slots, {T});
    batch.starts = scratch.take_copy(columns_.starts, {S + 1});
    batch.context = scratch.take_copy(columns_.context, {S});
    batch.page_table = scratch.take_copy(columns_.page_table, {S, columns_.num_pages});
    batch.logit_rows =
        scratch.take_copy(columns_.logit_rows, {static_cast<int64_t>(columns_.logit_rows.size())});
    batch.pages = layers_;
    put_visual(plan, scratch, batch);
    return batch;
}

// As many pictures at a time as the tower's scratch was planned for.
void Runner::encode_all(std::span<const PlannedFrame> frames) {
    while (!frames.empty()) {
        size_t count = 1;
        int64_t patches = frames[0].get().num_patches();
        while (count < frames.size() &&
               patches + frames[count].get().num_patches() <= limits_.max_patches)
            patches += frames[count++].get().num_patches();
        encode(frames.first(count));
        frames = frames.subspan(count);
    }
}

StepResult Runner::run(const StepPlan& plan) {
    encode_all(plan.encodes);
    const Stopwatch watch;
    ScratchScope scratch(ex_);
    const Batch batch = make_batch(plan, scratch);
    const Tensor logits =
        scratch.take(DType::f32, {batch.logit_rows.dim(0), model_.shape().vocab_size});
    if (observer_) observer_->on_forward(plan);
    model_.forward(ex_, batch, logits);
    ex_.show("logits", 0, logits);

    StepResult result;
    bool any_prompt = false;
    for (const PlannedRows& planned : plan.rows) {
        any_prompt = any_prompt || !planned.sequence->is_decoding();
        if (planned.samples())
            result.tokens.push_back({planned.sequence, std::nullopt, false, 0, {}});
    }
    sampler_.sample(ex_, logits, columns_.sampled, result.tokens);

    (any_prompt ? times_.prefill_ns : times_.decode_ns) += watch.elapsed_ns();
    (any_prompt ? times_.num_prefill_steps : times_.num_decode_steps) += 1;
    (any_prompt ? times_.num_prefill_tokens : times_.num_decode_tokens) += plan.num_tokens();
    return result;
}

}  // namespace saker
