// Threads over rows. One pass of SIMD over the row, then only candidates: the row is never sorted
// as a whole unless its distribution is so flat that the walk needs it. Without top-k the weights
// of the whole row are summed, which is an exp a token. Arithmetic and order are those of
// sample_ref.cpp, so that the token is the same.
#include "ops/sample/sample_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sample/sample_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>

#include "base/rng.h"
#include "ops/largest-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

struct Choice {
    const float* logits;  // [V]
    int64_t V;
    float temperature, top_p, min_p, draw;
    int64_t top_k;
};

// Without top-k, this many candidates are sorted at first: nearly always enough.
constexpr int64_t kFirstCandidates = 256;

int32_t Choose(const Choice& c, RowScratch scratch) {
    const bool is_cut = c.top_k > 0 && c.top_k < c.V;
    const bool is_greedy = c.temperature < 1e-5f;
    Falling falling(c.logits, c.V, is_greedy ? 1 : is_cut ? c.top_k : kFirstCandidates, scratch);
    if (!falling.usable()) return -1;
    if (is_greedy) return falling[0];

    int64_t n = c.V;  // the tokens kept are falling[0 .. n-1], or all there are
    float low = kLowest;
    if (is_cut && falling[c.top_k - 1] >= 0) {
        n = c.top_k;
        low = c.logits[falling[n - 1]];
        while (falling[n] >= 0 && c.logits[falling[n]] == low) ++n;
    }
    const double inverse = 1.0 / double{c.temperature}, largest = falling.largest();
    const auto weight = [&](int32_t id) { return std::exp((c.logits[id] - largest) * inverse); };
    double mass = 0;
    falling.ForEachFrom(low, [&](int32_t id) { mass += weight(id); });
    if (c.top_p < 1 || c.min_p > 0) {
        double prefix = weight(falling[0]);
        int64_t kept = 1;
        for (; kept < n && falling[kept] >= 0; ++kept) {
            const double w = weight(falling[kept]);
            if ((c.top_p < 1 && prefix >= double{c.top_p} * mass) || w < double{c.min_p}) break;
            prefix += w;
        }
        n = kept;
        mass = prefix;
    }
    double prefix = 0;
    int32_t token = falling[0];
    for (int64_t i = 0; i < n && falling[i] >= 0; ++i) {
        const double w = weight(falling[i]);
        if (w == 0) break;
        token = falling[i];
        prefix += w;
        if (prefix > double{c.draw} * mass) break;
    }
    return token;
}

void SampleRows(const Exec& ex, const Tensor& tokens, const Tensor& logits,
                const Tensor& temperature, const Tensor& top_k, const Tensor& top_p,
                const Tensor& min_p, const Tensor& seed, const Tensor& draw) {
    ForScratchRows(ex, logits.dim(0), logits.dim(1), [&](int64_t s, RowScratch scratch) {
        const Rng rng(static_cast<uint64_t>(seed.as<int64_t>()[s]));
        const Choice choice = {
            logits.row<float>(s),       logits.dim(1),
            temperature.as<float>()[s], top_p.as<float>()[s],
            min_p.as<float>()[s],       rng.uniform(static_cast<uint64_t>(draw.as<int64_t>()[s])),
            top_k.as<int32_t>()[s]};
        tokens.as<int32_t>()[s] = Choose(choice, scratch);
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(SampleRows);
void cpu::sample(const Exec& ex, const Tensor& tokens, const Tensor& logits,
                 const Tensor& temperature, const Tensor& top_k, const Tensor& top_p,
                 const Tensor& min_p, const Tensor& seed, const Tensor& draw) {
    HWY_DYNAMIC_DISPATCH(SampleRows)
    (ex, tokens, logits, temperature, top_k, top_p, min_p, seed, draw);
}
}  // namespace saker
#endif
