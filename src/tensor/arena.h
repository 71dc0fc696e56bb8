// Arena: one block of memory, taken at start-up, handed out front to back.
//
// An engine takes three: weights (read-only after loading), KV pages, scratch (rewound by
// ScratchScope and reset each step). Host memory is reserved as address space and becomes real when
// first touched, so a generous capacity costs nothing; device memory is allocated whole. Nothing is
// allocated after "ready": num_device_allocations() must stand still, and a test says so. One
// thread at a time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "tensor/tensor.h"

namespace saker {

class Arena {
  public:
    static constexpr int64_t kAlignment =
        256;  // bytes; serves SIMD, bulk copies and cuBLASLt alike

    /// Reserves `capacity_bytes` at `place`. Throws StartupError where the machine refuses.
    Arena(int64_t capacity_bytes, Place place);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The next tensor. CHECKs that it fits. Contents are undefined.
    Tensor take(DType dtype, std::initializer_list<int64_t> dims) {
        return take(dtype, std::span(dims.begin(), dims.size()));
    }
    Tensor take(DType dtype, std::span<const int64_t> dims);

    int64_t mark() const { return used_; }
    /// Gives back everything taken since `mark`.
    void rewind(int64_t mark);
    void reset() { rewind(0); }

    int64_t capacity_bytes() const { return capacity_; }
    int64_t used_bytes() const { return used_; }
    int64_t peak_bytes() const { return peak_; }
    Place place() const { return place_; }

    /// Bytes that take() of this shape uses, for planning.
    static int64_t padded_bytes(DType dtype, std::initializer_list<int64_t> dims);

  private:
    char* at_ = nullptr;
    int64_t capacity_, used_ = 0, peak_ = 0;
    Place place_;
};

}  // namespace saker
