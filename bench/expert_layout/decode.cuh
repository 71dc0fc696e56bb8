// Experts of 1 to 8 tokens, bound by reading the chosen experts once.
//
// up: a warp takes a strip of 16 ready rows whole, 64 KB that lie in one piece, through a ring of
// its own in shared memory, filled by bulk copies of 4 KB; it multiplies by mma.m16n8k16, the
// columns being the tokens that chose this expert, so up to 8 tokens cost what one does. No sum
// crosses a warp, and gate and up of one number meet in one lane. Columns without a token repeat
// the last one: columns do not mix, so what stands in them is nobody's concern.
//
// down: a block takes 16 rows of C for every chosen expert, so that the weighted sum over a token's
// experts happens in shared memory, in order, without atomics. Its warps share the experts by
// halves of their columns, 12 KB each. Which experts those are was known before up ran: the rings
// fill while up still works, and only then does the kernel wait for h.
//
// The right matrix wants, of 32 terms k, the pairs (k, k + 1) at k = 2t, 2t + 8, 2t + 16, 2t + 24
// in lane 4g + t. Vectors lie in that order ("lane order"), a multiplication's four registers as
// one load of 16 bytes; their rows are padded so that the rows of two tokens meet other banks.
//
// The rivals read the checkpoint's own rows with plain loads of 16 bytes and multiply on the
// ordinary units: a warp takes gate and up row of a number, or four rows of down.
#pragma once

#include "bench/expert_layout/format.cuh"
#include "bench/expert_layout/ptx.cuh"

namespace saker::expert_layout {

/// An expert that was chosen, and the pairs that chose it: `count` (at most 8) from `first`.
struct Choice {
    int expert, first, count;
};

struct DecodeArgs {
    const Bf16* weights;  // of one layer: fragment order, or the checkpoint's for the rivals
    const Bf16* in;       // up: x, [T, C]. down: h of the pairs, in lane order or plain
    const Choice* choices;
    const int* num_choices;
    const int* pairs;           // by expert
    const float* pair_weights;  // by pair
    Bf16* out;                  // up: h. down: [T, C]
    int num_tokens;
    int depth;  // pieces of a ring
};

constexpr int kMostDecodeTokens = 8;
constexpr int kPieceBytes = 4096, kPieceTiles = 8;  // 16 rows by 128 columns

/// Bytes of a vector of `length` in lane order, with its padding.
constexpr int vector_bytes(int length) {
    return length * 2 + 64;
}
/// Where number `i` of a vector lies in lane order.
__host__ __device__ constexpr int lane_order(int i) {
    return i / 32 * 32 + i % 8 / 2 * 8 + i % 32 / 8 * 2 + i % 2;
}
constexpr int decode_up_shared_bytes(int warps, int depth, int tokens) {
    return warps * depth * kPieceBytes + tokens * vector_bytes(kC) + warps * depth * 8;
}
/// Rings, h of all pairs, the two halves of their products, barriers.
constexpr int decode_down_shared_bytes(int warps, int depth, int tokens) {
    return warps * depth * kPieceBytes + tokens * kChosen * (vector_bytes(kF) + 2 * 16 * 4) +
           warps * depth * 8 + 16;
}

/// A warp's own ring. Lane 0 fetches; all lanes read a piece, then it is filled again.
struct WarpRing {
    uint32_t pieces, barriers;
    int depth, lane;
    int slot = 0;
    uint32_t phase = 0;

    __device__ void begin() {
        if (lane == 0) {
            for (int i = 0; i < depth; ++i) barrier_init(barriers + 8 * i, 1);
            barrier_init_fence();
        }
        __syncwarp();
    }
    __device__ void fetch(int to_slot, const Bf16* from) const {
        if (lane == 0) {
            barrier_expect(barriers + 8 * to_slot, kPieceBytes);
            bulk_load(pieces + static_cast<uint32_t>(to_slot * kPieceBytes), from, kPieceBytes,
                      barriers + 8 * to_slot, evict_first());
        }
    }
    /// The next piece's tiles, this lane's part.
    __device__ void take(uint4 (&tiles)[kPieceTiles]) {
        barrier_wait(barriers + 8 * slot, phase);
        const uint32_t at = pieces + static_cast<uint32_t>(slot * kPieceBytes + lane * 16);
#pragma unroll
        for (int i = 0; i < kPieceTiles; ++i) tiles[i] = load_shared(at + i * 512);
        __syncwarp();
    }
    __device__ void advance() {
        if (++slot == depth) {
            slot = 0;
            phase ^= 1;
        }
    }
};

/// Adds one piece's products: `vector` is this lane's place in its token's vector.
__device__ inline void add_piece(float (&sums)[4][4], const uint4 (&tiles)[kPieceTiles],
                                 uint32_t vector) {
#pragma unroll
    for (int i = 0; i < kPieceTiles / 2; ++i) {
        const uint4 right = load_shared(vector + i * 64);
        mma_16x8x16(sums[i % 2 * 2], tiles[2 * i], right.x, right.y);
        mma_16x8x16(sums[i % 2 * 2 + 1], tiles[2 * i + 1], right.z, right.w);
    }
}
__device__ inline float total(const float (&sums)[4][4], int i) {
    return (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]);
}

static __global__ void __launch_bounds__(384, 1) decode_up(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kStrips = kRows<true> / 16, kPieces = 16 * kC * 2 / kPieceBytes;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int warps = static_cast<int>(blockDim.x) / 32;
    const int g = lane / 4, t = lane % 4;
    const int ring_bytes = a.depth * kPieceBytes;
    unsigned char* const vectors = shared + warps * ring_bytes;
    WarpRing ring{shared_address(shared) + static_cast<uint32_t>(warp * ring_bytes),
                  shared_address(vectors + a.num_tokens * vector_bytes(kC)) +
                      static_cast<uint32_t>(warp * a.depth * 8),
                  a.depth, lane};
    ring.begin();
    wait_for_previous();  // x, and which experts
    launch_next();

    const int64_t strips = int64_t{*a.num_choices} * kStrips;
    const int end = static_cast<int>(strips * (blockIdx.x + 1) / gridDim.x);
    const int begin = static_cast<int>(strips * blockIdx.x / gridDim.x) + warp;
    const auto source = [&](int strip, int piece) {
        const Choice choice = a.choices[strip / kStrips];
        return a.weights + (int64_t{choice.expert} * kStrips + strip % kStrips) * 16 * kC +
               piece * (kPieceBytes / 2);
    };
    int ahead = begin, ahead_piece = 0;  // what is fetched next
    const auto fetch_ahead = [&](int slot) {
        if (ahead >= end) return;
        ring.fetch(slot, source(ahead, ahead_piece));
        if (++ahead_piece == kPieces) {
            ahead_piece = 0;
            ahead += warps;
        }
    };
    for (int i = 0; i < a.depth; ++i) fetch_ahead(i);

    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * kC / 8;
         i += static_cast<int>(blockDim.x)) {
        const int token = i / (kC / 8), at = i % (kC / 8) * 8;
        const uint4 x = *reinterpret_cast<const uint4*>(a.in + token * kC + at);
        uint32_t* const to =
            reinterpret_cast<uint32_t*>(vectors + token * vector_bytes(kC)) + lane_order(at) / 2;
        to[0] = x.x;
        to[4] = x.y;
        to[8] = x.z;
        to[12] = x.w;
    }
    __syncthreads();

    for (int strip = begin; strip < end; strip += warps) {
        const Choice choice = a.choices[strip / kStrips];
        const int token = a.pairs[choice.first + min(g, choice.count - 1)] / kChosen;
        uint32_t vector = shared_address(vectors + token * vector_bytes(kC)) + t * 16;
        float sums[4][4] = {};
        for (int piece = 0; piece < kPieces; ++piece) {
            uint4 tiles[kPieceTiles];
            ring.take(tiles);
            fetch_ahead(ring.slot);
            ring.advance();
            add_piece(sums, tiles, vector);
            vector += kPieceTiles / 2 * 64;
        }
        const uint32_t h = gated(total(sums, 0), total(sums, 1), total(sums, 2), total(sums, 3));
        const int f = lane_order(strip % kStrips * 8 + g);
        for (int i = 0; i < 2; ++i)
            if (2 * t + i < choice.count) {
                const int pair = a.pairs[choice.first + 2 * t + i];
                a.out[pair * (vector_bytes(kF) / 2) + f] = {static_cast<uint16_t>(h >> (16 * i))};
            }
    }
}

static __global__ void __launch_bounds__(384, 1) decode_down(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kPieces = 16 * kF / 2 * 2 / kPieceBytes;  // of half a strip
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int warps = static_cast<int>(blockDim.x) / 32;
    const int g = lane / 4, t = lane % 4;
    const int ring_bytes = a.depth * kPieceBytes, pairs = a.num_tokens * kChosen;
    unsigned char* const vectors = shared + warps * ring_bytes;
    float* const products = reinterpret_cast<float*>(vectors + pairs * vector_bytes(kF));
    const uint32_t barriers = shared_address(products + pairs * 2 * 16);
    WarpRing ring{shared_address(shared) + static_cast<uint32_t>(warp * ring_bytes),
                  barriers + 16 + static_cast<uint32_t>(warp * a.depth * 8), a.depth, lane};
    if (threadIdx.x == 0) barrier_init(barriers, 1);
    ring.begin();
    __syncthreads();

    const int halves = *a.num_choices * 2;
    int ahead = warp, ahead_piece = 0;
    const auto fetch_ahead = [&](int slot) {
        if (ahead >= halves) return;
        ring.fetch(slot, a.weights +
                             (int64_t{a.choices[ahead / 2].expert} * kC + blockIdx.x * 16) * kF +
                             (ahead % 2 * kPieces + ahead_piece) * (kPieceBytes / 2));
        if (++ahead_piece == kPieces) {
            ahead_piece = 0;
            ahead += warps;
        }
    };
    for (int i = 0; i < a.depth; ++i) fetch_ahead(i);

    wait_for_previous();
    launch_next();
    if (threadIdx.x == 0) {
        const uint32_t bytes = static_cast<uint32_t>(pairs * vector_bytes(kF));
        barrier_expect(barriers, bytes);
        bulk_load(shared_address(vectors), a.in, bytes, barriers, evict_normal());
    }
    barrier_wait(barriers, 0);

    for (int half = warp; half < halves; half += warps) {
        const Choice choice = a.choices[half / 2];
        const int pair = a.pairs[choice.first + min(g, choice.count - 1)];
        uint32_t vector =
            shared_address(vectors + pair * vector_bytes(kF)) + half % 2 * kF + t * 16;
        float sums[4][4] = {};
        for (int piece = 0; piece < kPieces; ++piece) {
            uint4 tiles[kPieceTiles];
            ring.take(tiles);
            fetch_ahead(ring.slot);
            ring.advance();
            add_piece(sums, tiles, vector);
            vector += kPieceTiles / 2 * 64;
        }
        for (int i = 0; i < 2; ++i)
            if (2 * t + i < choice.count) {
                float* const to =
                    products + (a.pairs[choice.first + 2 * t + i] * 2 + half % 2) * 16 + g;
                to[0] = total(sums, i);
                to[8] = total(sums, 2 + i);
            }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * 16;
         i += static_cast<int>(blockDim.x)) {
        const int token = i / 16, row = i % 16;
        float sum = 0;
        for (int j = 0; j < kChosen; ++j) {
            const int pair = token * kChosen + j;
            const float y =
                widen(narrow(products[pair * 32 + row] + products[pair * 32 + 16 + row]));
            sum += widen(narrow(y * a.pair_weights[pair]));
        }
        a.out[token * kC + blockIdx.x * 16 + row] = narrow(sum);
    }
}

// The rivals.

/// Adds eight products in f32.
__device__ inline void add_products(float& sum, const uint4& a, const uint4& b) {
    const uint32_t x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        sum = fmaf(low_of(x[i]), low_of(y[i]), sum);
        sum = fmaf(high_of(x[i]), high_of(y[i]), sum);
    }
}
__device__ inline float over_warp(float x) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xFFFFFFFFu, x, distance);
    return x;
}
constexpr int rows_up_shared_bytes(int tokens) {
    return tokens * kC * 2;
}
constexpr int rows_down_shared_bytes(int tokens) {
    return tokens * kChosen * (kF * 2 + 16 * 4);
}

static __global__ void __launch_bounds__(256, 2) rows_up(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    wait_for_previous();
    launch_next();
    const int64_t numbers = int64_t{*a.num_choices} * kF;
    const int end = static_cast<int>(numbers * (blockIdx.x + 1) / gridDim.x);
    const int begin = static_cast<int>(numbers * blockIdx.x / gridDim.x) + warp;
    uint4 gate[8], up[8];
    const auto load = [&](int i) {
        const Bf16* const row =
            a.weights + (int64_t{a.choices[i / kF].expert} * 2 * kF + i % kF) * kC + lane * 8;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            gate[j] = load_once(row + j * 256);
            up[j] = load_once(row + int64_t{kF} * kC + j * 256);
        }
    };
    if (begin < end) load(begin);
    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * kC / 8; i += 256)
        reinterpret_cast<uint4*>(shared)[i] = reinterpret_cast<const uint4*>(a.in)[i];
    __syncthreads();
    for (int i = begin; i < end; i += 8) {
        if (i != begin) load(i);
        const Choice choice = a.choices[i / kF];
        for (int j = 0; j < choice.count; ++j) {
            const int pair = a.pairs[choice.first + j];
            const uint32_t x = shared_address(shared) + pair / kChosen * (kC * 2) + lane * 16;
            float gate_sum = 0, up_sum = 0;
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                const uint4 part = load_shared(x + k * 512);
                add_products(gate_sum, gate[k], part);
                add_products(up_sum, up[k], part);
            }
            const uint32_t h = gated(over_warp(gate_sum), 0, over_warp(up_sum), 0);
            if (lane == 0) a.out[pair * kF + i % kF] = {static_cast<uint16_t>(h)};
        }
    }
}

static __global__ void __launch_bounds__(512, 1) rows_down(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int threads = static_cast<int>(blockDim.x);
    const int pairs = a.num_tokens * kChosen;
    float* const products = reinterpret_cast<float*>(shared + pairs * kF * 2);
    uint4 rows[4][3];
    const auto load = [&](int i) {  // four rows of expert i / 4
        const Bf16* const from =
            a.weights + (int64_t{a.choices[i / 4].expert} * kC + blockIdx.x * 16 + i % 4 * 4) * kF +
            lane * 8;
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int k = 0; k < 3; ++k) rows[r][k] = load_once(from + r * kF + k * 256);
    };
    const int fours = *a.num_choices * 4;
    if (warp < fours) load(warp);
    wait_for_previous();
    launch_next();
    for (int i = static_cast<int>(threadIdx.x); i < pairs * kF / 8; i += threads)
        reinterpret_cast<uint4*>(shared)[i] = reinterpret_cast<const uint4*>(a.in)[i];
    __syncthreads();
    for (int i = warp; i < fours; i += threads / 32) {
        if (i != warp) load(i);
        const Choice choice = a.choices[i / 4];
        for (int j = 0; j < choice.count; ++j) {
            const int pair = a.pairs[choice.first + j];
            const uint32_t h = shared_address(shared) + pair * (kF * 2) + lane * 16;
            float sums[4] = {};
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                const uint4 part = load_shared(h + k * 512);
#pragma unroll
                for (int r = 0; r < 4; ++r) add_products(sums[r], rows[r][k], part);
            }
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const float sum = over_warp(sums[r]);
                if (lane == 0) products[pair * 16 + i % 4 * 4 + r] = sum;
            }
        }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * 16; i += threads) {
        const int token = i / 16, row = i % 16;
        float sum = 0;
        for (int j = 0; j < kChosen; ++j) {
            const int pair = token * kChosen + j;
            const float y = widen(narrow(products[pair * 16 + row]));
            sum += widen(narrow(y * a.pair_weights[pair]));
        }
        a.out[token * kC + blockIdx.x * 16 + row] = narrow(sum);
    }
}

}  // namespace saker::expert_layout
