// Random numbers to work on, and how fast memory can be read.
#pragma once

#include "bench/expert_layout/decode.cuh"

namespace saker::expert_layout {

/// Uniform in [-size, size), a new number each index (the finaliser of SplitMix64).
static __global__ void fill_random(Bf16* out, int64_t n, float size, uint64_t seed) {
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        uint64_t z = seed + static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        out[i] = narrow((static_cast<float>(z >> 40) * 0x1p-23f - 1.0f) * size);
    }
}

/// Reads everything, 32 KB a block.
static __global__ void __launch_bounds__(256) read_plainly(const uint4* from, uint32_t* out) {
    const uint4* const at = from + static_cast<int64_t>(blockIdx.x) * 2048 + threadIdx.x;
    uint4 v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = load_once(at + i * 256);
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    if (sum == 0x12345678u) *out = sum;  // keeps the loads
}

/// Reads everything through rings of eight warps, 32 KB a round: a block what lies together
/// or all blocks side by side. `pieces` beyond `wrap` begin again.
static __global__ void __launch_bounds__(256)
    read_through_rings(const Bf16* from, int64_t pieces, int64_t wrap, int depth, int side_by_side,
                       uint32_t* out) {
    extern __shared__ __align__(128) unsigned char shared[];
    using Ring = WarpRing<kUpTiles>;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    Ring ring{
        shared_address(shared) + static_cast<uint32_t>(warp * depth * Ring::kBytes),
        shared_address(shared) + static_cast<uint32_t>(8 * depth * Ring::kBytes + warp * depth * 8),
        depth, lane};
    if (wrap < pieces) ring.policy = evict_normal();
    ring.begin();
    const int64_t rounds = pieces / 8 / gridDim.x;
    uint32_t sum = 0;
    int64_t ahead = 0;
    const auto fetch_ahead = [&](int slot) {
        if (ahead >= rounds) return;
        const int64_t round =
            side_by_side ? ahead * gridDim.x + blockIdx.x : blockIdx.x * rounds + ahead;
        ring.fetch(slot, from + (round * 8 + warp) % wrap * (Ring::kBytes / 2));
        ++ahead;
    };
    for (int i = 0; i < depth; ++i) fetch_ahead(i);
    for (int64_t i = 0; i < rounds; ++i) {
        uint4 tiles[kUpTiles];
        ring.take(tiles);
        fetch_ahead(ring.slot);
        ring.advance();
#pragma unroll
        for (int j = 0; j < kUpTiles; ++j) sum ^= tiles[j].x ^ tiles[j].y ^ tiles[j].z ^ tiles[j].w;
    }
    if (sum == 0x12345678u) *out = sum;
}

}  // namespace saker::expert_layout
