// device.h on the CUDA runtime.
//
// A stream or an allocation belongs to the device it was made on; the calls here that need a
// current device set it and leave it so. A thread that launches kernels calls use_device once.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstring>
#include <string>

#include "tensor/cuda_check.h"
#include "tensor/device.h"

namespace saker {
namespace {

std::atomic<int64_t> allocations{0};

cudaStream_t of(void* stream) {
    return static_cast<cudaStream_t>(stream);
}
cudaEvent_t event_of(void* event) {
    return static_cast<cudaEvent_t>(event);
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

}  // namespace

int num_devices() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
    // No driver, or no GPU: an answer, not a failure. The runtime keeps the error until it is read.
    (void)cudaGetLastError();
    return 0;
}

void use_device(int device) {
    CUDA_CHECK(cudaSetDevice(device));
}

DeviceFacts device_facts(int device) {
    use_device(device);
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    DeviceFacts facts;
    facts.name = properties.name;
    facts.num_multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
    facts.total_bytes = static_cast<int64_t>(total_bytes);
    facts.free_bytes = static_cast<int64_t>(free_bytes);
    facts.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
    facts.compute_major = attribute(cudaDevAttrComputeCapabilityMajor, device);
    facts.compute_minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
    return facts;
}

void* device_allocate(int device, int64_t size_bytes) {
    use_device(device);
    CHECK(size_bytes > 0, "device memory of no bytes");
    void* at = nullptr;
    const cudaError_t status = cudaMalloc(&at, static_cast<size_t>(size_bytes));
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        size_t free_bytes = 0, total_bytes = 0;
        CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
        throw StartupError("GPU " + std::to_string(device) + " cannot give " +
                           std::to_string(size_bytes) + " bytes: " + std::to_string(free_bytes) +
                           " of its " + std::to_string(total_bytes) +
                           " are free; lower the context or stop what else runs on it.");
    }
    CUDA_CHECK(status);
    ++allocations;
    return at;
}

void device_free(int device, void* at) {
    use_device(device);
    CUDA_CHECK(cudaFree(at));
}

void* pinned_allocate(int64_t size_bytes) {
    void* at = nullptr;
    if (cudaMallocHost(&at, static_cast<size_t>(size_bytes)) == cudaSuccess) return at;
    (void)cudaGetLastError();
    throw StartupError("The machine cannot lock " + std::to_string(size_bytes >> 20) +
                       " MiB of memory for copies to the GPU: free memory or raise ulimit -l.");
}

void pinned_free(void* at) {
    CUDA_CHECK(cudaFreeHost(at));
}

int64_t num_device_allocations() {
    return allocations;
}

Stream::Stream(int device) : device_(device) {
    use_device(device);
    cudaStream_t stream = nullptr;
    // Not ordered with the default stream: nothing here uses that one.
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    raw_ = stream;
}

Stream::~Stream() {
    use_device(device_);
    CUDA_CHECK(cudaStreamDestroy(of(raw_)));
}

void Stream::synchronize() {
    CUDA_CHECK(cudaStreamSynchronize(of(raw_)));
}

Event::Event() {
    cudaEvent_t event = nullptr;
    CUDA_CHECK(cudaEventCreate(&event));
    raw_ = event;
}

Event::~Event() {
    CUDA_CHECK(cudaEventDestroy(event_of(raw_)));
}

void Event::record(void* stream) {
    CUDA_CHECK(cudaEventRecord(event_of(raw_), of(stream)));
}

void Event::synchronize() {
    CUDA_CHECK(cudaEventSynchronize(event_of(raw_)));
}

double Event::elapsed_ms_since(const Event& start) const {
    float elapsed_ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, event_of(start.raw_), event_of(raw_)));
    return elapsed_ms;
}

void copy(const Tensor& to, const Tensor& from, void* stream) {
    CHECK(to.dtype() == from.dtype() && to.num_elements() == from.num_elements() && to.is_dense() &&
              from.is_dense(),
          "copy needs dense tensors of equal dtype and size");
    if (to.size_bytes() == 0) return;
    const size_t bytes = static_cast<size_t>(to.size_bytes());
    if (to.place().is_host() && from.place().is_host())
        std::memcpy(to.raw(), from.raw(), bytes);
    else
        CUDA_CHECK(cudaMemcpyAsync(to.raw(), from.raw(), bytes, cudaMemcpyDefault, of(stream)));
}

void fill_bytes(const Tensor& to, uint8_t byte, void* stream) {
    CHECK(to.is_dense(), "fill_bytes needs a dense tensor");
    if (to.size_bytes() == 0) return;
    const size_t bytes = static_cast<size_t>(to.size_bytes());
    if (to.place().is_host())
        std::memset(to.raw(), byte, bytes);
    else
        CUDA_CHECK(cudaMemsetAsync(to.raw(), byte, bytes, of(stream)));
}

}  // namespace saker
