// The truth: one query head after the other, the textbook's two passes, sums in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/attention/attention_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void attention(const Exec&, const Tensor& out, const Tensor& q, const Tensor& k_pages,
               const Tensor& v_pages, const Tensor& starts, const Tensor& context,
               const Tensor& page_table, float scale) {
    const int64_t H = q.dim(1), D = q.dim(2), K = k_pages.dim(1), B = k_pages.dim(2);
    for (int64_t s = 0; s < context.dim(0); ++s) {
        const int64_t begin = starts.as<int32_t>()[s], end = starts.as<int32_t>()[s + 1];
        for (int64_t t = begin; t < end; ++t) {
            const int64_t num_keys = context.as<int32_t>()[s] - (end - 1 - t);
            for (int64_t h = 0; h < H; ++h) {
                // Key j's number d is at pages[page of j][(kv head, j % B), d].
                const auto number = [&](const Tensor& pages, int64_t j, int64_t d) -> double {
                    const int64_t page = page_table.row<int32_t>(s)[j / B];
                    return get(pages, page, ((h / (H / K)) * B + j % B) * D + d);
                };
                std::vector<double> p(static_cast<size_t>(num_keys));
                double largest = -HUGE_VAL, sum = 0;
                for (int64_t j = 0; j < num_keys; ++j) {
                    double dot = 0;
                    for (int64_t d = 0; d < D; ++d)
                        dot += double{get(q, t, h * D + d)} * number(k_pages, j, d);
                    p[static_cast<size_t>(j)] = scale * dot;
                    largest = std::max(largest, scale * dot);
                }
                for (double& weight : p) sum += weight = std::exp(weight - largest);
                for (int64_t d = 0; d < D; ++d) {
                    double value = 0;
                    for (int64_t j = 0; j < num_keys; ++j)
                        value += p[static_cast<size_t>(j)] * number(v_pages, j, d);
                    set(out, t, h * D + d, static_cast<float>(value / sum));
                }
            }
        }
    }
}

}  // namespace saker::ref
