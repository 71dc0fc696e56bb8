// The truth: one number after the other, in double until the store.
#include <cmath>

#include "ops/gelu/gelu_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void gelu(const Exec&, const Tensor& out, const Tensor& x, Gelu kind) {
    for (int64_t n = 0; n < x.dim(0); ++n) {
        for (int64_t c = 0; c < x.dim(1); ++c) {
            const double v = get(x, n, c);
            const double s = kind == Gelu::erf
                                 ? std::erf(v * std::sqrt(0.5))
                                 : std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v));
            set(out, n, c, static_cast<float>(v / 2 * (1 + s)));
        }
    }
}

}  // namespace saker::ref
