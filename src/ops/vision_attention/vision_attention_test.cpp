// Cases x backends against ref; a segment alone equals the segment beside others, and does not see
// them.
#include <gtest/gtest.h>

#include "ops/vision_attention/vision_attention_runs.h"

namespace saker {
namespace {

TEST(VisionAttention, EveryBackendAgreesWithRef) {
    for (const VisionAttentionCase& c : kVisionAttentionCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(attend_patches(ref, c, vision_inputs(ref, c)));
        int64_t longest = 1;
        for (int32_t n : c.segments) longest = std::max<int64_t>(longest, n);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const VisionInputs in = vision_inputs(rig, c);
            const auto got = rig.fetch(attend_patches(rig, c, in));
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, longest + c.D, 2)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(attend_patches(rig, c, in)), got))
                << "second run";
        }
    }
}

TEST(VisionAttention, SegmentAloneEqualsSegmentInBatch) {
    for (const VisionAttentionCase& c : kVisionAttentionCases) {
        SCOPED_TRACE(c.name);
        for (Backend backend : invariant_backends()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name), single(backend, c.name, 1);
            const VisionInputs in = vision_inputs(rig, c);
            const Tensor batch = attend_patches(rig, c, in);
            for (size_t s = 0; s < c.segments.size(); ++s) {
                const int64_t begin = in.starts[s], end = in.starts[s + 1];
                const VisionInputs alone = {in.q.rows(begin, end),
                                            in.k.rows(begin, end),
                                            in.v.rows(begin, end),
                                            {0, c.segments[s]}};
                EXPECT_EQ("", compare_exact(rig.fetch(attend_patches(single, c, alone)),
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
        const VisionInputs in = vision_inputs(rig, c);
        const auto clean = rig.fetch(attend_patches(rig, c, in));
        in.k.row<float>(40)[1] = NAN;
        in.v.row<float>(41)[c.D] = HUGE_VALF;
        const auto got = rig.fetch(attend_patches(rig, c, in));
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
