// The pool under stress: every task once, nothing left running, jobs of all sizes back to back.
// Worth most in the tsan preset.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <set>
#include <thread>

namespace saker {
namespace {

TEST(FunctionRef, CallsWhatItBorrows) {
    int calls = 0;
    const auto count = [&](int by) { return calls += by; };
    const FunctionRef<int(int)> ref(count);
    EXPECT_EQ(ref(2), 2);
    EXPECT_EQ(ref(3), 5);
    const FunctionRef<int(int)> same = ref;
    EXPECT_EQ(same(1), 6);
}

TEST(ThreadPool, RunsEveryTaskOnce) {
    for (int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.num_threads(), threads);
        for (int64_t tasks : {0, 1, 2, 7, 64, 1000}) {
            std::vector<int> runs(static_cast<size_t>(tasks), 0);
            pool.run(tasks, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
            for (int count : runs) ASSERT_EQ(count, 1);
        }
    }
}

TEST(ThreadPool, NegativeAndZeroTasksRunNothing) {
    ThreadPool pool(2);
    pool.run(-3, [](int64_t) { FAIL(); });
    pool.for_ranges(0, 1, [](int64_t, int64_t) { FAIL(); });
    pool.for_ranges(-1, 1, [](int64_t, int64_t) { FAIL(); });
}

// What a task writes is seen by the caller after run(), and by the tasks of the next job: no atomic
// in sight, so that the thread sanitizer would notice.
TEST(ThreadPool, JobsFollowEachOther) {
    ThreadPool pool(4);
    std::vector<int64_t> a(97), b(97);
    std::iota(a.begin(), a.end(), 0);
    int64_t expected = 96 * 97 / 2;
    for (int job = 0; job < 3000; ++job) {
        pool.run(97, [&](int64_t i) {
            b[static_cast<size_t>(i)] = a[static_cast<size_t>((i + 1) % 97)] + 1;
        });
        std::swap(a, b);
        expected += 97;
    }
    EXPECT_EQ(std::accumulate(a.begin(), a.end(), int64_t{0}), expected);
}

// Threads that went to sleep must wake up, and those that still spin must not be lost.
TEST(ThreadPool, WakesUpAfterEveryKindOfPause) {
    ThreadPool pool(3);
    for (int pause_us : {0, 1, 10, 30, 100, 1000, 0, 5000, 0}) {
        std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
        for (int again = 0; again < 20; ++again) {
            std::atomic<int64_t> sum{0};
            pool.run(10, [&](int64_t i) { sum += i; });
            ASSERT_EQ(sum, 45);
        }
    }
}

TEST(ThreadPool, SlowTasksAreSharedOut) {
    ThreadPool pool(3);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    for (int again = 0; again < 50 && seen.size() < 2; ++again)
        pool.run(6, [&](int64_t) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const std::lock_guard lock(mutex);
            seen.insert(std::this_thread::get_id());
        });
    EXPECT_GE(seen.size(), 2u);
}

TEST(ThreadPool, StartsAndStopsWithoutWork) {
    for (int i = 0; i < 100; ++i) {
        ThreadPool pool(1 + i % 4);
        if (i % 3 == 0) pool.run(2, [](int64_t) {});
    }
}

TEST(ThreadPool, TwoPoolsWorkAtOnce) {
    const auto sum_many = [](int64_t* out) {
        ThreadPool pool(2);
        for (int job = 0; job < 500; ++job) {
            std::atomic<int64_t> sum{0};
            pool.run(16, [&](int64_t i) { sum += i; });
            *out += sum;
        }
    };
    int64_t a = 0, b = 0;
    std::thread other([&] { sum_many(&a); });
    sum_many(&b);
    other.join();
    EXPECT_EQ(a, 500 * 120);
    EXPECT_EQ(b, 500 * 120);
}

TEST(ThreadPool, RangesCoverOnceAndRespectTheGrain) {
    for (int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        for (int64_t n : {1, 2, 3, 19, 20, 21, 100, 1001})
            for (int64_t grain : {0, 1, 7, 64, 5000}) {
                std::vector<int> covered(static_cast<size_t>(n), 0);
                std::atomic<int> ranges{0}, short_ranges{0};
                pool.for_ranges(n, grain, [&](int64_t begin, int64_t end) {
                    ASSERT_LT(begin, end);
                    ++ranges;
                    if (end - begin < grain && end != n) ++short_ranges;
                    for (int64_t i = begin; i < end; ++i) ++covered[static_cast<size_t>(i)];
                });
                for (int count : covered) ASSERT_EQ(count, 1);
                ASSERT_EQ(short_ranges, 0);
                ASSERT_LE(ranges, threads * 4);
            }
    }
}

TEST(ThreadPool, KnowsTheCores) {
    EXPECT_GE(ThreadPool::num_cores(), 1);
    ThreadPool pool;
    EXPECT_EQ(pool.num_threads(), ThreadPool::num_cores());
}

}  // namespace
}  // namespace saker
