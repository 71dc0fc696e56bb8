// Asking for the weights of the next tile while this one is computed. Included by the two gemm
// tiles alone.
//
// A core with few rows to compute waits for memory: its own look-ahead covers some four kilobytes,
// less the more rows there are. Tiles of few rows therefore walk through the next tile's weights,
// front to back, at the pace at which they use up their own. In that order, rather than along the
// weight rows side by side, a Zen 5 core reads 37 to 45 GB/s instead of 25 to 40.
#pragma once

#include <cstdint>

namespace saker::cpu {

/// For tiles whose weights are in cache already: prefill.
struct FetchNothing {
    void take(int64_t) {}
};

struct FetchAhead {
    const char* next;  // may run past the end of the weights: a fetch of nothing is no fault

    void take(int64_t size_bytes) {
        for (int64_t i = 0; i < size_bytes; i += 64) __builtin_prefetch(next + i);
        next += size_bytes;
    }
};

}  // namespace saker::cpu
