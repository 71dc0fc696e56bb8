// The one place that speaks to the CUDA runtime: memory, streams, events, copies.
//
// Everything here CHECKs on a CUDA failure after start-up, and throws StartupError while memory is
// taken. A build without CUDA has device_nocuda.cpp: no devices, and each call CHECKs. graph.h
// captures and replays a step. Kernels get their stream from Exec.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/tensor.h"

namespace saker {

/// CUDA devices that this process can use; 0 in a build without CUDA or on a machine without a GPU.
int num_devices();

struct DeviceFacts {
    std::string name;
    int num_multiprocessors = 0;
    int64_t total_bytes = 0, free_bytes = 0;
    int64_t l2_bytes = 0;
    int compute_major = 0, compute_minor = 0;
};
DeviceFacts device_facts(int device);

/// Makes `device` the one on which the calling thread launches kernels. A thread that runs ops of
/// the cuda backend calls it once; threads begin on device 0.
void use_device(int device);

/// Throws StartupError, with the bytes asked for and those free, where the device is too full.
void* device_allocate(int device, int64_t size_bytes);
void device_free(int device, void* at);
/// Page-locked host memory, from and to which a device copies at full speed. Throws StartupError
/// where the machine refuses.
void* pinned_allocate(int64_t size_bytes);
void pinned_free(void* at);
/// Allocations by device_allocate so far in this process; stands still after "ready".
int64_t num_device_allocations();

/// A stream of work on one device, in order.
class Stream {
  public:
    explicit Stream(int device);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    void* raw() const { return raw_; }  // cudaStream_t, for Exec::stream
    void synchronize();

  private:
    void* raw_ = nullptr;
    [[maybe_unused]] int device_;  // unused in a build without CUDA
};

/// A mark in a stream; two of them measure time on the device.
class Event {
  public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record(void* stream);
    void synchronize();
    /// Milliseconds from `start` to this event; both must have been recorded and reached.
    double elapsed_ms_since(const Event& start) const;
    void* raw() const { return raw_; }

  private:
    void* raw_ = nullptr;
};

/// Copies numbers between dense tensors of equal dtype and size, in stream order; host to host at
/// once. Host memory of a copy must stay alive until the stream is synchronized.
void copy(const Tensor& to, const Tensor& from, void* stream);
/// Sets every byte of a dense tensor, in stream order; on the host at once.
void fill_bytes(const Tensor& to, uint8_t byte, void* stream);

}  // namespace saker
