// The truth: one query after the other, the textbook's two passes, sums in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/scalar.h"
#include "ops/vision_attention/vision_attention_backends.h"

namespace saker::ref {
namespace {

// One head of one patch against the keys [begin, end).
void attend(const Tensor& out, const Tensor& q, const Tensor& k, const Tensor& v, int64_t m,
            int64_t h, int64_t begin, int64_t end, float scale) {
    const int64_t D = q.dim(2);
    std::vector<double> p(static_cast<size_t>(end - begin));
    double largest = -HUGE_VAL, sum = 0;
    for (int64_t j = begin; j < end; ++j) {
        double dot = 0;
        for (int64_t d = 0; d < D; ++d) dot += double{get(q, m, h * D + d)} * get(k, j, h * D + d);
        p[static_cast<size_t>(j - begin)] = scale * dot;
        largest = std::max(largest, scale * dot);
    }
    for (double& weight : p) sum += weight = std::exp(weight - largest);
    for (int64_t d = 0; d < D; ++d) {
        double value = 0;
        for (int64_t j = begin; j < end; ++j)
            value += p[static_cast<size_t>(j - begin)] * get(v, j, h * D + d);
        set(out, m, h * D + d, static_cast<float>(value / sum));
    }
}

}  // namespace

void vision_attention(const Exec&, const Tensor& out, const Tensor& q, const Tensor& k,
                      const Tensor& v, const Tensor& starts, float scale) {
    for (int64_t s = 0; s + 1 < starts.dim(0); ++s) {
        const int64_t begin = starts.as<int32_t>()[s], end = starts.as<int32_t>()[s + 1];
        for (int64_t m = begin; m < end; ++m)
            for (int64_t h = 0; h < q.dim(1); ++h) attend(out, q, k, v, m, h, begin, end, scale);
    }
}

}  // namespace saker::ref
