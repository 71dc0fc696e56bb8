// Threads over rows. Two passes of SIMD over the row, the maxima and the sum of exp, and a sort of
// few candidates. Bound by the exp.
#include "ops/logprobs/logprobs_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/logprobs/logprobs_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>

#include <hwy/contrib/math/math-inl.h>

#include "ops/largest-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

// Vectors of f32 over runs of 16 vectors, their sums in double: the bits depend on V and the target
// alone.
double LogSumExp(const float* l, int64_t V, float largest) {
    const hn::ScalableTag<float> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto most = hn::Set(d, largest);
    double total = 0;
    int64_t v = 0;
    while (v + lanes <= V) {
        const int64_t end = std::min(V - lanes, v + 15 * lanes);
        auto sum = hn::Zero(d);
        for (; v <= end; v += lanes)
            sum = hn::Add(sum, hn::Exp(d, hn::Sub(hn::LoadU(d, l + v), most)));
        total += double{hn::GetLane(hn::SumOfLanes(d, sum))};
    }
    for (; v < V; ++v) total += std::exp(double{l[v]} - double{largest});
    return double{largest} + std::log(total);
}

void LogprobsRows(const Exec& ex, const Tensor& chosen_logprob, const Tensor& top_ids,
                  const Tensor& top_logprobs, const Tensor& logits, const Tensor& chosen) {
    const int64_t V = logits.dim(1), A = top_ids.exists() ? top_ids.dim(1) : 0;
    ForScratchRows(ex, logits.dim(0), V, [&](int64_t s, RowScratch scratch) {
        const float* l = logits.row<float>(s);
        Falling falling(l, V, A, scratch);
        const double total = falling.usable() ? LogSumExp(l, V, falling.largest()) : double{NAN};
        const int32_t id = chosen.as<int32_t>()[s];
        const bool known = id >= 0 && id < V;
        chosen_logprob.as<float>()[s] = known ? static_cast<float>(l[id] - total) : NAN;
        int32_t forbidden = 0;  // behind all numbers come the -inf, in order of id
        for (int64_t a = 0; a < A; ++a) {
            int32_t top = falling.usable() ? falling[a] : -1;
            if (falling.usable() && top < 0) {
                while (l[forbidden] > -HUGE_VALF) ++forbidden;
                top = forbidden++;
            }
            top_ids.row<int32_t>(s)[a] = top;
            top_logprobs.row<float>(s)[a] = top < 0 ? NAN : static_cast<float>(l[top] - total);
        }
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(LogprobsRows);
void cpu::logprobs(const Exec& ex, const Tensor& chosen_logprob, const Tensor& top_ids,
                   const Tensor& top_logprobs, const Tensor& logits, const Tensor& chosen) {
    HWY_DYNAMIC_DISPATCH(LogprobsRows)(ex, chosen_logprob, top_ids, top_logprobs, logits, chosen);
}
}  // namespace saker
#endif
