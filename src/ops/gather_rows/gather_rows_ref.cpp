// The truth: one number after the other.
#include "ops/gather_rows/gather_rows_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void gather_rows(const Exec&, const Tensor& out, const Tensor& x, const Tensor& rows) {
    for (int64_t n = 0; n < out.dim(0); ++n)
        for (int64_t c = 0; c < out.dim(1); ++c) set(out, n, c, get(x, rows.as<int32_t>()[n], c));
}

}  // namespace saker::ref
