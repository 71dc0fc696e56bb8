// Number formats: every code of bf16, f16 and f8, and the roundings on their way in.
#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace saker {
namespace {

uint32_t bits_of(float f) {
    return std::bit_cast<uint32_t>(f);
}
float float_of(uint32_t bits) {
    return std::bit_cast<float>(bits);
}
uint16_t bf16_of(float f) {
    return Bf16::from(f).bits;
}

/// The value of a small float format by its definition, in double.
double value_of(uint32_t bits, int exponent_bits, int mantissa_bits, int bias) {
    const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    const uint32_t exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
    const double sign = bits >> (mantissa_bits + exponent_bits) & 1 ? -1 : 1;
    if (exponent == 0)
        return sign * std::ldexp(static_cast<double>(mantissa), 1 - bias - mantissa_bits);
    return sign * std::ldexp(static_cast<double>(mantissa | 1u << mantissa_bits),
                             static_cast<int>(exponent) - bias - mantissa_bits);
}

TEST(Bf16, EveryCodeWidensToItsValueAndBack) {
    for (uint32_t code = 0; code < 0x10000; ++code) {
        const float f = Bf16{static_cast<uint16_t>(code)};
        ASSERT_EQ(bits_of(f), code << 16);
        const bool nan = (code & 0x7F80) == 0x7F80 && (code & 0x7F);
        ASSERT_EQ(std::isnan(f), nan) << code;
        if (nan) {
            ASSERT_EQ(bf16_of(f), code | 0x40) << "a quiet NaN of the same sign and payload";
        } else {
            ASSERT_EQ(bf16_of(f), code);
            const bool finite = (code & 0x7F80) != 0x7F80;
            ASSERT_TRUE(!finite || double{f} == value_of(code, 8, 7, 127)) << code;
        }
    }
}

// Between each code and the next: below, on and above the middle.
TEST(Bf16, RoundsToNearestTiesToEvenBetweenAllCodes) {
    for (uint32_t code = 0; code < 0x7F80; ++code)
        for (uint32_t sign : {0u, 0x80000000u}) {
            const uint32_t low = code << 16 | sign, up = sign >> 16 | (code + 1),
                           down = sign >> 16 | code;
            ASSERT_EQ(bf16_of(float_of(low + 1)), down);
            ASSERT_EQ(bf16_of(float_of(low + 0x7FFF)), down);
            ASSERT_EQ(bf16_of(float_of(low + 0x8000)), code % 2 == 0 ? down : up) << code;
            ASSERT_EQ(bf16_of(float_of(low + 0x8001)), up);
            ASSERT_EQ(bf16_of(float_of(low + 0xFFFF)), up);
        }
}

TEST(Bf16, OverflowNanAndConstantExpressions) {
    EXPECT_EQ(bf16_of(std::numeric_limits<float>::max()), 0x7F80);  // rounds up to infinity
    EXPECT_EQ(bf16_of(-std::numeric_limits<float>::max()), 0xFF80);
    EXPECT_EQ(bf16_of(float_of(0x7F7F7FFF)), 0x7F7F);  // just below the middle: the largest number
    EXPECT_EQ(bf16_of(float_of(0x7F7F8000)), 0x7F80);
    EXPECT_EQ(bf16_of(float_of(0x7F800001)), 0x7FC0);  // a NaN in the low half alone stays a NaN
    EXPECT_EQ(bf16_of(float_of(0xFFFFFFFF)), 0xFFFF);
    EXPECT_EQ(bf16_of(-0.0f), 0x8000);
    EXPECT_EQ(bf16_of(float_of(0x00000001)), 0x0000);  // the smallest f32 underflows to zero
    static_assert(round_bf16(1.00390625f) == 1.0f);
    static_assert(round_bf16(1.01171875f) == 1.015625f);
    static_assert(Bf16::from(1.0f).bits == 0x3F80);
}

TEST(Bf16, RandomNumbersRoundWithinHalfAUnit) {
    const Rng rng("bf16");
    for (uint64_t i = 0; i < 200000; ++i) {
        const float f = float_of(static_cast<uint32_t>(rng.bits(i)));
        if (!std::isfinite(f)) continue;
        const float r = round_bf16(f);
        if (std::isinf(r)) continue;
        const double unit = std::max(std::ldexp(1.0, std::ilogb(f) - 7), 0x1p-133);
        ASSERT_LE(std::fabs(double{r} - double{f}), unit / 2) << f;
        ASSERT_EQ(round_bf16(r), r);
        ASSERT_EQ(round_bf16(-f), -r);
    }
}

TEST(F16, EveryCode) {
    for (uint32_t code = 0; code < 0x10000; ++code) {
        const float f = f16_to_f32(static_cast<uint16_t>(code));
        if ((code & 0x7C00) == 0x7C00) {
            const float infinity = code & 0x8000 ? -INFINITY : INFINITY;
            ASSERT_TRUE(code & 0x3FF ? std::isnan(f) : f == infinity) << code;
        } else {
            ASSERT_EQ(double{f}, value_of(code, 5, 10, 15)) << code;
            ASSERT_EQ(std::signbit(f), (code & 0x8000) != 0);
        }
    }
    EXPECT_EQ(f16_to_f32(0x3C00), 1.0f);
    EXPECT_EQ(f16_to_f32(0x7BFF), 65504.0f);
    EXPECT_EQ(f16_to_f32(0x0001), 0x1p-24f);
    EXPECT_EQ(f16_to_f32(0x3555), 0.333251953125f);
}

TEST(F8E4m3, EveryCode) {
    for (uint32_t code = 0; code < 0x100; ++code) {
        const float f = f8_e4m3_to_f32(static_cast<uint8_t>(code));
        if ((code & 0x7F) == 0x7F) {
            ASSERT_TRUE(std::isnan(f)) << code;
        } else {
            ASSERT_EQ(double{f}, value_of(code, 4, 3, 7)) << code;
            ASSERT_EQ(std::signbit(f), (code & 0x80) != 0);
        }
    }
    EXPECT_EQ(f8_e4m3_to_f32(0x7E), 448.0f);
    EXPECT_EQ(f8_e4m3_to_f32(0x01), 0x1p-9f);
    EXPECT_EQ(f8_e4m3_to_f32(0x38), 1.0f);
}

TEST(DType, SizesAndNames) {
    const std::pair<DType, std::pair<int, std::string_view>> all[] = {
        {DType::f32, {4, "f32"}}, {DType::bf16, {2, "bf16"}},
        {DType::f16, {2, "f16"}}, {DType::f8_e4m3, {1, "f8_e4m3"}},
        {DType::i64, {8, "i64"}}, {DType::i32, {4, "i32"}},
        {DType::u8, {1, "u8"}}};
    for (const auto& [dtype, facts] : all) {
        EXPECT_EQ(size_of(dtype), facts.first);
        EXPECT_EQ(to_string(dtype), facts.second);
    }
    static_assert(sizeof(Bf16) == 2);
}

}  // namespace
}  // namespace saker
