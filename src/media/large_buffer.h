// Making room for the bytes of a whole picture.
//
// A fresh buffer costs a page fault for each 4 KiB that is written first: for a photo of 12
// megapixels more time than resizing it. Asking for huge pages before the first write makes that
// five to ten times less where the system has them on request; elsewhere nothing changes.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <vector>

namespace saker {

/// bytes.reserve(size), on huge pages as far as whole ones fit.
inline void reserve_large(std::vector<uint8_t>& bytes, size_t size) {
    constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
    bytes.reserve(size);
    const uintptr_t start = reinterpret_cast<uintptr_t>(bytes.data());
    const uintptr_t begin = (start + kHugePage - 1) / kHugePage * kHugePage;
    const uintptr_t end = (start + size) / kHugePage * kHugePage;
    // A refusal is no fault: small pages hold the same bytes.
    if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

/// `size` zeros, likewise.
inline std::vector<uint8_t> make_large(size_t size) {
    std::vector<uint8_t> bytes;
    reserve_large(bytes, size);
    bytes.resize(size);
    return bytes;
}

}  // namespace saker
