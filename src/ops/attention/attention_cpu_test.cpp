// attention on every instruction set that this build has code for and this machine can run.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "ops/attention/attention_cache.h"

namespace saker {
namespace {

void choose_targets(int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(AttentionCpu, EveryInstructionSetAgreesWithRef) {
    const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
    for (const AttentionCase& c : kAttentionCases) {
        int64_t longest = 1;
        for (const auto& part : c.parts) longest = std::max<int64_t>(longest, part.context);
        if (c.H * c.D * longest > 100000) continue;  // ref would take a second; no other code runs
        SCOPED_TRACE(c.name);
        const Cache cache(c);
        Rig ref(Backend::ref, c.name), rig(Backend::cpu, c.name);
        const auto want = ref.fetch(cache.attend(ref, chunks_of(c)));
        for (int64_t target : targets) {
            choose_targets(target);
            const auto got = rig.fetch(cache.attend(rig, chunks_of(c)));
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, longest + c.D, 1)))
                << hwy::TargetName(target);
        }
        choose_targets(0);
    }
}

}  // namespace
}  // namespace saker
