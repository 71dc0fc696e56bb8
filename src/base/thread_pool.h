// ThreadPool: runs the numbered tasks of one job on every core, and waits for them.
//
// One thread (the engine's, or a worker that prepares pictures) owns a pool and calls run(); the
// calling thread works too, so a pool of 1 has no threads of its own. Tasks are handed out by an
// atomic counter: which thread gets which task is not fixed, so a task must write only what is its
// own, and results must not depend on the split. Threads spin for some microseconds between jobs,
// since a decode step is hundreds of short jobs, and then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace saker {

/// A borrowed callable: two words, no allocation. The callable must outlive the call it is passed
/// to.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
  public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
        FunctionRef(F&& f)  // NOLINT: implicit by intent
        : object_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* object, Args... args) -> R {
              return (*static_cast<std::remove_reference_t<F>*>(object))(
                  static_cast<Args>(args)...);
          }) {}
    R operator()(Args... args) const { return call_(object_, static_cast<Args>(args)...); }

  private:
    void* object_;
    R (*call_)(void*, Args...);
};

class ThreadPool {
  public:
    /// `num_threads` in all, the caller of run() included; 0 means one a core that this process may
    /// use.
    explicit ThreadPool(int num_threads = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int num_threads() const { return static_cast<int>(threads_.size()) + 1; }

    /// Calls task(i) once for each i in [0, num_tasks), on any thread, and returns when all are
    /// done. Tasks must not throw and must not call run() on the same pool.
    void run(int64_t num_tasks, FunctionRef<void(int64_t)> task);

    /// Splits [0, n) into contiguous ranges of at least `grain` (the last may be shorter), several
    /// a thread, and calls body(begin, end) for each.
    void for_ranges(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> body);

    /// Cores this process may use (its CPU affinity), at least 1.
    static int num_cores();

  private:
    struct Job;
    void work();
    void take_tasks();

    std::vector<std::thread> threads_;
    // One job at a time. `generation_` rises when a job starts; a thread that sees it takes tasks.
    alignas(64) std::atomic<uint32_t> generation_{0};
    alignas(64) std::atomic<int64_t> next_{0};
    alignas(64) std::atomic<int32_t> busy_{0};
    const FunctionRef<void(int64_t)>* task_ = nullptr;
    int64_t num_tasks_ = 0;
    std::atomic<bool> stop_{false};
};

}  // namespace saker
