// Host tensors only: backends that compute elsewhere are verified through their ops' tests.
#include "app/recorder.h"

#include <algorithm>

namespace saker {
namespace {

std::vector<float> read_numbers(const Tensor& t) {
    std::vector<float> out;
    out.reserve(static_cast<size_t>(t.num_elements()));
    for (int64_t r = 0; r < t.dim(0); ++r)
        for (int64_t c = 0; c < t.row_elements(); ++c) switch (t.dtype()) {
                case DType::f32:
                    out.push_back(t.row<float>(r)[c]);
                    break;
                case DType::bf16:
                    out.push_back(t.row<Bf16>(r)[c]);
                    break;
                default:
                    out.push_back(static_cast<float>(t.row<int32_t>(r)[c]));
            }
    return out;
}

}  // namespace

const std::vector<float>* Shown::find(const std::string& stage) const {
    const auto it = stages.find(stage);
    return it == stages.end() ? nullptr : &it->second;
}

void Recorder::on_encode(std::span<const PlannedFrame> frames) {
    frames_.assign(frames.begin(), frames.end());
}

void Recorder::on_forward(const StepPlan& plan) {
    rows_ = plan.rows;
}

void Recorder::see(std::string_view stage, int64_t index, const Tensor& value) {
    if (stage.substr(0, 7) == "visual.") return see_visual(stage, index, value);
    const std::vector<float> numbers = read_numbers(value);
    const auto columns = static_cast<size_t>(value.row_elements());
    size_t at = 0;  // row of `value`
    for (const PlannedRows& planned : rows_) {
        const Sequence& s = *planned.sequence;
        const bool logits = stage == "logits";
        for (int64_t t = planned.begin; t < planned.end; ++t) {
            const bool in_prompt = t < s.num_prompt;
            // Logits have a row for each prompt token (all were asked for) and for the newest
            // token.
            if (logits && !in_prompt && t + 1 != s.num_tokens()) continue;
            if (in_prompt)
                put(s, std::string(stage) + std::to_string(index), s.num_prompt, t, columns,
                    numbers.data() + at * columns);
            ++at;
        }
    }
}

void Recorder::put(const Sequence& s, const std::string& stage, int64_t num_rows, int64_t row,
                   size_t columns, const float* from) {
    auto& numbers = shown_[s.id.value].stages[stage];
    numbers.resize(static_cast<size_t>(num_rows) * columns);
    std::copy(from, from + columns, numbers.begin() + row * static_cast<int64_t>(columns));
}

void Recorder::see_visual(std::string_view stage, int64_t index, const Tensor& value) {
    const std::vector<float> numbers = read_numbers(value);
    const auto columns = static_cast<size_t>(value.row_elements());
    const bool patches = stage == "visual.last_hidden_state";
    const auto size = [&](const Frame& f) { return patches ? f.num_patches() : f.num_tokens; };
    size_t at = 0;
    for (const PlannedFrame& planned : frames_) {
        const Sequence& s = *planned.sequence;
        const Frame& frame = planned.get();
        // Rows of a modality stand in order of its frames, as the reference has them.
        int64_t first = 0, total = 0;
        for (const Frame& other : s.frames) {
            if (other.modality != frame.modality) continue;
            if (other.first_token < frame.first_token) first += size(other);
            total += size(other);
        }
        const std::string name = std::string(stage) + std::to_string(index) +
                                 (frame.modality == Modality::image ? " image" : " video");
        for (int64_t r = 0; r < size(frame); ++r, ++at)
            put(s, name, total, first + r, columns, numbers.data() + at * columns);
    }
}

}  // namespace saker
