// Cases x backends against ref, to the bit; every byte; the channels.
#include "ops/normalize/normalize.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "ops/harness.h"
#include "ops/normalize/normalize_cases.h"

namespace saker {
namespace {

Tensor run(Rig& rig, const NormalizeCase& c, Pick pick) {
    std::vector<uint8_t> bytes(static_cast<size_t>(c.M * c.N));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(Rng(c.name).bits(i));
    const Tensor x = pick(rig.of(bytes, {c.M, c.N}));
    const Tensor out = rig.output(c.out, {x.dim(0), c.N});
    normalize(rig.ex, out, x, rig.of<float>({0.48145466f, 0.4578275f, 0.5f}, {3}),
              rig.of<float>({0.26862954f, 0.26130258f, 0.5f}, {3}));
    return out;
}

TEST(Normalize, EveryBackendEqualsRef) {
    EXPECT_EQ("", agrees_with_ref(kNormalizeCases, run, [](const NormalizeCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(Normalize, RowAloneEqualsRowInBatch) {
    EXPECT_EQ("", row_alone_equals_row_in_batch(kNormalizeCases, run));
}

// The models' own mean and deviation of 0.5: (x - 127.5) / 127.5 for each byte, in each channel.
TEST(Normalize, EveryByte) {
    std::vector<uint8_t> bytes;
    std::vector<double> want;
    for (int channel = 0; channel < 3; ++channel) {
        for (int b = 0; b < 256; ++b) {
            bytes.push_back(static_cast<uint8_t>(b));
            want.push_back((static_cast<float>(b) - 127.5f) / 127.5f);
        }
    }
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::f32, {1, 768}),
                     half = rig.of<float>({0.5f, 0.5f, 0.5f}, {3});
        normalize(rig.ex, out, rig.of(bytes, {1, 768}), half, half);
        EXPECT_EQ("", compare_exact(rig.fetch(out), want)) << to_string(backend);
    }
}

TEST(Normalize, ChannelIsTheSlowestIndex) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor out = rig.output(DType::f32, {1, 6}), mean = rig.of<float>({0, 1, 0}, {3}),
                     deviation = rig.of<float>({1, 1, 0.5f}, {3});
        normalize(rig.ex, out, rig.of<uint8_t>({0, 255, 0, 255, 0, 255}, {1, 6}), mean, deviation);
        EXPECT_EQ("", compare_exact(rig.fetch(out), {0, 1, -1, 0, 0, 2})) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
