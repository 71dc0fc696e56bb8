// The truth: a stable sort of all experts, the softmax over all of them in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "ops/moe_route/moe_route_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void moe_route(const Exec&, const Tensor& experts, const Tensor& weights, const Tensor& logits) {
    const int64_t T = logits.dim(0), E = logits.dim(1), A = experts.dim(1);
    for (int64_t t = 0; t < T; ++t) {
        double largest = -HUGE_VAL, sum = 0;
        for (int64_t e = 0; e < E; ++e) largest = std::max(largest, double{get(logits, t, e)});
        std::vector<double> p(static_cast<size_t>(E));
        for (int64_t e = 0; e < E; ++e) {
            p[static_cast<size_t>(e)] = std::exp(get(logits, t, e) - largest);
            sum += p[static_cast<size_t>(e)];
        }
        std::vector<int32_t> order(static_cast<size_t>(E));
        std::iota(order.begin(), order.end(), 0);
        const bool valid = !std::isnan(sum);
        if (valid)
            std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
                return get(logits, t, a) > get(logits, t, b);
            });
        double chosen = 0;
        for (int64_t a = 0; a < A; ++a)
            chosen += p[static_cast<size_t>(order[static_cast<size_t>(a)])] / sum;
        for (int64_t a = 0; a < A; ++a) {
            const int32_t expert = order[static_cast<size_t>(a)];
            const double weight = p[static_cast<size_t>(expert)] / sum / chosen;
            experts.row<int32_t>(t)[a] = expert;
            set(weights, t, a,
                valid ? static_cast<float>(weight) : std::numeric_limits<float>::quiet_NaN());
        }
    }
}

}  // namespace saker::ref
