// Cases x backends against ref; a segment alone equals the segment beside others, and does not see
// them.
#include "ops/vision_attention/vision_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/harness.h"
#include "ops/vision_attention/vision_attention_cases.h"

namespace saker {
namespace {

struct Inputs {
    Tensor q, k, v;  // [M, H, D]
    std::vector<int32_t> starts;
};

Inputs inputs(Rig& rig, const VisionAttentionCase& c) {
    Inputs in;
    in.starts = {0};
    for (int32_t n : c.segments) in.starts.push_back(in.starts.back() + n);
    const int64_t M = in.starts.back(), C = c.H * c.D;
    if (c.fused) {
        const Tensor qkv = rig.random("qkv", c.dtype, {M, 3 * C}, 1.5f, 3 * C + 8);
        in.q = qkv.columns(0, C).reshape({M, c.H, c.D});
        in.k = qkv.columns(C, 2 * C).reshape({M, c.H, c.D});
        in.v = qkv.columns(2 * C, 3 * C).reshape({M, c.H, c.D});
    } else {
        in.q = rig.random("q", c.dtype, {M, c.H, c.D}, 1.5f);
        in.k = rig.random("k", c.dtype, {M, c.H, c.D}, 1.5f);
        in.v = rig.random("v", c.dtype, {M, c.H, c.D}, 1.5f);
    }
    return in;
}

Tensor run(Rig& rig, const VisionAttentionCase& c, const Inputs& in) {
    const Tensor out = rig.output(c.dtype, {in.q.dim(0), c.H, c.D});
    vision_attention(rig.ex, out, in.q, in.k, in.v,
                     rig.of(in.starts, {static_cast<int64_t>(in.starts.size())}),
                     1.0f / std::sqrt(static_cast<float>(c.D)));
    return out;
}

std::vector<Backend> invariant_backends() {
    std::vector<Backend> out = {Backend::ref};
    if (is_built(Backend::cpu)) out.push_back(Backend::cpu);
    return out;
}

TEST(VisionAttention, EveryBackendAgreesWithRef) {
    for (const VisionAttentionCase& c : kVisionAttentionCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(run(ref, c, inputs(ref, c)));
        int64_t longest = 1;
        for (int32_t n : c.segments) longest = std::max<int64_t>(longest, n);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Inputs in = inputs(rig, c);
            const auto got = rig.fetch(run(rig, c, in));
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, longest + c.D, 2)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(run(rig, c, in)), got)) << "second run";
        }
    }
}

TEST(VisionAttention, SegmentAloneEqualsSegmentInBatch) {
    for (const VisionAttentionCase& c : kVisionAttentionCases) {
        SCOPED_TRACE(c.name);
        for (Backend backend : invariant_backends()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name), single(backend, c.name, 1);
            const Inputs in = inputs(rig, c);
            const Tensor batch = run(rig, c, in);
            for (size_t s = 0; s < c.segments.size(); ++s) {
                const int64_t begin = in.starts[s], end = in.starts[s + 1];
                const Inputs alone = {in.q.rows(begin, end),
                                      in.k.rows(begin, end),
                                      in.v.rows(begin, end),
                                      {0, c.segments[s]}};
                EXPECT_EQ("", compare_exact(rig.fetch(run(single, c, alone)),
                                            rig.fetch(batch.rows(begin, end))));
            }
        }
    }
}

// A NaN in one segment stays there.
TEST(VisionAttention, SegmentsDoNotSeeEachOther) {
    const VisionAttentionCase c = {"poison", 2, 20, false, DType::f32, {9, 70, 5}};
    for (Backend backend : invariant_backends()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend, c.name);
        const Inputs in = inputs(rig, c);
        const auto clean = rig.fetch(run(rig, c, in));
        in.k.row<float>(40)[1] = NAN;
        in.v.row<float>(41)[c.D] = HUGE_VALF;
        const auto got = rig.fetch(run(rig, c, in));
        const int64_t row = c.H * c.D;
        for (int64_t i = 0; i < static_cast<int64_t>(got.size()); ++i) {
            const int64_t m = i / row, h = i % row / c.D;
            const size_t n = static_cast<size_t>(i);
            if (m < 9 || m >= 79) {
                EXPECT_EQ(got[n], clean[n]);
            } else if (h == 0) {
                EXPECT_TRUE(std::isnan(got[n])) << i;
            } else if (i % c.D == 0) {
                EXPECT_TRUE(std::isinf(got[n])) << i;
            }
        }
    }
}

}  // namespace
}  // namespace saker
