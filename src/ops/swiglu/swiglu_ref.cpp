// The truth: one number after the other.
#include <cmath>

#include "ops/scalar.h"
#include "ops/swiglu/swiglu_backends.h"

namespace saker::ref {

void swiglu(const Exec&, const Tensor& out, const Tensor& gate_up) {
    const int64_t F = out.dim(1);
    for (int64_t n = 0; n < out.dim(0); ++n) {
        for (int64_t f = 0; f < F; ++f) {
            const float g = get(gate_up, n, f);
            const float silu = rounded(out.dtype(), g / (1.0f + std::exp(-g)));
            set(out, n, f, silu * get(gate_up, n, F + f));
        }
    }
}

}  // namespace saker::ref
