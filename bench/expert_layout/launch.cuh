// A launch that may begin while the kernel before it ends; each kernel waits where it must
// (ptx.cuh: wait_for_previous).
#pragma once

#include <cuda_runtime.h>

#include "tensor/cuda_check.h"

namespace saker::expert_layout {

template <class... Parameters>
void launch_dependent(void (*kernel)(Parameters...), int64_t blocks, int threads, int shared_bytes,
                      int cluster, bool dependent, cudaStream_t stream, Parameters... arguments) {
    CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = dependent;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = static_cast<unsigned>(cluster);
    attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = cluster > 1 ? 2 : 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace saker::expert_layout
