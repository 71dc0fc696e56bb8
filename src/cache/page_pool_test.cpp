// Pages and feature rows: whole or nothing, each in one hand, all back at the end.
#include "cache/page_pool.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "cache/feature_pool.h"
#include "cache/kv_pages.h"

namespace saker {
namespace {

TEST(PagePool, ReservesWholeOrNothing) {
    PagePool pool(5);
    auto a = pool.reserve(3);
    ASSERT_TRUE(a);
    EXPECT_FALSE(pool.reserve(3));
    EXPECT_EQ(pool.num_free(), 2);
    EXPECT_FALSE(a->extend(3));
    EXPECT_EQ(a->pages().size(), 3u);
    EXPECT_TRUE(a->extend(2));
    EXPECT_EQ(pool.num_free(), 0);
    EXPECT_EQ(a->capacity_tokens(), 5 * kPageTokens);
    a->release();
    EXPECT_EQ(pool.num_free(), 5);
    ASSERT_TRUE(pool.reserve(0));
}

TEST(PagePool, SlotsFollowThePages) {
    PagePool pool(4);
    auto run = pool.reserve(3);
    ASSERT_TRUE(run);
    for (int64_t i = 0; i < run->capacity_tokens(); ++i)
        EXPECT_EQ(run->slot(i), run->pages()[static_cast<size_t>(i / 64)].value * 64 + i % 64);
    EXPECT_EQ(pages_for(0), 0);
    EXPECT_EQ(pages_for(1), 1);
    EXPECT_EQ(pages_for(64), 1);
    EXPECT_EQ(pages_for(65), 2);
}

TEST(PagePool, MovesGiveBackWhatTheyReplace) {
    PagePool pool(4);
    auto a = pool.reserve(1), b = pool.reserve(2);
    *a = std::move(*b);
    EXPECT_EQ(pool.num_free(), 2);
    PageRun c = std::move(*a);
    EXPECT_EQ(pool.num_free(), 2);
    EXPECT_TRUE(a->pages().empty());
}

TEST(PagePool, NoPageIsInTwoHands) {
    PagePool pool(37);
    const Rng rng("pages");
    std::vector<PageRun> held;
    for (uint64_t i = 0; i < 4000; ++i) {
        const uint64_t r = rng.bits(i);
        if (r % 3 == 0 && !held.empty()) {
            held.erase(held.begin() + static_cast<ptrdiff_t>(r / 3 % held.size()));
        } else if (r % 3 == 1 && !held.empty()) {
            held[r / 3 % held.size()].extend(static_cast<int64_t>(r / 7 % 4));
        } else if (auto run = pool.reserve(static_cast<int64_t>(r / 5 % 6))) {
            held.push_back(std::move(*run));
        }
        std::set<int32_t> seen;
        int64_t count = 0;
        for (const PageRun& run : held)
            for (PageId page : run.pages()) {
                seen.insert(page.value);
                ++count;
            }
        ASSERT_EQ(static_cast<int64_t>(seen.size()), count);
        ASSERT_EQ(count + pool.num_free(), 37);
    }
}

TEST(PagePoolDeathTest, APoolOutlivesItsRuns) {
    EXPECT_DEATH(
        {
            std::optional<PageRun> run;
            PagePool pool(2);
            run = pool.reserve(1);
            pool.~PagePool();
        },
        "outlived");
}

TEST(FeaturePool, GapsJoinAgain) {
    FeaturePool pool(2, 100, 4, DType::f32, Place::host());
    auto a = pool.reserve(40), b = pool.reserve(30), c = pool.reserve(30);
    ASSERT_TRUE(a && b && c);
    EXPECT_FALSE(pool.reserve(1));
    b->release();
    EXPECT_FALSE(pool.reserve(31));
    a->release();
    auto d = pool.reserve(70);
    ASSERT_TRUE(d) << "two gaps that touch are one";
    EXPECT_EQ(d->rows(1, 10, 20).dim(0), 10);
    EXPECT_EQ(d->rows(0, 0, 70).raw(), d->rows(0, 0, 1).raw());
    EXPECT_FALSE(pool.reserve(0));
    d->release();
    c->release();
    EXPECT_EQ(pool.num_free(), 100);
}

TEST(FeaturePool, RandomRunsNeverOverlap) {
    FeaturePool pool(1, 64, 1, DType::f32, Place::host());
    const Rng rng("features");
    std::vector<FeatureRun> held;
    for (uint64_t i = 0; i < 3000; ++i) {
        const uint64_t r = rng.bits(i);
        if (r % 2 == 0 && !held.empty())
            held.erase(held.begin() + static_cast<ptrdiff_t>(r / 3 % held.size()));
        else if (auto run = pool.reserve(static_cast<int64_t>(1 + r / 5 % 20)))
            held.push_back(std::move(*run));
        // Each run writes its number; all must read it back.
        for (size_t h = 0; h < held.size(); ++h) {
            const Tensor t = held[h].rows(0, 0, held[h].num_rows());
            std::fill_n(t.as<float>(), t.num_elements(), static_cast<float>(h));
        }
        for (size_t h = 0; h < held.size(); ++h) {
            const Tensor t = held[h].rows(0, 0, held[h].num_rows());
            for (int64_t e = 0; e < t.num_elements(); ++e)
                ASSERT_EQ(t.as<float>()[e], static_cast<float>(h));
        }
    }
}

TEST(KvPages, LayersHaveTheirOwnMemory) {
    const KvShape shape{3, 2, 8, DType::bf16};
    EXPECT_EQ(shape.bytes_per_token(), 2 * 3 * 2 * 8 * 2);
    KvPages pages(shape, 4, Place::host());
    std::set<void*> starts;
    for (int64_t l = 0; l < 3; ++l) {
        for (const Tensor& t : {pages.keys(l), pages.values(l)}) {
            EXPECT_EQ(t.describe(), "[4, 2, 64, 8] bf16 on host");
            starts.insert(t.raw());
        }
    }
    EXPECT_EQ(starts.size(), 6u);
}

}  // namespace
}  // namespace saker
