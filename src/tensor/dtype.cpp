// Sizes, names and the rarer conversions of dtype.h.
#include "tensor/dtype.h"

#include <cmath>
#include <limits>

#include "base/check.h"

namespace saker {

int64_t size_of(DType dtype) {
    switch (dtype) {
        case DType::f32:
        case DType::i32:
            return 4;
        case DType::bf16:
        case DType::f16:
            return 2;
        case DType::f8_e4m3:
        case DType::u8:
            return 1;
        case DType::i64:
            return 8;
    }
    CHECK(false, "unknown dtype");
}

std::string_view to_string(DType dtype) {
    switch (dtype) {
        case DType::f32:
            return "f32";
        case DType::bf16:
            return "bf16";
        case DType::f16:
            return "f16";
        case DType::f8_e4m3:
            return "f8_e4m3";
        case DType::i64:
            return "i64";
        case DType::i32:
            return "i32";
        case DType::u8:
            return "u8";
    }
    return "?";
}

float f8_e4m3_to_f32(uint8_t bits) {
    const int exponent = bits >> 3 & 0xF, mantissa = bits & 7;
    float magnitude;
    if (exponent == 15 && mantissa == 7)
        magnitude = std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(mantissa), -9);
    else
        magnitude = std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
    return bits & 0x80 ? -magnitude : magnitude;
}

float f16_to_f32(uint16_t bits) {
    const int exponent = bits >> 10 & 0x1F, mantissa = bits & 0x3FF;
    float magnitude;
    if (exponent == 31)
        magnitude = mantissa ? std::numeric_limits<float>::quiet_NaN()
                             : std::numeric_limits<float>::infinity();
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    else
        magnitude = std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace saker
