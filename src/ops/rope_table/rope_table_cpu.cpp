// Threads over tokens. The C library's double cosine reduces any angle exactly and rounds to the
// right f32, at some 30 ns a pair: made once a step and shared by all layers, a SIMD version would
// save a thousandth of the step.
#include <cmath>

#include "ops/rope_table/rope_table_backends.h"

namespace saker::cpu {
namespace {

void store(float* at, float value) {
    *at = value;
}
void store(Bf16* at, float value) {
    *at = Bf16::from(value);
}

template <class T>
void rows(const Exec& ex, const Tensor& cos, const Tensor& sin, const Tensor& positions,
          const Tensor& inv_freq, const Tensor& axis, float scale) {
    const int64_t J = cos.dim(1);
    const int32_t* axes = axis.as<int32_t>();
    ex.pool->for_ranges(cos.dim(0), 1 + 256 / J, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
            for (int64_t j = 0; j < J; ++j) {
                const float position = static_cast<float>(positions.row<int32_t>(axes[j])[t]);
                const double angle = position * inv_freq.as<float>()[j];
                store(cos.row<T>(t) + j, static_cast<float>(std::cos(angle)) * scale);
                store(sin.row<T>(t) + j, static_cast<float>(std::sin(angle)) * scale);
            }
        }
    });
}

}  // namespace

void rope_table(const Exec& ex, const Tensor& cos, const Tensor& sin, const Tensor& positions,
                const Tensor& inv_freq, const Tensor& axis, float scale) {
    if (cos.dtype() == DType::f32)
        return rows<float>(ex, cos, sin, positions, inv_freq, axis, scale);
    rows<Bf16>(ex, cos, sin, positions, inv_freq, axis, scale);
}

}  // namespace saker::cpu
