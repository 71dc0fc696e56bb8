// The truth: one number after the other.
#include "ops/normalize/normalize_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void normalize(const Exec&, const Tensor& out, const Tensor& x, const Tensor& mean,
               const Tensor& deviation) {
    const int64_t N = x.dim(1);
    for (int64_t m = 0; m < x.dim(0); ++m) {
        for (int64_t i = 0; i < N; ++i) {
            const int64_t c = i / (N / 3);
            const float centred =
                static_cast<float>(x.row<uint8_t>(m)[i]) - 255.0f * get(mean, c, 0);
            set(out, m, i, centred / (255.0f * get(deviation, c, 0)));
        }
    }
}

}  // namespace saker::ref
