// Graph: a step's kernels recorded once on a stream, then launched as one.
//
// A launch costs about 2.3 us as a node of a graph and 3.5 alone, and the host pays once a step
// rather than once a kernel. The engine keeps one Graph a batch bucket. Elsewhere than on `cuda`
// there is nothing to record, and one line serves every backend:
//
//   if (graph.captured()) graph.replay(ex); else { step(); graph.capture(ex, step); }
//
// graph_cuda.cpp and graph_nocuda.cpp implement it.
#pragma once

#include "base/thread_pool.h"
#include "tensor/exec.h"

namespace saker {

class Graph {
  public:
    Graph() = default;
    Graph(Graph&& other) noexcept : raw_(other.raw_) { other.raw_ = nullptr; }
    Graph& operator=(Graph&& other) noexcept {
        void* const raw = raw_;
        raw_ = other.raw_;
        other.raw_ = raw;
        return *this;
    }
    ~Graph();

    /// cuda: calls `step` once and records what it enqueues on `ex.stream`, without running it. The
    /// step must have run before on this Exec (its kernels are loaded and its plans chosen then),
    /// must enqueue the same work each time, and may neither synchronize, allocate device memory,
    /// nor use host values that change: what changes lies in device memory. Its tensors must
    /// outlive the Graph. Replaces an earlier capture. Other backends: does nothing.
    void capture(const Exec& ex, FunctionRef<void()> step);
    /// Enqueues the recorded work on `ex.stream`, which may be another one of the same device.
    void replay(const Exec& ex);
    bool captured() const { return raw_ != nullptr; }

  private:
    void* raw_ = nullptr;  // a cudaGraphExec_t
};

}  // namespace saker
