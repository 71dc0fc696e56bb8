// CUDA_CHECK: the one way in which calls of CUDA libraries are made.
//
//   CUDA_CHECK(cudaStreamSynchronize(stream));
//
// A failure is a dead device or a bug of ours: it aborts as CHECK does, and the line names the
// call, the file, the line and the library's own error. Included only by files that a build without
// CUDA leaves out (*_cuda.cpp, *_cuda.cu, what they share, and bench/cuda_bench.cu).
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "base/check.h"

namespace saker::cuda {

/// Overloaded for each library's status; a new library adds its own overload beside its use.
inline void check_status(cudaError_t status, const char* call, const char* file, int line) {
    if (status == cudaSuccess) [[likely]]
        return;
    check_failed(file, line, call,
                 std::string("CUDA failed with ") + cudaGetErrorName(status) + ": " +
                     cudaGetErrorString(status));
}

}  // namespace saker::cuda

#define CUDA_CHECK(call) \
    ::saker::cuda::check_status((call), #call " == success", __FILE__, __LINE__)
