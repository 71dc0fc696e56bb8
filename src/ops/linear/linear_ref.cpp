// The truth: one output after the other, sums in double.
#include "ops/linear/linear_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void linear(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias) {
    const int64_t N = x.dim(0), Ci = x.dim(1), Co = weight.dim(0);
    for (int64_t n = 0; n < N; ++n) {
        for (int64_t o = 0; o < Co; ++o) {
            double sum = 0;
            for (int64_t i = 0; i < Ci; ++i) sum += double{get(x, n, i)} * get(weight, o, i);
            if (bias) sum += get(bias, o, 0);
            set(out, n, o, static_cast<float>(sum));
        }
    }
}

}  // namespace saker::ref
