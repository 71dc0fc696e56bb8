// The truth: one row after the other, sums in double.
#include <cmath>

#include "ops/rms_norm/rms_norm_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void rms_norm(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight, float eps) {
    const int64_t C = weight.dim(0), heads = x.row_elements() / C;
    for (int64_t n = 0; n < x.dim(0); ++n) {
        for (int64_t h = 0; h < heads; ++h) {
            double sum = 0;
            for (int64_t c = 0; c < C; ++c) {
                const double v = get(x, n, h * C + c);
                sum += v * v;
            }
            const float scale =
                static_cast<float>(1.0 / std::sqrt(sum / static_cast<double>(C) + eps));
            for (int64_t c = 0; c < C; ++c) {
                const float y = rounded(x.dtype(), get(x, n, h * C + c) * scale);
                set(out, n, h * C + c, get(weight, c, 0) * y);
            }
        }
    }
}

}  // namespace saker::ref
