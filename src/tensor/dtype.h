// Number formats of tensors, and bf16 and f8 e4m3 as scalars with exact conversions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace saker {

enum class DType : uint8_t { f32, bf16, f16, f8_e4m3, i64, i32, u8 };

int64_t size_of(DType dtype);  // bytes an element
std::string_view to_string(DType dtype);

/// bfloat16: the upper half of an f32. Narrowing rounds to nearest, ties to even, and keeps NaN a
/// NaN.
struct Bf16 {
    uint16_t bits;

    static constexpr Bf16 from(float f) {
        const uint32_t u = std::bit_cast<uint32_t>(f);
        if ((u & 0x7FFFFFFF) > 0x7F800000) return {static_cast<uint16_t>(u >> 16 | 0x40)};
        return {static_cast<uint16_t>((u + 0x7FFF + (u >> 16 & 1)) >> 16)};
    }
    constexpr operator float() const {
        return std::bit_cast<float>(uint32_t{bits} << 16);
    }  // NOLINT
};

/// `f` rounded to bf16 and widened again: the `bf(x)` of the model specification.
constexpr float round_bf16(float f) {
    return Bf16::from(f);
}

/// f8 e4m3fn (OCP FP8): bias 7, largest 448, no infinities, NaN is 0x7F and 0xFF.
float f8_e4m3_to_f32(uint8_t bits);
/// IEEE half precision to f32, exact.
float f16_to_f32(uint16_t bits);

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
    static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<Bf16> {
    static constexpr DType value = DType::bf16;
};
template <>
struct DTypeOf<int64_t> {
    static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<int32_t> {
    static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<uint8_t> {
    static constexpr DType value = DType::u8;
};

}  // namespace saker
