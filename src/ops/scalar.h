// Scalar reads and writes by dtype, for the `ref` backend: slow, obvious, the truth.
#pragma once

#include "tensor/tensor.h"

namespace saker::ref {

/// Element `column` of entry `row` of dimension 0, the other dimensions flattened; f32 or bf16.
inline float get(const Tensor& t, int64_t row, int64_t column) {
    const int64_t i = row * t.row_stride() + column;
    return t.dtype() == DType::f32 ? t.as<float>()[i] : static_cast<float>(t.as<Bf16>()[i]);
}

/// Stores with one rounding to the tensor's dtype.
inline void set(const Tensor& t, int64_t row, int64_t column, float value) {
    const int64_t i = row * t.row_stride() + column;
    if (t.dtype() == DType::f32)
        t.as<float>()[i] = value;
    else
        t.as<Bf16>()[i] = Bf16::from(value);
}

/// `value` rounded as a store to `dtype` would: the specification's bf(x) in a bf16 run.
inline float rounded(DType dtype, float value) {
    return dtype == DType::bf16 ? round_bf16(value) : value;
}

}  // namespace saker::ref
