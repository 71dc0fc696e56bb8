// vision_attention on every instruction set that this build has code for and this machine can run.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>

#include "ops/vision_attention/vision_attention_runs.h"

namespace saker {
namespace {

void choose_targets(int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(VisionAttentionCpu, EveryInstructionSetAgreesWithRef) {
    const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
    for (const VisionAttentionCase& c : kVisionAttentionCases) {
        int64_t longest = 1;
        for (int32_t n : c.segments) longest = std::max<int64_t>(longest, n);
        if (longest > 1000) continue;  // ref would take a second; no other code runs
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name), rig(Backend::cpu, c.name);
        const auto want = ref.fetch(attend_patches(ref, c, vision_inputs(ref, c)));
        const VisionInputs in = vision_inputs(rig, c);
        for (int64_t target : targets) {
            choose_targets(target);
            EXPECT_EQ("", compare(rig.fetch(attend_patches(rig, c, in)), want,
                                  tolerance(c.dtype, longest + c.D, 2)))
                << hwy::TargetName(target);
        }
        choose_targets(0);
    }
}

}  // namespace
}  // namespace saker
