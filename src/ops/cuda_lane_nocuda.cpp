// cuda_lane.h in a build without CUDA: no Exec of the cuda backend exists, so none of this is
// called.
#include "base/check.h"
#include "ops/cuda_lane.h"

namespace saker {

struct CudaLane::State {};

CudaLane::CudaLane(int) {
    CHECK(false, "this build has no CUDA");
}

CudaLane::~CudaLane() = default;

bool CudaLane::matmul(const Exec&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
    CHECK(false, "this build has no CUDA");
}

int64_t CudaLane::num_plans() const {
    return 0;
}

}  // namespace saker
