// Threads over tokens; a row's E logits pass once by a sorted list of the A best. The softmax's own
// sum cancels in the renormalisation, so that A exponentials are enough.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/moe_route/moe_route_backends.h"

namespace saker::cpu {
namespace {

float widen(float v) {
    return v;
}
float widen(Bf16 v) {
    return v;
}
void store(float& at, float value) {
    at = value;
}
void store(Bf16& at, float value) {
    at = Bf16::from(value);
}

// The A experts of the largest logits, in falling order, ties to the lower; false where the
// softmax of the row is NaN.
template <class L>
bool pick(const L* logits, int64_t E, int32_t* best, int64_t A) {
    int64_t num_best = 0;
    float largest = -std::numeric_limits<float>::infinity();
    bool nan = false;
    for (int64_t e = 0; e < E; ++e) {
        const float v = widen(logits[e]);
        nan = nan || std::isnan(v);
        largest = std::max(largest, v);
        if (num_best == A && !(v > widen(logits[best[A - 1]]))) continue;
        int64_t place = num_best < A ? num_best++ : A - 1;
        for (; place > 0 && v > widen(logits[best[place - 1]]); --place)
            best[place] = best[place - 1];
        best[place] = static_cast<int32_t>(e);
    }
    return !nan && std::isfinite(largest);
}

template <class L, class W>
void row(const L* logits, int64_t E, int32_t* experts, W* weights, int64_t A) {
    if (!pick(logits, E, experts, A)) {
        for (int64_t a = 0; a < A; ++a) {
            experts[a] = static_cast<int32_t>(a);
            store(weights[a], std::numeric_limits<float>::quiet_NaN());
        }
        return;
    }
    const float largest = widen(logits[experts[0]]);
    const auto p = [&](int64_t a) { return std::exp(widen(logits[experts[a]]) - largest); };
    float sum = 0;
    for (int64_t a = 0; a < A; ++a) sum += p(a);
    for (int64_t a = 0; a < A; ++a) store(weights[a], p(a) / sum);
}

template <class L, class W>
void rows(const Exec& ex, const Tensor& experts, const Tensor& weights, const Tensor& logits) {
    const int64_t E = logits.dim(1), A = experts.dim(1);
    ex.pool->for_ranges(logits.dim(0), 1 + 4096 / E, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t)
            row(logits.row<L>(t), E, experts.row<int32_t>(t), weights.row<W>(t), A);
    });
}

}  // namespace

void moe_route(const Exec& ex, const Tensor& experts, const Tensor& weights, const Tensor& logits) {
    const bool f32_weights = weights.dtype() == DType::f32;
    if (logits.dtype() == DType::f32)
        return f32_weights ? rows<float, float>(ex, experts, weights, logits)
                           : rows<float, Bf16>(ex, experts, weights, logits);
    return f32_weights ? rows<Bf16, float>(ex, experts, weights, logits)
                       : rows<Bf16, Bf16>(ex, experts, weights, logits);
}

}  // namespace saker::cpu
