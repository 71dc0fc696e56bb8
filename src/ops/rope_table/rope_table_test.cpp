// Cases x backends against ref; exact reduction of large angles; the axes of interleaved positions.
#include "ops/rope_table/rope_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "ops/harness.h"
#include "ops/rope_table/rope_table_cases.h"

namespace saker {
namespace {

struct Tables {
    Tensor cos, sin;
};

Tables run(Rig& rig, const RopeTableCase& c) {
    const Rng rng(c.name);
    const int64_t stride = c.position_stride ? c.position_stride : c.T;
    std::vector<int32_t> positions(static_cast<size_t>(c.X * stride), -1);
    for (int64_t x = 0; x < c.X; ++x)
        for (int64_t t = 0; t < c.T; ++t)
            positions[static_cast<size_t>(x * stride + t)] = static_cast<int32_t>(
                rng.bits(static_cast<uint64_t>(x * c.T + t)) % uint64_t(c.max_position));
    std::vector<float> inv_freq;
    std::vector<int32_t> axis;
    for (int64_t j = 0; j < c.J; ++j) {
        inv_freq.push_back(static_cast<float>(std::pow(c.theta, -double(j) / double(c.J))));
        axis.push_back(static_cast<int32_t>(j % c.X));
    }
    const Tables out = {rig.output(c.dtype, {c.T, c.J}), rig.output(c.dtype, {c.T, c.J})};
    const Tensor rows = rig.of(positions, {c.X, stride}).columns(0, c.T);
    rope_table(rig.ex, out.cos, out.sin, rows, rig.of(inv_freq, {c.J}), rig.of(axis, {c.J}),
               c.scale);
    return out;
}

TEST(RopeTable, EveryBackendAgreesWithRef) {
    for (const RopeTableCase& c : kRopeTableCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const Tables want = run(ref, c);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Tables got = run(rig, c);
            const Tolerance close = tolerance(c.dtype, 1, 1);
            EXPECT_EQ("", compare(rig.fetch(got.cos), ref.fetch(want.cos), close));
            EXPECT_EQ("", compare(rig.fetch(got.sin), ref.fetch(want.sin), close));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(run(rig, c).cos), rig.fetch(got.cos)));
        }
    }
}

// The product is one f32; its cosine is right to an f32's last place at any size.
TEST(RopeTable, ReducesLargeAnglesExactly) {
    const std::vector<int32_t> positions = {0, 1, 262143, 999999, 16777216, 355};
    const std::vector<float> inv_freq = {1.0f, 0.78582998f, 2.5450791e-07f};
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend);
        const Tensor cos = rig.output(DType::f32, {6, 3}), sin = rig.output(DType::f32, {6, 3});
        rope_table(rig.ex, cos, sin, rig.of(positions, {1, 6}), rig.of(inv_freq, {3}),
                   rig.of(std::vector<int32_t>{0, 0, 0}, {3}), 1.0f);
        const auto c = rig.fetch(cos), s = rig.fetch(sin);
        for (size_t i = 0; i < c.size(); ++i) {
            const double angle = static_cast<float>(positions[i / 3]) * inv_freq[i % 3];
            EXPECT_NEAR(c[i], std::cos(angle), 0x1p-23) << angle;
            EXPECT_NEAR(s[i], std::sin(angle), 0x1p-23) << angle;
        }
    }
}

// Each frequency reads the position of its own axis.
TEST(RopeTable, AxesPickTheirPositions) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor cos = rig.output(DType::f32, {2, 4}), sin = rig.output(DType::f32, {2, 4});
        rope_table(rig.ex, cos, sin, rig.of(std::vector<int32_t>{1, 2, 3, 4, 5, 6}, {3, 2}),
                   rig.of(std::vector<float>{1, 1, 1, 1}, {4}),
                   rig.of(std::vector<int32_t>{0, 1, 2, 0}, {4}), 2.0f);
        const auto s = rig.fetch(sin);
        const double position[] = {1, 3, 5, 1, 2, 4, 6, 2};
        for (size_t i = 0; i < s.size(); ++i)
            EXPECT_NEAR(s[i], 2 * std::sin(position[i]), 1e-6) << to_string(backend) << " " << i;
    }
}

}  // namespace
}  // namespace saker
