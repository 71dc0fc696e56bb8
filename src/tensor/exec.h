// Exec: what every op gets as its first argument. Backend, threads or stream, scratch memory, and
// the tap.
//
// There is no process-wide state: two engines in one process have two Execs. One thread uses an
// Exec at a time. Ops take temporary memory from `scratch` inside a ScratchScope and allocate
// nothing else.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "tensor/arena.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

namespace saker {

/// `ref` is the scalar truth, `cpu` SIMD on every core, `cuda` one GPU.
enum class Backend : uint8_t { ref, cpu, cuda };
std::string_view to_string(Backend backend);
/// What this build holds. The preset `gpu` has no `cpu`, a build without a CUDA compiler no `cuda`.
constexpr bool is_built(Backend backend);

/// Sees named intermediate values: `saker verify` and the tests compare them with a reference,
/// `saker eval` counts the experts. Null in service. `value` is valid during the call only, and
/// lies where the Exec's backend computes.
class Tap {
  public:
    virtual ~Tap() = default;
    virtual void see(std::string_view stage, int64_t index, const Tensor& value) = 0;
};

class CudaLane;  // ops/cuda_lane.h: what cuda ops keep between calls

struct Exec {
    Backend backend = Backend::ref;
    ThreadPool* pool = nullptr;  // cpu: never null. Others: unused
    Arena* scratch = nullptr;    // never null; lies where the backend computes
    void* stream = nullptr;      // cuda: a cudaStream_t (device.h)
    int8_t device = 0;           // cuda: the device's index
    CudaLane* cuda = nullptr;    // cuda: never null, one an Exec. Others: unused
    Tap* tap = nullptr;

    Place place() const { return backend == Backend::cuda ? Place::cuda(device) : Place::host(); }
    void show(std::string_view stage, int64_t index, const Tensor& value) const {
        if (tap) [[unlikely]]
            tap->see(stage, index, value);
    }
};

/// Gives back, at its end, all scratch that was taken since its beginning.
class ScratchScope {
  public:
    explicit ScratchScope(const Exec& ex)
        : arena_(ex.scratch), stream_(ex.stream), mark_(arena_->mark()) {}
    ~ScratchScope() { arena_->rewind(mark_); }
    ScratchScope(const ScratchScope&) = delete;
    ScratchScope& operator=(const ScratchScope&) = delete;

    Tensor take(DType dtype, std::initializer_list<int64_t> dims) {
        return arena_->take(dtype, dims);
    }
    /// A copy of host numbers. They must stay alive as device.h asks of copy().
    template <class T>
    Tensor take_copy(const std::vector<T>& numbers, std::initializer_list<int64_t> dims) {
        const Tensor t = take(DTypeOf<T>::value, dims);
        copy(t, Tensor::of(std::span(numbers), dims), stream_);
        return t;
    }

  private:
    Arena* arena_;
    void* stream_;
    int64_t mark_;
};

/// CHECKs with the op's name: this build or this op has no code for the Exec's backend.
[[noreturn]] void backend_missing(const Exec& ex, const char* op);

constexpr bool is_built(Backend backend) {
    switch (backend) {
        case Backend::ref:
            return true;
        case Backend::cpu:
            return SAKER_BUILT_CPU;
        case Backend::cuda:
            return SAKER_BUILT_CUDA;
    }
    return false;
}

}  // namespace saker
