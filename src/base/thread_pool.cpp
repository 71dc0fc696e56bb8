// A job is published by raising `generation_`; every thread takes part in every job, so that
// `busy_` counting down to zero means that nobody still touches the job's state and the next may be
// written.
#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>

#include "base/check.h"

namespace saker {
namespace {

// About 20 us of spinning: longer than the gap between two ops of a decode step, short beside a
// wake-up.
constexpr int kSpins = 4000;

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

int ThreadPool::num_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return std::max(1, CPU_COUNT(&set));
}

ThreadPool::ThreadPool(int num_threads) {
    const int n = num_threads > 0 ? num_threads : num_cores();
    for (int i = 1; i < n; ++i) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
    stop_.store(true);
    generation_.fetch_add(1);
    generation_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void ThreadPool::take_tasks() {
    for (int64_t i = next_.fetch_add(1); i < num_tasks_; i = next_.fetch_add(1)) (*task_)(i);
}

void ThreadPool::work() {
    uint32_t seen = 0;
    while (true) {
        for (int spin = 0; spin < kSpins && generation_.load(std::memory_order_acquire) == seen;
             ++spin)
            pause();
        generation_.wait(seen, std::memory_order_acquire);
        seen = generation_.load(std::memory_order_acquire);
        if (stop_.load()) return;
        take_tasks();
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
}

void ThreadPool::run(int64_t num_tasks, FunctionRef<void(int64_t)> task) {
    if (num_tasks <= 0) return;
    if (threads_.empty() || num_tasks == 1) {
        for (int64_t i = 0; i < num_tasks; ++i) task(i);
        return;
    }
    DCHECK(busy_.load() == 0, "ThreadPool::run inside a task of the same pool");
    task_ = &task;
    num_tasks_ = num_tasks;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(static_cast<int32_t>(threads_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    take_tasks();
    for (int spin = 0; busy_.load(std::memory_order_acquire) != 0; ++spin) {
        if (spin < kSpins) {
            pause();
            continue;
        }
        const int32_t left = busy_.load(std::memory_order_acquire);
        if (left != 0) busy_.wait(left, std::memory_order_acquire);
    }
}

void ThreadPool::for_ranges(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> body) {
    if (n <= 0) return;
    const int64_t most = std::max<int64_t>(1, int64_t{num_threads()} * 4);
    const int64_t size = std::max(std::max<int64_t>(grain, 1), (n + most - 1) / most);
    run((n + size - 1) / size, [&](int64_t i) { body(i * size, std::min(n, (i + 1) * size)); });
}

}  // namespace saker
