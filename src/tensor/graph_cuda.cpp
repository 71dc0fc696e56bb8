// graph.h by stream capture.
#include <cuda_runtime_api.h>

#include "tensor/cuda_check.h"
#include "tensor/graph.h"

namespace saker {
namespace {

cudaGraphExec_t of(void* raw) {
    return static_cast<cudaGraphExec_t>(raw);
}

}  // namespace

Graph::~Graph() {
    if (raw_) CUDA_CHECK(cudaGraphExecDestroy(of(raw_)));
}

void Graph::capture(const Exec& ex, FunctionRef<void()> step) {
    if (ex.backend != Backend::cuda) return;
    const auto stream = static_cast<cudaStream_t>(ex.stream);
    // Thread-local: another thread's pictures may be on their way on another stream meanwhile.
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    step();
    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t ready = nullptr;
    CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    // To the device now, so that the first replay does not pay for it.
    CUDA_CHECK(cudaGraphUpload(ready, stream));
    if (raw_) CUDA_CHECK(cudaGraphExecDestroy(of(raw_)));
    raw_ = ready;
}

void Graph::replay(const Exec& ex) {
    CHECK(captured(), "replay of a graph that was not captured");
    CUDA_CHECK(cudaGraphLaunch(of(raw_), static_cast<cudaStream_t>(ex.stream)));
}

}  // namespace saker
