// The truth: one number after the other.
#include "ops/convert/convert_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void convert(const Exec&, const Tensor& out, const Tensor& x) {
    for (int64_t n = 0; n < out.dim(0); ++n)
        for (int64_t c = 0; c < out.dim(1); ++c) set(out, n, c, get(x, n, c));
}

}  // namespace saker::ref
