// The truth: sorts the whole row.
//
// What makes the token a fixed function of the row, so that another backend can yield the same one:
//   weight  w = exp((l - largest l) / temperature), in double
//   W       the sum of w over what top-k keeps, in double, in order of id
//   prefix  the sums of w over the falling order (ties by id), in double
//   top-p   keeps the shortest prefix of at least top_p W; min-p what has w >= min_p; at least one
//   mass    the prefix of what is kept, where top-p or min-p are on; else W
//   token   the first whose prefix exceeds draw * mass; else the last of positive weight
#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "ops/sample/sample_backends.h"
#include "ops/scalar.h"

namespace saker::ref {
namespace {

struct Row {
    const float* logits;  // [V]
    int64_t V;
    float temperature, top_p, min_p, draw;
    int64_t top_k;
};

int32_t choose(const Row& row, int32_t* order, double* weights) {
    bool any = false;
    for (int64_t v = 0; v < row.V; ++v) {
        if (!(row.logits[v] < HUGE_VALF)) return -1;
        any = any || row.logits[v] > -HUGE_VALF;
        order[v] = static_cast<int32_t>(v);
    }
    if (!any) return -1;
    const float* l = row.logits;
    std::sort(order, order + row.V,
              [l](int32_t a, int32_t b) { return l[a] > l[b] || (l[a] == l[b] && a < b); });
    if (row.temperature < 1e-5f) return order[0];

    int64_t n = row.V;  // the tokens kept are order[0 .. n-1]
    if (row.top_k > 0 && row.top_k < row.V) {
        n = row.top_k;
        while (n < row.V && l[order[n]] == l[order[row.top_k - 1]]) ++n;
    }
    const double inverse = 1.0 / double{row.temperature}, largest = l[order[0]];
    double mass = 0;
    for (int64_t v = 0; v < row.V; ++v) {
        weights[v] = std::exp((l[v] - largest) * inverse);
        if (l[v] >= l[order[n - 1]]) mass += weights[v];
    }
    if (row.top_p < 1 || row.min_p > 0) {
        double prefix = weights[order[0]];
        int64_t kept = 1;
        while (kept < n && !(row.top_p < 1 && prefix >= double{row.top_p} * mass) &&
               weights[order[kept]] >= double{row.min_p})
            prefix += weights[order[kept++]];
        n = kept;
        mass = prefix;
    }
    double prefix = 0;
    int32_t token = order[0];
    for (int64_t i = 0; i < n && weights[order[i]] > 0; ++i) {
        token = order[i];
        prefix += weights[token];
        if (prefix > double{row.draw} * mass) break;
    }
    return token;
}

}  // namespace

void sample(const Exec& ex, const Tensor& tokens, const Tensor& logits, const Tensor& temperature,
            const Tensor& top_k, const Tensor& top_p, const Tensor& min_p, const Tensor& seed,
            const Tensor& draw) {
    const int64_t V = logits.dim(1);
    ScratchScope scratch(ex);
    int32_t* order = scratch.take(DType::i32, {V}).as<int32_t>();                 // [V]
    double* weights = static_cast<double*>(scratch.take(DType::i64, {V}).raw());  // [V] f64
    for (int64_t s = 0; s < logits.dim(0); ++s) {
        const Rng rng(static_cast<uint64_t>(seed.as<int64_t>()[s]));
        const Row row = {
            logits.row<float>(s),   V,
            get(temperature, s, 0), get(top_p, s, 0),
            get(min_p, s, 0),       rng.uniform(static_cast<uint64_t>(draw.as<int64_t>()[s])),
            top_k.as<int32_t>()[s]};
        tokens.as<int32_t>()[s] = choose(row, order, weights);
    }
}

}  // namespace saker::ref
