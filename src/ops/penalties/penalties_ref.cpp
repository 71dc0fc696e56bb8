// The truth: counts of every token of the vocabulary, one row after the other.
#include <algorithm>

#include "ops/penalties/penalties_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void penalties(const Exec& ex, const Tensor& logits, const Tensor& history, const Tensor& starts,
               const Tensor& prompt_tokens, const Tensor& repetition, const Tensor& presence,
               const Tensor& frequency) {
    const int64_t V = logits.dim(1);
    ScratchScope scratch(ex);
    int32_t* in_all = scratch.take(DType::i32, {V}).as<int32_t>();     // [V] prompt and output
    int32_t* in_output = scratch.take(DType::i32, {V}).as<int32_t>();  // [V]
    for (int64_t s = 0; s < logits.dim(0); ++s) {
        std::fill_n(in_all, V, 0);
        std::fill_n(in_output, V, 0);
        const int32_t begin = starts.as<int32_t>()[s], end = starts.as<int32_t>()[s + 1];
        for (int32_t i = begin; i < end; ++i) {
            const int32_t id = history.as<int32_t>()[i];
            if (id < 0 || id >= V) continue;
            ++in_all[id];
            if (i - begin >= prompt_tokens.as<int32_t>()[s]) ++in_output[id];
        }
        const float r = get(repetition, s, 0);
        for (int64_t v = 0; v < V; ++v) {
            float l = get(logits, s, v);
            if (in_all[v] > 0) l = l > 0 ? l / r : l * r;
            if (in_output[v] > 0)
                l -= get(frequency, s, 0) * static_cast<float>(in_output[v]) + get(presence, s, 0);
            set(logits, s, v, l);
        }
    }
}

}  // namespace saker::ref
