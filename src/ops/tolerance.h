// How far a backend may be from `ref`: a function of dtype, reduction length and magnitude, never a
// number typed into a test.
//
// A value that is stored in dtype t after a sum of n products of size m carries at most about
//     eps(t) |value|  +  c sqrt(n) eps(f32) m
// where the first term is the store's rounding (two results that differ by little may round apart
// by one unit) and the second the f32 accumulation in another order (random-walk growth; Higham,
// "Accuracy and stability of numerical algorithms", section 4.2; c = 8 covers the spread).
#pragma once

#include <cmath>
#include <cstdint>

#include "tensor/dtype.h"

namespace saker {

struct Tolerance {
    double relative;  // of the reference value
    double absolute;

    bool allows(double got, double want) const {
        if (std::isnan(want)) return std::isnan(got);
        if (std::isinf(want)) return got == want;
        return std::fabs(got - want) <= relative * std::fabs(want) + absolute;
    }
};

/// Distance from 1 to the next number of the format.
constexpr double epsilon_of(DType dtype) {
    switch (dtype) {
        case DType::bf16:
            return 0x1p-7;
        case DType::f16:
            return 0x1p-10;
        case DType::f8_e4m3:
            return 0x1p-3;
        default:
            return 0x1p-23;
    }
}

/// For a result stored in `out`, summed over `reduction` products of about `magnitude`, after
/// `roundings` intermediate roundings to `out` (1: the store alone).
inline Tolerance tolerance(DType out, int64_t reduction, double magnitude, int roundings = 1) {
    const double eps = epsilon_of(out);
    const double sum =
        8.0 * std::sqrt(static_cast<double>(reduction < 1 ? 1 : reduction)) * 0x1p-23 * magnitude;
    const double stores = out == DType::f32 ? 4 * eps : eps;
    return {stores * roundings, sum + (out == DType::f32 ? 0 : eps * 0.01 * magnitude)};
}

}  // namespace saker
