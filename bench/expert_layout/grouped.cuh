// Experts of 4 to 16,384 tokens: a grouped product whose left matrix is an expert's weights and
// whose columns are the tokens that chose it, a multiple of 16 up to 256 a tile. Weights as the
// left matrix let a tile be as narrow as the tokens are few: wgmma has 64 rows at least but any
// number of columns.
//
// A work item is 256 ready rows of one expert times one tile of tokens, for a cluster of two
// blocks: each takes 128 rows, and both share the tokens, of which each fetches half for both. In a
// block one warp fetches, 64 columns of the sum at a time, into a ring of stages; two groups of
// four warps multiply 64 rows each. The groups meet nowhere but at the ring, so one may finish a
// tile while the other multiplies. Blocks stay for all their items, so the ring never drains
// between experts.
//
// The left matrix comes from shared memory in either order: `fragment`, by one 16-byte load a
// thread into the registers that wgmma reads, or `swizzled`, read there by wgmma itself. All else
// is the same code, so that their difference is the order's.
//
// The tokens come as "token tiles": for each tile, blocks of 64 columns of its rows in the 128-byte
// swizzle. gather makes them of x, and the up product writes h in that form. The down product
// writes each pair of token and expert as a row of its own, times its weight; combine adds eight.
#pragma once

#include "bench/expert_layout/grouped.h"
#include "bench/expert_layout/launch.cuh"
#include "bench/expert_layout/ptx.cuh"

namespace saker::expert_layout {

/// The ring in shared memory, by address, and which stage of it is next. Every stage's barriers
/// have a parity of their own, since the ring's shape changes between tiles.
struct StageRing {
    uint32_t memory, full, empty;
    uint32_t parities;  // of the phases waited for next, a bit a stage
    int next = 0, stages = 0, stage_bytes = 0;

    __device__ uint32_t full_of(int i) const { return full + static_cast<uint32_t>(8 * i); }
    __device__ uint32_t empty_of(int i) const { return empty + static_cast<uint32_t>(8 * i); }
    __device__ uint32_t stage(int i) const {
        return memory + static_cast<uint32_t>(i * stage_bytes);
    }
    __device__ uint32_t parity_of(int i) const { return parities >> i & 1; }
    __device__ bool fits(const TokenTile& tile) const { return tile.stage_bytes == stage_bytes; }
    __device__ void shape(const TokenTile& tile) {
        next = 0;
        stages = tile.stages;
        stage_bytes = tile.stage_bytes;
    }
    __device__ void advance() {
        parities ^= 1u << next;
        if (++next == stages) next = 0;
    }
};

template <bool UP>
struct Fetcher {
    static constexpr int kSteps = kColumns<UP> / kStepColumns;
    static constexpr int kItems = kRows<UP> / (2 * kBlockRows);  // a tile

    const GroupedArgs& a;
    StageRing ring;
    const int lane;
    const uint32_t rank = cluster_rank();
    const uint64_t weight_policy = a.read_once ? evict_first() : evict_normal();
    const uint64_t token_policy = evict_normal();

    /// Where this lane's copies of an item begin: lane 0 and up the weights', lane 8 the tokens'.
    struct Source {
        const Bf16* from;
        uint32_t bytes, at;  // of a copy; in the stage
        int step;            // numbers from one copy to the next
    };
    __device__ Source source_of(const TokenTile& tile, int item) const {
        const int together = a.weights.together, strip = lane * together;
        const int block = item * 2 + static_cast<int>(rank);
        if (strip < kBlockRows / 16)
            return {a.weights.strip_at(tile.expert, kRows<UP>, kColumns<UP>,
                                       block * (kBlockRows / 16) + strip, 0),
                    static_cast<uint32_t>(together * kStripNumbers * 2),
                    static_cast<uint32_t>(strip * kStripNumbers * 2), together * kStripNumbers};
        const int half = tile.columns / 2, row = half * static_cast<int>(rank);
        return {a.tokens + int64_t{tile.first} * kColumns<UP> + row * kStepColumns,
                static_cast<uint32_t>(half * 128), static_cast<uint32_t>(kWeightBytes + row * 128),
                tile.columns * kStepColumns};
    }
    __device__ bool has_weights() const { return lane * a.weights.together < kBlockRows / 16; }
    __device__ void fetch_weights(const TokenTile& tile, const Source& source, int step) const {
        const uint32_t barrier = ring.full_of(ring.next);
        if (lane == 0)
            barrier_expect(barrier, static_cast<uint32_t>(kWeightBytes + tile.columns * 128));
        __syncwarp();
        if (has_weights())
            bulk_load(ring.stage(ring.next) + source.at, source.from + step * source.step,
                      source.bytes, barrier, weight_policy);
    }
    __device__ void fetch_tokens(const Source& source, int step) const {
        if (lane == 8)
            bulk_load_to_all(ring.stage(ring.next) + source.at, source.from + step * source.step,
                             source.bytes, ring.full_of(ring.next), 3, token_policy);
    }
    /// Waits until nobody needs the stages of the present shape.
    __device__ void drain() const {
        for (int i = 0; i < ring.stages; ++i) barrier_wait(ring.empty_of(i), ring.parity_of(i));
    }

    __device__ void run() {
        const int cluster = static_cast<int>(blockIdx.x) / 2,
                  clusters = static_cast<int>(gridDim.x) / 2;
        int early = 0;
        if (!UP) {
            // down's items are known since before up ran: its first weights need not wait for h.
            if (cluster < *a.num_tiles * kItems) {
                const TokenTile tile = a.tiles[cluster / kItems];
                ring.shape(tile);
                early = min(tile.stages, kSteps);
                const Source source = source_of(tile, cluster % kItems);
                for (; ring.next < early; ++ring.next) fetch_weights(tile, source, ring.next);
                ring.next = 0;
            }
            wait_for_previous();
        }
        launch_next();
        const int items = *a.num_tiles * kItems;
        for (int i = cluster; i < items; i += clusters) {
            const TokenTile tile = a.tiles[i / kItems];
            if (!ring.fits(tile)) {
                drain();
                ring.shape(tile);
            }
            const Source source = source_of(tile, i % kItems);
            for (int step = 0; step < kSteps; ++step) {
                if (early > 0) {
                    --early;
                } else {
                    barrier_wait(ring.empty_of(ring.next), ring.parity_of(ring.next));
                    fetch_weights(tile, source, step);
                }
                fetch_tokens(source, step);
                ring.advance();
            }
        }
    }
};

/// Frees a stage in both blocks: either may write the other's half of the tokens there.
__device__ inline void free_stage(uint32_t barrier, int lane) {
    if (lane < 2) barrier_arrive_at(barrier, static_cast<uint32_t>(lane));
}

/// One step: 64 rows of this group times N tokens over 64 columns, left in flight.
template <Order ORDER, int N>
__device__ inline void multiply_step(float (&sum)[128], uint4 (&left)[4], uint32_t stage, int warp,
                                     int lane, int always) {
    const uint64_t right = swizzled_matrix(stage + kWeightBytes);
    if constexpr (ORDER == Order::fragment) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            load_kept(left[i], stage + static_cast<uint32_t>(warp * 2048 + i * 512 + lane * 16),
                      static_cast<uint32_t>(always));
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; ++i) Wgmma<N>::run(sum, left[i], right + i * kNext16Columns);
    } else {
        const uint64_t rows = swizzled_matrix(stage + static_cast<uint32_t>(warp / 4 * 8192));
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; ++i)
            Wgmma<N>::run(sum, rows + i * kNext16Columns, right + i * kNext16Columns);
    }
    wgmma_commit();
}

/// Writes 16 ready rows of this warp times N tokens: h of up. A block's 128 rows are 64 numbers of
/// h, one block of columns of down's token tile. A transposed 8 x 8 gives a lane two neighbouring
/// numbers of one token; lanes then swap, so that each has four.
template <int N>
__device__ inline void write_h(const GroupedArgs& a, const TokenTile& tile, int block, int warp,
                               int lane, const float (&sum)[128]) {
    // Hidden from the compiler, which would otherwise keep every row's address in registers.
    asm volatile("" : "+r"(lane));
    const int g = lane / 4, t = lane % 4, odd = t % 2;
    Bf16* const to = a.out + int64_t{tile.first} * kF + block * N * 64 + (warp ^ g) * 8 + t / 2 * 4;
#pragma unroll
    for (int j = 0; j < N / 8; j += 2) {
        const float* const s = sum + 4 * j;
        const uint32_t even_row = transpose_8x8(gated(s[0], s[1], s[2], s[3]));
        const uint32_t odd_row = transpose_8x8(gated(s[4], s[5], s[6], s[7]));
        const uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, odd ? even_row : odd_row, 1);
        const int row = 8 * (j + odd) + g;
        if (row < tile.count)
            *reinterpret_cast<uint2*>(to + row * 64) =
                odd ? make_uint2(other, odd_row) : make_uint2(even_row, other);
    }
}

__device__ inline uint32_t weighted(uint32_t pair, float weight) {
    return pack(low_of(pair) * weight, high_of(pair) * weight);
}

/// The targets of a tile's columns, a lane's share: column 32 i + lane.
template <int N>
__device__ inline void load_targets(Target (&targets)[8], const GroupedArgs& a,
                                    const TokenTile& tile, int lane) {
#pragma unroll
    for (int i = 0; i < (N + 31) / 32; ++i)
        if (32 * i + lane < tile.count) targets[i] = a.targets[tile.first + 32 * i + lane];
}

/// The same for down: a row of C a pair, times its weight.
template <int N>
__device__ inline void write_rows(const GroupedArgs& a, const TokenTile& tile, int block, int warp,
                                  int lane, const float (&sum)[128], const Target (&targets)[8]) {
    asm volatile("" : "+r"(lane));
    const int g = lane / 4, t = lane % 4, odd = t % 2;
    // After the swap an even lane has four of the first eight channels, an odd one of the others.
    Bf16* const to = a.out + block * kBlockRows + warp * 16 + odd * 8 + t / 2 * 4;
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
        const float* const s = sum + 4 * j;
        const uint32_t upper = transpose_8x8(pack(s[0], s[1]));
        const uint32_t lower = transpose_8x8(pack(s[2], s[3]));
        const uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, odd ? upper : lower, 1);
        const int pair = __shfl_sync(0xFFFFFFFFu, targets[j / 4].pair, j % 4 * 8 + g);
        const float weight = __shfl_sync(0xFFFFFFFFu, targets[j / 4].weight, j % 4 * 8 + g);
        if (8 * j + g < tile.count)
            *reinterpret_cast<uint2*>(to + int64_t{pair} * kC) = make_uint2(
                weighted(odd ? other : upper, weight), weighted(odd ? lower : other, weight));
    }
}

template <Order ORDER, bool UP, int N>
__device__ inline void multiply_tile(const GroupedArgs& a, StageRing& ring, const TokenTile& tile,
                                     int block, int warp, int lane, uint4 (&left)[2][4]) {
    constexpr int kSteps = kColumns<UP> / kStepColumns;
    Target targets[8] = {};
    if (!UP) load_targets<N>(targets, a, tile, lane);
    float sum[128];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) sum[i] = 0.0f;
    uint32_t before = 0;  // the barrier of the step in flight
#pragma unroll 1
    for (int step = 0; step < kSteps; step += 2) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            barrier_wait(ring.full_of(ring.next), ring.parity_of(ring.next));
            multiply_step<ORDER, N>(sum, left[odd], ring.stage(ring.next), warp, lane, a.always);
            wgmma_wait<1>();
            if (odd || step > 0) free_stage(before, lane);
            before = ring.empty_of(ring.next);
            ring.advance();
        }
    }
    wgmma_wait<0>();
    free_stage(before, lane);
    if constexpr (UP)
        write_h<N>(a, tile, block, warp, lane, sum);
    else
        write_rows<N>(a, tile, block, warp, lane, sum, targets);
}

template <Order ORDER, bool UP>
__global__ void __launch_bounds__(kGroupedThreads, 1) grouped_product(GroupedArgs a) {
    extern __shared__ unsigned char shared[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const uint32_t aligned = (shared_address(shared) + 1023) & ~1023u;
    const uint32_t barriers = aligned + kRingBytes;
    StageRing ring{aligned, barriers, barriers + 8 * kMostStages, warp < 8 ? 0 : ~0u};
    if (threadIdx.x == 0) {
        for (int i = 0; i < kMostStages; ++i) {
            barrier_init(ring.full_of(i), 1);
            barrier_init(ring.empty_of(i), 16);  // eight warps of both blocks
        }
        barrier_init_fence();
    }
    cluster_sync();

    if (warp >= 8) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (UP) wait_for_previous();
        if (warp == 8) Fetcher<UP>{a, ring, lane}.run();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        wait_for_previous();
        constexpr int kItems = Fetcher<UP>::kItems;
        const int items = *a.num_tiles * kItems, rank = static_cast<int>(cluster_rank());
        uint4 left[2][4] = {};
        for (int i = static_cast<int>(blockIdx.x) / 2; i < items;
             i += static_cast<int>(gridDim.x) / 2) {
            const TokenTile tile = a.tiles[i / kItems];
            const int block = i % kItems * 2 + rank;
            if (!ring.fits(tile)) ring.shape(tile);
#define SAKER_CASE(N)                                                        \
    case N:                                                                  \
        multiply_tile<ORDER, UP, N>(a, ring, tile, block, warp, lane, left); \
        break;
            switch (tile.columns) {
                SAKER_CASE(16)
                SAKER_CASE(32)
                SAKER_CASE(48)
                SAKER_CASE(64)
                SAKER_CASE(80)
                SAKER_CASE(96)
                SAKER_CASE(112)
                SAKER_CASE(128)
                SAKER_CASE(144)
                SAKER_CASE(160)
                SAKER_CASE(176)
                SAKER_CASE(192)
                SAKER_CASE(208)
                SAKER_CASE(224)
                SAKER_CASE(240)
                SAKER_CASE(256)
                default:
                    __trap();
            }
#undef SAKER_CASE
        }
    }
    cluster_sync();  // the other block may still write here
}

template <Order ORDER, bool UP>
void launch_product(const GroupedArgs& a, int blocks, cudaStream_t stream) {
    launch_dependent(grouped_product<ORDER, UP>, blocks, kGroupedThreads, kGroupedSharedBytes, 2,
                     a.dependent, stream, a);
}

}  // namespace saker::expert_layout
