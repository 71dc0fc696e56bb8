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

/// Which stage of the ring is next, and the parity of its barriers.
struct Turn {
    int stage = 0;
    uint32_t phase;
    __device__ void advance(int stages) {
        if (++stage == stages) {
            stage = 0;
            phase ^= 1;
        }
    }
};

/// The ring in shared memory, by address.
struct StageRing {
    uint32_t stages, full, empty;
    __device__ uint32_t stage(const GroupedArgs& a, int i) const {
        return stages + static_cast<uint32_t>(i * a.stage_bytes);
    }
};

template <Order ORDER, bool UP>
struct Fetcher {
    static constexpr int kSteps = kColumns<UP> / kStepColumns;
    static constexpr int kItems = kRows<UP> / (2 * kBlockRows);  // a tile

    const GroupedArgs& a;
    const StageRing ring;
    const int lane;
    const uint32_t rank = cluster_rank();
    const uint64_t weight_policy = a.read_once ? evict_first() : evict_normal();
    const uint64_t token_policy = evict_normal();

    __device__ void expect(const TokenTile& tile, int stage) const {
        if (lane == 0)
            barrier_expect(ring.full + 8 * stage,
                           static_cast<uint32_t>(kWeightBytes + tile.columns * 128));
        __syncwarp();
    }
    __device__ void fetch_weights(const TokenTile& tile, int item, int step, int stage) const {
        constexpr int kPieces = ORDER == Order::fragment ? 8 : 2;
        constexpr int kPieceRows = kBlockRows / kPieces;
        if (lane >= kPieces) return;
        const int row = (item * 2 + static_cast<int>(rank)) * kBlockRows + lane * kPieceRows;
        const Bf16* const from = a.weights +
                                 (int64_t{tile.expert} * kRows<UP> + row) * kColumns<UP> +
                                 step * kPieceRows * kStepColumns;
        bulk_load(ring.stage(a, stage) + lane * (kWeightBytes / kPieces), from,
                  kWeightBytes / kPieces, ring.full + 8 * stage, weight_policy);
    }
    __device__ void fetch_tokens(const TokenTile& tile, int step, int stage) const {
        if (lane != 8) return;
        const int half = tile.columns / 2, row = half * static_cast<int>(rank);
        const Bf16* const from = a.tokens + int64_t{tile.first} * kColumns<UP> +
                                 (step * tile.columns + row) * kStepColumns;
        bulk_load_to_all(ring.stage(a, stage) + kWeightBytes + row * 128, from,
                         static_cast<uint32_t>(half * 128), ring.full + 8 * stage, 3, token_policy);
    }

    __device__ void run() const {
        const int cluster = static_cast<int>(blockIdx.x) / 2,
                  clusters = static_cast<int>(gridDim.x) / 2;
        int early = 0;
        if (!UP) {
            // down's items are known since before up ran: its first weights need not wait for h.
            const int items = *a.num_tiles * kItems;
            if (cluster < items) {
                early = a.stages < kSteps ? a.stages : kSteps;
                const TokenTile tile = a.tiles[cluster / kItems];
                for (int step = 0; step < early; ++step) {
                    expect(tile, step);
                    fetch_weights(tile, cluster % kItems, step, step);
                }
            }
            wait_for_previous();
        }
        launch_next();
        const int items = *a.num_tiles * kItems;
        Turn turn{0, 1};
        for (int i = cluster; i < items; i += clusters) {
            const TokenTile tile = a.tiles[i / kItems];
            for (int step = 0; step < kSteps; ++step) {
                if (early > 0) {
                    --early;
                } else {
                    barrier_wait(ring.empty + 8 * turn.stage, turn.phase);
                    expect(tile, turn.stage);
                    fetch_weights(tile, i % kItems, step, turn.stage);
                }
                fetch_tokens(tile, step, turn.stage);
                turn.advance(a.stages);
            }
        }
    }
};

/// Frees a stage in both blocks: either may write the other's half of the tokens there.
__device__ inline void free_stage(const StageRing& ring, int stage, int lane) {
    if (lane < 2) barrier_arrive_at(ring.empty + 8 * stage, static_cast<uint32_t>(lane));
}

/// One step: 64 rows of this group times N tokens over 64 columns, left in flight.
template <Order ORDER, int N>
__device__ inline void multiply_step(float (&sum)[128], uint4 (&left)[4], uint32_t stage,
                                     uint32_t a_stage, int warp, int lane) {
    const uint64_t right = swizzled_matrix(stage + kWeightBytes);
    if constexpr (ORDER == Order::fragment) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            load_kept(left[i], stage + static_cast<uint32_t>(warp * 2048 + i * 512 + lane * 16),
                      a_stage);
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

/// Writes 16 ready rows of this warp times N tokens. A transposed 8 x 8 gives a lane two
/// neighbouring numbers of one token.
template <bool UP, int N>
__device__ inline void finish_tile(const GroupedArgs& a, const TokenTile& tile, int block, int warp,
                                   int lane, const float (&sum)[128]) {
    // Hidden from the compiler, which would otherwise keep every row's address in registers.
    asm volatile("" : "+r"(lane));
    const int g = lane / 4, t = lane % 4;
    if constexpr (UP) {
        // A block's 128 rows are 64 numbers of h: one block of columns of down's token tile.
        Bf16* const to = a.out + int64_t{tile.first} * kF + block * N * 64 + (warp ^ g) * 8 + 2 * t;
#pragma unroll
        for (int j = 0; j < N / 8; ++j) {
            const uint32_t h =
                transpose_8x8(gated(sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]));
            const int row = 8 * j + g;
            if (row < tile.count) *reinterpret_cast<uint32_t*>(to + row * 64) = h;
        }
    } else {
        Bf16* const to = a.out + block * kBlockRows + warp * 16 + 2 * t;
#pragma unroll
        for (int j = 0; j < N / 8; ++j) {
            const uint32_t upper = transpose_8x8(pack(sum[4 * j], sum[4 * j + 1]));
            const uint32_t lower = transpose_8x8(pack(sum[4 * j + 2], sum[4 * j + 3]));
            const int row = 8 * j + g;
            if (row < tile.count) {
                const int pair = a.slots[tile.first + row].pair;
                const float weight = a.pair_weights[pair];
                uint32_t* const line = reinterpret_cast<uint32_t*>(to + int64_t{pair} * kC);
                line[0] = pack(low_of(upper) * weight, high_of(upper) * weight);
                line[4] = pack(low_of(lower) * weight, high_of(lower) * weight);
            }
        }
    }
}

template <Order ORDER, bool UP, int N>
__device__ inline void multiply_tile(const GroupedArgs& a, const StageRing& ring, Turn& turn,
                                     const TokenTile& tile, int block, int warp, int lane,
                                     uint4 (&left)[2][4]) {
    constexpr int kSteps = kColumns<UP> / kStepColumns;
    float sum[128];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) sum[i] = 0.0f;
    int before = 0;
#pragma unroll 1
    for (int step = 0; step < kSteps; step += 2) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            barrier_wait(ring.full + 8 * turn.stage, turn.phase);
            multiply_step<ORDER, N>(sum, left[odd], ring.stage(a, turn.stage), a.stage_bytes, warp,
                                    lane);
            wgmma_wait<1>();
            if (odd || step > 0) free_stage(ring, before, lane);
            before = turn.stage;
            turn.advance(a.stages);
        }
    }
    wgmma_wait<0>();
    free_stage(ring, before, lane);
    finish_tile<UP, N>(a, tile, block, warp, lane, sum);
}

template <Order ORDER, bool UP>
__global__ void __launch_bounds__(kGroupedThreads, 1) grouped_product(GroupedArgs a) {
    extern __shared__ unsigned char shared[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const uint32_t aligned = (shared_address(shared) + 1023) & ~1023u;
    const uint32_t barriers = aligned + static_cast<uint32_t>(a.stages * a.stage_bytes);
    const StageRing ring{aligned, barriers, barriers + 8 * kMaxStages};
    if (threadIdx.x == 0) {
        for (int i = 0; i < a.stages; ++i) {
            barrier_init(ring.full + 8 * i, 1);
            barrier_init(ring.empty + 8 * i, 16);  // eight warps of both blocks
        }
        barrier_init_fence();
    }
    cluster_sync();

    if (warp >= 8) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (UP) wait_for_previous();
        if (warp == 8) Fetcher<ORDER, UP>{a, ring, lane}.run();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        wait_for_previous();
        constexpr int kItems = Fetcher<ORDER, UP>::kItems;
        const int items = *a.num_tiles * kItems, rank = static_cast<int>(cluster_rank());
        Turn turn{0, 0};
        uint4 left[2][4] = {};
        for (int i = static_cast<int>(blockIdx.x) / 2; i < items;
             i += static_cast<int>(gridDim.x) / 2) {
            const TokenTile tile = a.tiles[i / kItems];
            const int block = i % kItems * 2 + rank;
#define SAKER_CASE(N)                                                              \
    case N:                                                                        \
        multiply_tile<ORDER, UP, N>(a, ring, turn, tile, block, warp, lane, left); \
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
    launch_dependent(grouped_product<ORDER, UP>, blocks, kGroupedThreads,
                     1024 + kBarrierBytes + a.stages * a.stage_bytes, 2, stream, a);
}

}  // namespace saker::expert_layout
