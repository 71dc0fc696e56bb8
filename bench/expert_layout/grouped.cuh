// Experts of 4 to 16,384 tokens: a grouped product whose left matrix is an expert's weights and
// whose columns are the tokens that chose it, a multiple of 16 up to 256 a tile. Weights as the
// left matrix let a tile be as narrow as the tokens are few: wgmma has 64 rows at least but any
// number of columns.
//
// A work item is 256 or 512 ready rows of one expert times one tile of tokens, for a cluster of two
// blocks: each takes half of the rows, and both share the tokens, of which each fetches half for
// both. In a block one warp fetches, 64 columns of the sum at a time, into a ring of stages; two
// groups of four warps multiply 64 rows each, once or twice. The groups meet nowhere but at the
// ring, so one may finish a tile while the other multiplies. Blocks stay for all their items, so
// the ring never drains between experts.
//
// The left matrix comes from shared memory in either order: `fragment`, by one 16-byte load a
// thread into the registers that wgmma reads, or `swizzled`, read there by wgmma itself. All else
// is the same code, so that their difference is the order's.
//
// The tokens come as "token tiles": for each tile, blocks of 64 columns of its rows in the 128-byte
// swizzle. gather makes them of x, and the up product writes h in that form. The down product
// writes each slot's row; combine weighs eight of them and adds them up.
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

/// Which part of which tile is item `i`.
struct Item {
    TokenTile tile;
    int part;  // of the rows: 2 x 128 x height each
};
template <bool UP>
struct Items {
    static constexpr int kParts = kRows<UP> / (2 * kBlockRows);  // of height 1

    const TokenTile* tiles;
    int wide, middle, all;  // items that end each kind
    __device__ explicit Items(const GroupedArgs& a) : tiles(a.tiles) {
        wide = a.num_tiles[0] * kParts;
        middle = wide + a.num_tiles[1] * (kParts / 2);
        all = middle + a.num_tiles[2] * kParts;
    }
    __device__ Item at(int i) const {
        if (i < wide) return {tiles[i / kParts], i % kParts};
        const int tiles_before = wide / kParts, j = i - wide;
        if (i < middle) return {tiles[tiles_before + j / (kParts / 2)], j % (kParts / 2)};
        const int k = i - middle;
        return {tiles[tiles_before + (middle - wide) / (kParts / 2) + k / kParts], k % kParts};
    }
};

template <bool UP>
struct Fetcher {
    static constexpr int kSteps = kColumns<UP> / kStepColumns;
    const GroupedArgs& a;
    StageRing ring;
    const int lane;
    const uint32_t rank = cluster_rank();
    const uint64_t weight_policy = a.read_once ? evict_first() : evict_normal();
    const uint64_t token_policy = evict_normal();

    /// Where this lane's copies of an item begin: lane 0 and up the weights', the last lane the
    /// tokens'.
    struct Source {
        const Bf16* from;
        uint32_t bytes, at;  // of a copy; in the stage
        int step;            // numbers from one copy to the next
    };
    __device__ Source source_of(const Item& item) const {
        const TokenTile& tile = item.tile;
        const int together = a.weights.together(), strip = lane * together;
        const int strips = tile.height * (kBlockRows / 16);  // a block
        if (strip < strips)
            return {
                a.weights.strip_at(tile.expert, kRows<UP>, kColumns<UP>,
                                   (item.part * 2 + static_cast<int>(rank)) * strips + strip, 0),
                static_cast<uint32_t>(together * kStripNumbers * 2),
                static_cast<uint32_t>(strip * kStripNumbers * 2), together * kStripNumbers};
        const int half = tile.columns / 2, row = half * static_cast<int>(rank);
        return {a.tokens + int64_t{tile.first} * kColumns<UP> + row * kStepColumns,
                static_cast<uint32_t>(half * 128),
                static_cast<uint32_t>(tile.height * kWeightBytes + row * 128),
                tile.columns * kStepColumns};
    }
    __device__ void fetch_weights(const TokenTile& tile, const Source& source, int step) const {
        const uint32_t barrier = ring.full_of(ring.next);
        if (lane == 0)
            barrier_expect(barrier,
                           static_cast<uint32_t>(tile.height * kWeightBytes + tile.columns * 128));
        __syncwarp();
        if (lane * a.weights.together() < tile.height * (kBlockRows / 16))
            bulk_load(ring.stage(ring.next) + source.at, source.from + step * source.step,
                      source.bytes, barrier, weight_policy);
    }
    __device__ void fetch_tokens(const Source& source, int step) const {
        if (lane == 31)
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
            const Items<UP> items(a);
            if (cluster < items.all) {
                const Item item = items.at(cluster);
                ring.shape(item.tile);
                early = min(item.tile.stages, kSteps);
                const Source source = source_of(item);
                for (; ring.next < early; ++ring.next) fetch_weights(item.tile, source, ring.next);
                ring.next = 0;
            }
            wait_for_previous();
        }
        launch_next();
        const Items<UP> items(a);
        for (int i = cluster; i < items.all; i += clusters) {
            const Item item = items.at(i);
            if (!ring.fits(item.tile)) {
                drain();
                ring.shape(item.tile);
            }
            const Source source = source_of(item);
            for (int step = 0; step < kSteps; ++step) {
                if (early > 0) {
                    --early;
                } else {
                    barrier_wait(ring.empty_of(ring.next), ring.parity_of(ring.next));
                    fetch_weights(item.tile, source, step);
                }
                fetch_tokens(source, step);
                ring.advance();
            }
        }
    }
};

/// Frees a stage in both blocks: either may write the other's half of the tokens there.
__device__ inline void free_stage(uint32_t barrier, int lane, uint32_t other) {
    __syncwarp();
    if (lane == 0) barrier_arrive(barrier);
    if (lane == 1) barrier_arrive_at(barrier, other);
}

/// One step of 64 rows: their 64 columns, from `rows` in shared memory, times N tokens; left in
/// flight.
template <Order ORDER, int N>
__device__ inline void multiply_step(float (&sum)[128], uint4 (&left)[4], uint32_t rows,
                                     uint64_t right, int warp, int lane, int always) {
    if constexpr (ORDER == Order::fragment) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            load_kept(left[i], rows + static_cast<uint32_t>(warp % 4 * 2048 + i * 512 + lane * 16),
                      static_cast<uint32_t>(always));
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; ++i) Wgmma<N>::run(sum, left[i], right + i * kNext16Columns);
    } else {
        const uint64_t matrix = swizzled_matrix(rows);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; ++i)
            Wgmma<N>::run(sum, matrix + i * kNext16Columns, right + i * kNext16Columns);
    }
    wgmma_commit();
}

/// Writes a strip of ready rows times N tokens: 8 numbers of h, of 64 that are a block of columns
/// of down's token tile. A transposed 8 x 8 gives a lane two neighbouring numbers of one token;
/// lanes then swap, so that each has four.
template <int N>
__device__ inline void write_h(const GroupedArgs& a, const TokenTile& tile, int strip, int lane,
                               const float (&sum)[128]) {
    // Hidden from the compiler, which would otherwise keep every row's address in registers.
    asm volatile("" : "+r"(lane));
    const int g = lane / 4, t = lane % 4, odd = t % 2;
    Bf16* const to =
        a.out + int64_t{tile.first} * kF + strip / 8 * N * 64 + ((strip % 8) ^ g) * 8 + t / 2 * 4;
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

/// The same for down: 16 channels of the slots' rows. The router's weights come in combine.
template <int N>
__device__ inline void write_rows(const GroupedArgs& a, const TokenTile& tile, int strip, int lane,
                                  const float (&sum)[128]) {
    asm volatile("" : "+r"(lane));
    const int g = lane / 4, t = lane % 4, odd = t % 2;
    // After the swap an even lane has four of the first eight channels, an odd one of the others.
    Bf16* const to = a.out + int64_t{tile.first + g} * kC + strip * 16 + odd * 8 + t / 2 * 4;
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
        const float* const s = sum + 4 * j;
        const uint32_t upper = transpose_8x8(pack(s[0], s[1]));
        const uint32_t lower = transpose_8x8(pack(s[2], s[3]));
        const uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, odd ? upper : lower, 1);
        if (8 * j + g < tile.count)
            *reinterpret_cast<uint2*>(to + j * 8 * kC) =
                odd ? make_uint2(other, lower) : make_uint2(upper, other);
    }
}

template <Order ORDER, bool UP, int N>
__device__ inline void multiply_tile(const GroupedArgs& a, StageRing& ring, const Item& item,
                                     int rank, int warp, int lane, uint4 (&left)[2][4]) {
    constexpr int kSteps = kColumns<UP> / kStepColumns, kHeight = height_of(N);
    float sum[kHeight][128];
#pragma unroll
    for (int h = 0; h < kHeight; ++h)
#pragma unroll
        for (int i = 0; i < N / 2; ++i) sum[h][i] = 0.0f;
    uint32_t before = 0;  // the barrier of the step in flight
    // Two products at a time, of two steps or of two heights: one is in flight while the next one's
    // left matrix is loaded.
#pragma unroll 1
    for (int step = 0; step < kSteps; step += 2 / kHeight) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int h = kHeight == 2 ? i : 0;
            if (h == 0) barrier_wait(ring.full_of(ring.next), ring.parity_of(ring.next));
            const uint32_t stage = ring.stage(ring.next);
            multiply_step<ORDER, N>(
                sum[h], left[i], stage + static_cast<uint32_t>((warp / 4 * kHeight + h) * 8192),
                swizzled_matrix(stage + kHeight * kWeightBytes), warp, lane, a.always);
            wgmma_wait<1>();
            if (h == 0 && step + i > 0) free_stage(before, lane, static_cast<uint32_t>(rank ^ 1));
            if (h == kHeight - 1) {
                before = ring.empty_of(ring.next);
                ring.advance();
            }
        }
    }
    wgmma_wait<0>();
    free_stage(before, lane, static_cast<uint32_t>(rank ^ 1));
#pragma unroll
    for (int h = 0; h < kHeight; ++h) {
        const int strip = (item.part * 2 + rank) * kHeight * (kBlockRows / 16) +
                          (warp / 4 * kHeight + h) * 4 + warp % 4;
        if constexpr (UP)
            write_h<N>(a, item.tile, strip, lane, sum[h]);
        else
            write_rows<N>(a, item.tile, strip, lane, sum[h]);
    }
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
        const Items<UP> items(a);
        const int rank = static_cast<int>(cluster_rank());
        uint4 left[2][4] = {};
        for (int i = static_cast<int>(blockIdx.x) / 2; i < items.all;
             i += static_cast<int>(gridDim.x) / 2) {
            const Item item = items.at(i);
            if (!ring.fits(item.tile)) ring.shape(item.tile);
#define SAKER_CASE(N)                                                       \
    case N:                                                                 \
        multiply_tile<ORDER, UP, N>(a, ring, item, rank, warp, lane, left); \
        break;
            switch (item.tile.columns) {
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
