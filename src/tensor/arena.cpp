// Host memory by mmap, device memory through device.h.
#include "tensor/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "base/check.h"
#include "tensor/device.h"

namespace saker {
namespace {

int64_t round_up(int64_t n, int64_t to) {
    return (n + to - 1) / to * to;
}

}  // namespace

Arena::Arena(int64_t capacity_bytes, Place place)
    : capacity_(round_up(std::max<int64_t>(capacity_bytes, 1), kAlignment)), place_(place) {
    if (place.is_host()) {
        void* at = mmap(nullptr, static_cast<size_t>(capacity_), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            throw StartupError("The machine refuses " + std::to_string(capacity_ >> 20) +
                               " MiB of address space: lower the context or free memory.");
        // Huge pages where the kernel has them: fewer TLB misses while weights and KV stream.
        madvise(at, static_cast<size_t>(capacity_), MADV_HUGEPAGE);
        at_ = static_cast<char*>(at);
    } else {
        at_ = static_cast<char*>(device_allocate(place.device, capacity_));
    }
}

Arena::~Arena() {
    if (place_.is_host())
        munmap(at_, static_cast<size_t>(capacity_));
    else
        device_free(place_.device, at_);
}

Tensor Arena::take(DType dtype, std::span<const int64_t> dims) {
    Tensor t(at_ + used_, dtype, dims, place_);
    const int64_t bytes = round_up(t.size_bytes(), kAlignment);
    CHECK(bytes <= capacity_ - used_, "arena is full: " + t.describe() + " does not fit in the " +
                                          std::to_string(capacity_ - used_) + " bytes left of " +
                                          std::to_string(capacity_));
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    return t;
}

void Arena::rewind(int64_t mark) {
    DCHECK(mark >= 0 && mark <= used_, "arena rewound to a mark that is ahead");
    used_ = mark;
}

int64_t Arena::padded_bytes(DType dtype, std::initializer_list<int64_t> dims) {
    return round_up(Tensor(nullptr, dtype, dims).size_bytes(), kAlignment);
}

}  // namespace saker
