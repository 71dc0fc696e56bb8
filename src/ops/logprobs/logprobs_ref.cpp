// The truth: the sum in double, the likeliest tokens by a sort of the row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/logprobs/logprobs_backends.h"
#include "ops/scalar.h"

namespace saker::ref {
namespace {

/// log(sum exp l), or NaN where the row is not fit for use.
double log_sum_exp(const float* l, int64_t V) {
    double largest = -HUGE_VAL, sum = 0;
    for (int64_t v = 0; v < V; ++v) {
        if (!(l[v] < HUGE_VALF)) return std::numeric_limits<double>::quiet_NaN();
        largest = std::max(largest, double{l[v]});
    }
    if (largest == -HUGE_VAL) return std::numeric_limits<double>::quiet_NaN();
    for (int64_t v = 0; v < V; ++v) sum += std::exp(l[v] - largest);
    return largest + std::log(sum);
}

}  // namespace

void logprobs(const Exec& ex, const Tensor& chosen_logprob, const Tensor& top_ids,
              const Tensor& top_logprobs, const Tensor& logits, const Tensor& chosen) {
    const int64_t V = logits.dim(1), A = top_ids.exists() ? top_ids.dim(1) : 0;
    ScratchScope scratch(ex);
    int32_t* order = scratch.take(DType::i32, {V}).as<int32_t>();  // [V]
    for (int64_t s = 0; s < logits.dim(0); ++s) {
        const float* l = logits.row<float>(s);
        const double total = log_sum_exp(l, V);
        const int32_t id = chosen.as<int32_t>()[s];
        const bool known = id >= 0 && id < V;
        set(chosen_logprob, s, 0, known ? static_cast<float>(l[id] - total) : NAN);
        for (int64_t v = 0; v < V; ++v) order[v] = static_cast<int32_t>(v);
        if (A > 0 && !std::isnan(total))
            std::sort(order, order + V,
                      [l](int32_t a, int32_t b) { return l[a] > l[b] || (l[a] == l[b] && a < b); });
        for (int64_t a = 0; a < A; ++a) {
            top_ids.row<int32_t>(s)[a] = std::isnan(total) ? -1 : order[a];
            set(top_logprobs, s, a, static_cast<float>(l[order[a]] - total));
        }
    }
}

}  // namespace saker::ref
