// CudaLane: what the cuda ops of one Exec share and keep between calls. Today that is the matrix
// product: cuBLASLt's handle, its workspace, and for each shape met so far the kernel chosen for
// it.
//
// Whoever makes an Exec of the cuda backend makes a CudaLane for it, and keeps it as long. It
// serves one stream at a time, since products share the workspace: an Exec of a second stream has
// its own. cuda_lane_cuda.cpp alone sees cuBLASLt; a build without CUDA has cuda_lane_nocuda.cpp,
// where making one CHECKs.
#pragma once

#include <cstdint>
#include <memory>

#include "tensor/exec.h"

namespace saker {

class CudaLane {
  public:
    static constexpr int64_t kWorkspaceBytes = int64_t{32}
                                               << 20;  // what the library asks on Hopper

    /// Throws StartupError where the device has no memory left for the workspace.
    explicit CudaLane(int device);
    ~CudaLane();
    CudaLane(const CudaLane&) = delete;
    CudaLane& operator=(const CudaLane&) = delete;

    /// out[n, o] = sum_i x[n, i] * weight[o, i] + bias[o], summed in f32, rounded once.
    ///
    /// x: [N, Ci], weight: [Co, Ci], both bf16 or both f32; out: [N, Co], bf16 (bf16 inputs only)
    /// or f32; bias: [Co] of out's dtype, or absent. Rows of all three matrices may be strided; N,
    /// Co and Ci are positive. True f32 arithmetic for f32, no TF32. One shape always gets the same
    /// kernel, so the same inputs give the same bits; another N may get another kernel. The first
    /// call of a shape chooses its kernel on the host (tens of microseconds) and is no call to make
    /// while a graph is captured. False, and nothing enqueued, where the library has no kernel.
    bool matmul(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
                const Tensor& bias);

    /// Shapes with a kernel chosen; stands still once every shape has been met.
    int64_t num_plans() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace saker
