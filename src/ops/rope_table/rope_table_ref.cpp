// The truth: the product in f32, its cosine and sine in double, narrowed to f32, then scaled.
#include <cmath>

#include "ops/rope_table/rope_table_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void rope_table(const Exec&, const Tensor& cos, const Tensor& sin, const Tensor& positions,
                const Tensor& inv_freq, const Tensor& axis, float scale) {
    for (int64_t t = 0; t < cos.dim(0); ++t) {
        for (int64_t j = 0; j < cos.dim(1); ++j) {
            const int32_t position = positions.row<int32_t>(axis.as<int32_t>()[j])[t];
            const double angle = static_cast<float>(position) * inv_freq.as<float>()[j];
            set(cos, t, j, static_cast<float>(std::cos(angle)) * scale);
            set(sin, t, j, static_cast<float>(std::sin(angle)) * scale);
        }
    }
}

}  // namespace saker::ref
