// The truth: one number after the other, in the order of the contract.
#include "ops/pos_interp/pos_interp_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void pos_interp(const Exec&, const Tensor& x, const Tensor& table, const Tensor& taps,
                const Tensor& weights) {
    for (int64_t m = 0; m < x.dim(0); ++m) {
        for (int64_t c = 0; c < x.dim(1); ++c) {
            float sum = 0;
            for (int64_t k = 0; k < 4; ++k)
                sum += get(weights, m, k) * get(table, taps.row<int32_t>(m)[k], c);
            set(x, m, c, get(x, m, c) + rounded(x.dtype(), sum));
        }
    }
}

}  // namespace saker::ref
