// The truth: one row after the other, everything in double until the store.
#include <cmath>

#include "ops/layer_norm/layer_norm_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void layer_norm(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight,
                const Tensor& bias, float eps) {
    const int64_t C = x.dim(1);
    for (int64_t n = 0; n < x.dim(0); ++n) {
        double sum = 0, squares = 0;
        for (int64_t c = 0; c < C; ++c) sum += get(x, n, c);
        const double mean = sum / static_cast<double>(C);
        for (int64_t c = 0; c < C; ++c) squares += std::pow(get(x, n, c) - mean, 2);
        const double scale = 1.0 / std::sqrt(squares / static_cast<double>(C) + eps);
        for (int64_t c = 0; c < C; ++c) {
            const double y = (get(x, n, c) - mean) * scale;
            set(out, n, c, static_cast<float>(y * get(weight, c, 0) + get(bias, c, 0)));
        }
    }
}

}  // namespace saker::ref
