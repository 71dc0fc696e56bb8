// The truth: each product and each sum rounded to the table's dtype, and the store to x's.
#include "ops/rope/rope_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void rope(const Exec&, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    const DType compute = cos.dtype();
    const int64_t D = x.dim(2), J = D / 2;
    for (int64_t t = 0; t < x.dim(0); ++t) {
        for (int64_t h = 0; h < x.dim(1); ++h) {
            for (int64_t j = 0; j < J; ++j) {
                const float a = get(x, t, h * D + j), b = get(x, t, h * D + j + J);
                const float c = get(cos, t, j), s = get(sin, t, j);
                set(x, t, h * D + j, rounded(compute, a * c) - rounded(compute, b * s));
                set(x, t, h * D + j + J, rounded(compute, b * c) + rounded(compute, a * s));
            }
        }
    }
}

}  // namespace saker::ref
