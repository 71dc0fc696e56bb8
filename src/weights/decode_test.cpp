// Formats against the scalar conversions of dtype.h, at odd sizes and odd addresses, straight and
// transposed.
#include "weights/decode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace saker {
namespace {

// What the header promises of number (r, c), as the bits of the decoded dtype.
uint32_t want(const StoredMatrix& m, int64_t r, int64_t c) {
    const std::byte* at = m.at + (r * m.cols + c) * size_of(m.dtype);
    uint32_t bits = 0;
    std::memcpy(&bits, at, static_cast<size_t>(size_of(m.dtype)));
    if (m.dtype == DType::f16)
        return std::bit_cast<uint32_t>(f16_to_f32(static_cast<uint16_t>(bits)));
    if (m.dtype != DType::f8_e4m3) return bits;
    const int64_t block = r / 128 * ((m.cols + 127) / 128) + c / 128;
    float scale = 0;
    if (m.scale_dtype == DType::f32) {
        std::memcpy(&scale, m.scales + block * 4, 4);
    } else {
        Bf16 narrow;
        std::memcpy(&narrow, m.scales + block * 2, 2);
        scale = narrow;
    }
    return Bf16::from(f8_e4m3_to_f32(static_cast<uint8_t>(bits)) * scale).bits;
}

uint32_t got(const std::vector<std::byte>& out, DType dtype, int64_t index) {
    uint32_t bits = 0;
    std::memcpy(&bits, out.data() + index * size_of(dtype), static_cast<size_t>(size_of(dtype)));
    return bits;
}

bool same(uint32_t a, uint32_t b, DType dtype) {
    if (a == b) return true;
    // NaN is NaN, whatever its payload.
    return dtype == DType::f32 && std::isnan(std::bit_cast<float>(a)) &&
           std::isnan(std::bit_cast<float>(b));
}

TEST(Decode, EveryFormatEitherWay) {
    const struct {
        int64_t rows, cols;
    } kSizes[] = {{1, 1},     {3, 5},     {8, 8},   {64, 64}, {65, 63}, {128, 128},
                  {129, 257}, {300, 130}, {1, 300}, {300, 1}, {0, 4},   {4, 0}};
    const struct {
        DType dtype, scale;
    } kFormats[] = {{DType::bf16, DType::bf16},
                    {DType::f32, DType::bf16},
                    {DType::f16, DType::bf16},
                    {DType::f8_e4m3, DType::bf16},
                    {DType::f8_e4m3, DType::f32}};
    for (const auto& size : kSizes) {
        for (const auto& format : kFormats) {
            for (const size_t offset : {size_t{0}, size_t{1}}) {
                SCOPED_TRACE(testing::Message() << size.rows << " x " << size.cols << " "
                                                << to_string(format.dtype) << " at " << offset);
                const Rng rng("decode");
                const auto count = static_cast<size_t>(size.rows * size.cols);
                std::vector<std::byte> stored(offset + count * size_t(size_of(format.dtype)));
                for (size_t i = 0; i < stored.size(); ++i)
                    stored[i] = static_cast<std::byte>(rng.bits(i));
                const int64_t blocks = (size.rows + 127) / 128 * ((size.cols + 127) / 128);
                std::vector<std::byte> scales(offset + size_t(blocks * 4));
                for (int64_t b = 0; b < blocks; ++b) {
                    const float f = rng.normal(static_cast<uint64_t>(b)) * 0.01f;
                    const Bf16 narrow = Bf16::from(f);
                    if (format.scale == DType::f32)
                        std::memcpy(&scales[offset + size_t(b * 4)], &f, 4);
                    else
                        std::memcpy(&scales[offset + size_t(b * 2)], &narrow, 2);
                }
                const StoredMatrix m{stored.data() + offset, format.dtype, size.rows, size.cols,
                                     scales.data() + offset, format.scale};
                const DType decoded = *decoded_dtype(format.dtype);
                // The odd pieces check that a cut changes nothing.
                for (const int64_t piece : {int64_t{1000}, int64_t{37}}) {
                    std::vector<std::byte> out(count * size_t(size_of(decoded)));
                    for (int64_t r = 0; r < size.rows; r += piece)
                        decode_rows(m, r, std::min(size.rows, r + piece),
                                    out.data() + r * size.cols * size_of(decoded));
                    int64_t wrong = 0;
                    for (int64_t r = 0; r < size.rows; ++r)
                        for (int64_t c = 0; c < size.cols; ++c)
                            wrong +=
                                !same(got(out, decoded, r * size.cols + c), want(m, r, c), decoded);
                    EXPECT_EQ(0, wrong) << "rows";
                    std::vector<std::byte> turned(out.size());
                    for (int64_t c = 0; c < size.cols; c += piece)
                        decode_columns(m, c, std::min(size.cols, c + piece),
                                       turned.data() + c * size.rows * size_of(decoded));
                    wrong = 0;
                    for (int64_t r = 0; r < size.rows; ++r)
                        for (int64_t c = 0; c < size.cols; ++c)
                            wrong += !same(got(turned, decoded, c * size.rows + r), want(m, r, c),
                                           decoded);
                    EXPECT_EQ(0, wrong) << "columns";
                }
            }
        }
    }
}

TEST(Decode, EveryHalfIsExact) {
    std::vector<uint16_t> halves(65536);
    for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
    const StoredMatrix m{reinterpret_cast<const std::byte*>(halves.data()), DType::f16, 256, 256};
    std::vector<float> out(65536);
    decode_rows(m, 0, 256, out.data());
    for (size_t i = 0; i < halves.size(); ++i) {
        const float exact = f16_to_f32(halves[i]);
        if (std::isnan(exact))
            ASSERT_TRUE(std::isnan(out[i])) << i;
        else
            ASSERT_EQ(std::bit_cast<uint32_t>(exact), std::bit_cast<uint32_t>(out[i])) << i;
    }
}

TEST(Decode, RoundsTheProductOnce) {
    // 1.125 * bf16(1.0078125) = 1.1337890625 lies between 1.1328125 and 1.140625.
    const std::byte code{0x39};
    const Bf16 scale = Bf16::from(1.0078125f);
    const StoredMatrix m{
        &code, DType::f8_e4m3, 1, 1, reinterpret_cast<const std::byte*>(&scale), DType::bf16};
    Bf16 out;
    decode_rows(m, 0, 1, &out);
    EXPECT_EQ(1.1328125f, float{out});
}

TEST(Decode, OtherTypesAreNoWeights) {
    for (DType dtype : {DType::i64, DType::i32, DType::u8}) EXPECT_FALSE(decoded_dtype(dtype));
}

TEST(Decode, FindsWhatIsNotFinite) {
    const float kNotFinite[] = {std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
    const auto holds = [](const auto& numbers, DType dtype) {
        return holds_non_finite(reinterpret_cast<const std::byte*>(numbers.data()), dtype,
                                static_cast<int64_t>(numbers.size()));
    };
    std::vector<float> wide = {1, -3e38f, 1e-45f, 0};
    std::vector<Bf16> narrow(4, Bf16::from(-3.38e38f));
    EXPECT_FALSE(holds(wide, DType::f32));
    EXPECT_FALSE(holds(narrow, DType::bf16));
    for (float f : kNotFinite) {
        wide[3] = f;
        narrow[3] = Bf16::from(f);
        EXPECT_TRUE(holds(wide, DType::f32));
        EXPECT_TRUE(holds(narrow, DType::bf16));
    }
    EXPECT_FALSE(holds(std::vector<uint16_t>{0x7BFF, 0xFBFF}, DType::f16));
    EXPECT_TRUE(holds(std::vector<uint16_t>{0, 0xFC00}, DType::f16));
    EXPECT_FALSE(holds(std::vector<uint8_t>{0x7E, 0xFE}, DType::f8_e4m3));
    EXPECT_TRUE(holds(std::vector<uint8_t>{0, 0xFF}, DType::f8_e4m3));
}

}  // namespace
}  // namespace saker
