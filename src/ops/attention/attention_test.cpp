// Cases x backends against ref, over shuffled pages whose unused tokens are NaN; invariance to
// chunks, batch and threads; what a token must not see.
#include "ops/attention/attention.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ops/attention/attention_cache.h"

namespace saker {
namespace {

TEST(Attention, EveryBackendAgreesWithRef) {
    for (const AttentionCase& c : kAttentionCases) {
        SCOPED_TRACE(c.name);
        const Cache cache(c);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(cache.attend(ref, chunks_of(c)));
        for (double v : want) ASSERT_TRUE(std::isfinite(v)) << "ref read what it must not";
        int64_t longest = 1;
        for (const auto& part : c.parts) longest = std::max<int64_t>(longest, part.context);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto got = rig.fetch(cache.attend(rig, chunks_of(c), c.q_stride));
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, longest + c.D, 1)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(cache.attend(rig, chunks_of(c))), got));
        }
    }
}

// A prefill at once, in chunks of 7, token by token, and alone or beside others.
TEST(Attention, InvariantToChunksAndBatch) {
    const AttentionCase cases[] = {
        {"whole", 8, 1, 32, 64, 0, DType::bf16, {{0, 200}, {0, 70}, {0, 131}, {0, 9}, {0, 64}}},
        {"small pages", 4, 2, 20, 16, 0, DType::f32, {{0, 90}, {0, 70}, {0, 131}, {0, 9}, {0, 64}}},
        {"no sharing", 3, 3, 64, 64, 0, DType::bf16, {{0, 140}, {0, 7}, {0, 131}, {0, 9}, {0, 64}}},
    };
    for (const AttentionCase& c : cases) {
        SCOPED_TRACE(c.name);
        const Cache cache(c);
        const int64_t n = c.parts[0].context;
        for (Backend backend : invariant_backends()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto whole = rig.fetch(cache.attend(rig, {{0, 0, n}}));
            for (int64_t size : {1, 7, 33}) {
                std::vector<double> parts;
                for (int64_t t = 0; t < n; t += size) {
                    const auto part = rig.fetch(cache.attend(rig, {{0, t, std::min(n, t + size)}}));
                    parts.insert(parts.end(), part.begin(), part.end());
                }
                EXPECT_EQ("", compare_exact(parts, whole)) << "chunks of " << size;
            }
            const Tensor batch =
                cache.attend(rig, {{1, 6, 7}, {2, 100, 131}, {0, 0, n}, {3, 0, 9}, {4, 63, 64}});
            EXPECT_EQ("", compare_exact(rig.fetch(batch.rows(32, 32 + n)), whole));
        }
    }
}

// Long contexts are split over threads: the bits are those of one thread, of a batch that is not
// split, and of a chunk.
TEST(Attention, InvariantToThreads) {
    const AttentionCase c = {"long", 4, 2,           32,
                             64,     0, DType::bf16, {{0, 4200}, {0, 1025}, {0, 1024}}};
    const Cache cache(c);
    for (Backend backend : invariant_backends()) {
        SCOPED_TRACE(to_string(backend));
        Rig one(backend, c.name, 1);
        const auto want = one.fetch(cache.attend(one, {{0, 4199, 4200}, {1, 1020, 1025}}));
        for (int threads : {2, 3, 8}) {
            Rig rig(backend, c.name, threads);
            EXPECT_EQ(
                "", compare_exact(rig.fetch(cache.attend(rig, {{0, 4199, 4200}, {1, 1020, 1025}})),
                                  want))
                << threads << " threads";
        }
        const auto chunk = one.fetch(cache.attend(one, {{1, 960, 1025}}).rows(60, 65));
        EXPECT_EQ("", compare_exact(chunk, {want.begin() + c.H * c.D, want.end()}));
    }
}

// Values that are infinite or NaN reach the rows from their own position on, and no others.
TEST(Attention, TokensDoNotSeeLaterOnes) {
    const AttentionCase c = {"later", 4, 2, 32, 16, 0, DType::f32, {{12, 12}}};
    for (Backend backend : invariant_backends()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend, c.name);
        const Cache cache(c);
        const auto clean = rig.fetch(cache.attend(rig, {{0, 0, 12}}));
        for (int64_t h = 0; h < c.K; ++h) {
            reinterpret_cast<float*>(cache.at(cache.v_pages, 0, 5, h))[3] = HUGE_VALF;
            reinterpret_cast<float*>(cache.at(cache.k_pages, 0, 7, h))[0] = NAN;
        }
        const auto got = rig.fetch(cache.attend(rig, {{0, 0, 12}}));
        const auto row = [&](const std::vector<double>& all, int64_t begin, int64_t end) {
            return std::vector<double>(all.begin() + begin * c.H * c.D,
                                       all.begin() + end * c.H * c.D);
        };
        EXPECT_EQ("", compare_exact(row(got, 0, 5), row(clean, 0, 5)));
        EXPECT_TRUE(std::isinf(row(got, 5, 6)[3]));
        for (double v : row(got, 7, 12)) EXPECT_TRUE(std::isnan(v));
    }
}

// One key outweighs the rest: the running maximum must follow it, wherever it stands.
TEST(Attention, FollowsALargeScore) {
    const AttentionCase c = {"large", 2, 1, 16, 64, 0, DType::f32, {{1, 300}}};
    for (int64_t where : {0, 63, 64, 150, 299}) {
        const Cache cache(c);
        for (int64_t d = 0; d < c.D; ++d) {
            cache.queries[0].at(299).as<float>()[d] = 30.0f;
            reinterpret_cast<float*>(cache.at(cache.k_pages, 0, where, 0))[d] = 30.0f;
        }
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(cache.attend(ref, chunks_of(c)));
        const float* v = reinterpret_cast<float*>(cache.at(cache.v_pages, 0, where, 0));
        for (size_t d = 0; d < 16; ++d) EXPECT_NEAR(want[d], v[d], 1e-6);
        for (Backend backend : backends_under_test()) {
            Rig rig(backend, c.name);
            EXPECT_EQ("", compare(rig.fetch(cache.attend(rig, chunks_of(c))), want,
                                  tolerance(DType::f32, 316, 1)))
                << to_string(backend) << " " << where;
        }
    }
}

}  // namespace
}  // namespace saker
