// The truth: one number after the other.
#include "ops/scalar.h"
#include "ops/scatter_rows/scatter_rows_backends.h"

namespace saker::ref {

void scatter_rows(const Exec&, const Tensor& x, const Tensor& rows, const Tensor& values,
                  Scatter mode) {
    for (int64_t n = 0; n < values.dim(0); ++n) {
        const int64_t t = rows.as<int32_t>()[n];
        for (int64_t c = 0; c < x.dim(1); ++c) {
            const float v = get(values, n, c);
            set(x, t, c, mode == Scatter::add ? get(x, t, c) + v : v);
        }
    }
}

}  // namespace saker::ref
