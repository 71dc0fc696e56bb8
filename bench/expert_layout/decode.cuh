// Experts of 1 to 8 tokens, bound by reading the chosen experts once.
//
// up: a block takes 32 ready rows at a time, its eight warps a quarter of a thousand columns each,
// through rings of their own in shared memory, filled by bulk copies of 4 KB (two strips of 64
// columns); they multiply by mma.m16n8k16, the columns being the tokens that chose this expert, so
// up to 8 tokens cost what one does. Columns without a token repeat the last one: columns do not
// mix, so what stands in them is nobody's concern. The eight parts of a sum meet in shared memory
// while the rings fill on: every warp works until the last byte, and the block reads 128 KB that
// lie close together, which memory likes better than as many warps at places of their own.
//
// down: a block takes 16 rows of C for every chosen expert, so that the weighted sum over a token's
// experts happens in shared memory, in order, without atomics. Its twelve warps share the experts
// by thirds of their columns, 8 KB each. Which experts those are was known before up ran: the rings
// fill while up still works, and only then does the kernel wait for h.
//
// A block of each may share a multiprocessor, but two of up must not: with dependent launch the
// blocks of the next kernel are placed as the present ones end, two would come to lie where one
// ended first, and other multiprocessors would stand idle (measured: 85 us instead of 67). So up
// asks for more than half of the shared memory.
//
// The right matrix wants, of 32 terms k, the pairs (k, k + 1) at k = 2t, 2t + 8, 2t + 16, 2t + 24
// in lane 4g + t. Vectors lie in that order ("lane order"), a multiplication's four registers as
// one load of 16 bytes; their rows are padded so that the rows of two tokens meet other banks.
#pragma once

#include "bench/expert_layout/format.cuh"
#include "bench/expert_layout/ptx.cuh"

namespace saker::expert_layout {

/// An expert that was chosen, and the pairs that chose it: `count` (at most 8) from `first`.
struct Choice {
    int expert, first, count;
};

/// What the router of the next step will have written, to be in L2 by then as it would be.
struct NextChoices {
    const Choice* choices;
    const int *num_choices, *pairs;
    const float* pair_weights;

    __device__ void fetch() const {
        const int line = static_cast<int>(threadIdx.x) * 128;
        if (blockIdx.x > 0 || line >= 768) return;
        prefetch_line(reinterpret_cast<const char*>(choices) + line);
        if (line >= 256) return;
        prefetch_line(reinterpret_cast<const char*>(pairs) + line);
        prefetch_line(reinterpret_cast<const char*>(pair_weights) + line);
        if (line == 0) prefetch_line(num_choices);
    }
};

struct DecodeArgs {
    Ready weights;
    const Bf16* rows;  // the checkpoint's, for rows.cuh
    const Bf16* in;    // up: x, [T, C]. down: h of the pairs, in lane order; plain for rows.cuh
    const Choice* choices;
    const int* num_choices;
    const int* pairs;           // by expert
    const float* pair_weights;  // by pair
    Bf16* out;                  // up: h. down: [T, C]
    int num_tokens;
    int depth;  // pieces of a ring
    NextChoices next;
};

constexpr int kMostDecodeTokens = 8;
constexpr int kUpWarps = 8, kDownWarps = 12;
constexpr int kUpTiles = 8, kDownTiles = 4;  // of 512 bytes, a piece

/// Bytes of a vector of `length` in lane order, with its padding.
constexpr int vector_bytes(int length) {
    return length * 2 + 64;
}
/// Where number `i` of a vector lies in lane order.
__host__ __device__ constexpr int lane_order(int i) {
    return i / 32 * 32 + i % 8 / 2 * 8 + i % 32 / 8 * 2 + i % 2;
}
constexpr int kPartBytes = kUpWarps * 2 * 512;  // every warp's sums of two strips

constexpr int decode_up_shared_bytes(int depth, int tokens) {
    const int bytes =
        kUpWarps * depth * (kUpTiles * 512 + 8) + kPartBytes + tokens * vector_bytes(kC);
    return bytes > 115840 ? bytes : 115840;  // more than half of a multiprocessor's
}
/// Rings, h of all pairs, three parts of their products, barriers.
constexpr int decode_down_shared_bytes(int depth, int tokens) {
    return kDownWarps * depth * (kDownTiles * 512 + 8) +
           tokens * kChosen * (vector_bytes(kF) + 3 * 16 * 4) + 16;
}

/// A warp's own ring of pieces of TILES tiles. Lane 0 fetches; all lanes read a piece, then it is
/// filled again.
template <int TILES>
struct WarpRing {
    static constexpr int kBytes = TILES * 512;

    uint32_t pieces, barriers;
    int depth, lane;
    int slot = 0;
    uint32_t phase = 0;
    uint64_t policy = evict_first();

    __device__ void begin() {
        if (lane == 0) {
            for (int i = 0; i < depth; ++i) barrier_init(barriers + 8 * i, 1);
            barrier_init_fence();
        }
        __syncwarp();
    }
    __device__ void fetch(int to_slot, const Bf16* from) const {
        if (lane == 0) {
            barrier_expect(barriers + 8 * to_slot, kBytes);
            bulk_load(pieces + static_cast<uint32_t>(to_slot * kBytes), from, kBytes,
                      barriers + 8 * to_slot, policy);
        }
    }
    /// A piece of two halves.
    __device__ void fetch_two(int to_slot, const Bf16* first, const Bf16* second) const {
        if (lane == 0) {
            const uint32_t to = pieces + static_cast<uint32_t>(to_slot * kBytes);
            barrier_expect(barriers + 8 * to_slot, kBytes);
            bulk_load(to, first, kBytes / 2, barriers + 8 * to_slot, policy);
            bulk_load(to + kBytes / 2, second, kBytes / 2, barriers + 8 * to_slot, policy);
        }
    }
    /// The next piece's tiles, this lane's part.
    __device__ void take(uint4 (&tiles)[TILES]) {
        barrier_wait(barriers + 8 * slot, phase);
        const uint32_t at = pieces + static_cast<uint32_t>(slot * kBytes + lane * 16);
#pragma unroll
        for (int i = 0; i < TILES; ++i) tiles[i] = load_shared(at + i * 512);
        __syncwarp();
    }
    __device__ void advance() {
        if (++slot == depth) {
            slot = 0;
            phase ^= 1;
        }
    }
};

/// Adds the products of a strip's four tiles, in two sums that do not wait for each other.
__device__ inline void add_strip(float (&sums)[2][4], const uint4* tiles, const uint4& right0,
                                 const uint4& right1) {
    mma_16x8x16(sums[0], tiles[0], right0.x, right0.y);
    mma_16x8x16(sums[1], tiles[1], right0.z, right0.w);
    mma_16x8x16(sums[0], tiles[2], right1.x, right1.y);
    mma_16x8x16(sums[1], tiles[3], right1.z, right1.w);
}

static __global__ void __launch_bounds__(kUpWarps * 32, 1) decode_up(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kPairs = kRows<true> / 32;                 // pairs of strips an expert
    constexpr int kPieces = kColumns<true> / 64 / kUpWarps;  // a pair of strips and warp
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int g = lane / 4, t = lane % 4;
    const int ring_bytes = a.depth * kUpTiles * 512;
    float4* const parts = reinterpret_cast<float4*>(shared + kUpWarps * ring_bytes);
    unsigned char* const vectors = shared + kUpWarps * ring_bytes + kPartBytes;
    WarpRing<kUpTiles> ring{shared_address(shared) + static_cast<uint32_t>(warp * ring_bytes),
                            shared_address(vectors + a.num_tokens * vector_bytes(kC)) +
                                static_cast<uint32_t>(warp * a.depth * 8),
                            a.depth, lane};
    ring.begin();
    wait_for_previous();  // x, and which experts
    launch_next();

    const int num_choices = a.num_tokens == 1 ? kChosen : *a.num_choices;
    const int64_t units = int64_t{num_choices} * kPairs;
    const int end = static_cast<int>(units * (blockIdx.x + 1) / gridDim.x);
    const int begin = static_cast<int>(units * blockIdx.x / gridDim.x);
    int ahead = begin, ahead_piece = 0;  // what is fetched next
    const auto fetch_ahead = [&](int slot) {
        if (ahead >= end) return;
        ring.fetch(slot, a.weights.strip_at(a.choices[ahead / kPairs].expert, kRows<true>, kC,
                                            ahead % kPairs * 2, warp * kPieces + ahead_piece));
        if (++ahead_piece == kPieces) {
            ahead_piece = 0;
            ++ahead;
        }
    };
    for (int i = 0; i < a.depth; ++i) fetch_ahead(i);

    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * kC / 8; i += kUpWarps * 32) {
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

    for (int unit = begin; unit < end; ++unit) {
        const Choice choice = a.choices[unit / kPairs];
        const int token = a.pairs[choice.first + min(g, choice.count - 1)] / kChosen;
        uint32_t vector = shared_address(vectors + token * vector_bytes(kC)) +
                          warp * (kC / kUpWarps * 2) + t * 16;
        float sums[2][2][4] = {};
#pragma unroll
        for (int piece = 0; piece < kPieces; ++piece) {
            uint4 tiles[kUpTiles];
            ring.take(tiles);
            fetch_ahead(ring.slot);
            ring.advance();
            const uint4 right0 = load_shared(vector), right1 = load_shared(vector + 64);
            add_strip(sums[0], tiles, right0, right1);
            add_strip(sums[1], tiles + 4, right0, right1);
            vector += 128;
        }
        __syncthreads();  // the parts before these have been added
#pragma unroll
        for (int strip = 0; strip < 2; ++strip) {
            const float(&s)[2][4] = sums[strip];
            parts[(warp * 2 + strip) * 32 + lane] = make_float4(
                s[0][0] + s[1][0], s[0][1] + s[1][1], s[0][2] + s[1][2], s[0][3] + s[1][3]);
        }
        __syncthreads();
        const int column = static_cast<int>(threadIdx.x) / 16,
                  f = static_cast<int>(threadIdx.x) % 16;
        if (column < choice.count) {  // 16 numbers of h for each token
            const float* const part =
                reinterpret_cast<const float*>(parts + f / 8 * 32 + f % 8 * 4 + column / 2) +
                column % 2;
            float gate = 0, up = 0;
#pragma unroll
            for (int w = 0; w < kUpWarps; ++w) {
                gate += part[w * 256];
                up += part[w * 256 + 2];
            }
            const int pair = a.pairs[choice.first + column];
            a.out[pair * (vector_bytes(kF) / 2) + lane_order(unit % kPairs * 16 + f)] = {
                static_cast<uint16_t>(gated(gate, 0, up, 0))};
        }
    }
}

static __global__ void __launch_bounds__(kDownWarps * 32, 1) decode_down(DecodeArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kParts = 3, kPieces = kF / 64 / kParts;  // of a strip; of a part
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int g = lane / 4, t = lane % 4;
    const int ring_bytes = a.depth * kDownTiles * 512, pairs = a.num_tokens * kChosen;
    unsigned char* const vectors = shared + kDownWarps * ring_bytes;
    float* const products = reinterpret_cast<float*>(vectors + pairs * vector_bytes(kF));
    const uint32_t barriers = shared_address(products + pairs * kParts * 16);
    WarpRing<kDownTiles> ring{shared_address(shared) + static_cast<uint32_t>(warp * ring_bytes),
                              barriers + 16 + static_cast<uint32_t>(warp * a.depth * 8), a.depth,
                              lane};
    if (threadIdx.x == 0) barrier_init(barriers, 1);
    ring.begin();
    __syncthreads();

    const int parts = (a.num_tokens == 1 ? kChosen : *a.num_choices) * kParts;
    int ahead = warp, ahead_piece = 0;
    const auto fetch_ahead = [&](int slot) {
        if (ahead >= parts) return;
        ring.fetch(slot, a.weights.strip_at(a.choices[ahead / kParts].expert, kC, kF,
                                            static_cast<int>(blockIdx.x),
                                            ahead % kParts * kPieces + ahead_piece));
        if (++ahead_piece == kPieces) {
            ahead_piece = 0;
            ahead += kDownWarps;
        }
    };
    for (int i = 0; i < a.depth; ++i) fetch_ahead(i);
    wait_for_previous();
    launch_next();
    a.next.fetch();
    if (threadIdx.x == 0) {
        const uint32_t bytes = static_cast<uint32_t>(pairs * vector_bytes(kF));
        barrier_expect(barriers, bytes);
        bulk_load(shared_address(vectors), a.in, bytes, barriers, evict_normal());
    }
    barrier_wait(barriers, 0);

    for (int part = warp; part < parts; part += kDownWarps) {
        const Choice choice = a.choices[part / kParts];
        const int pair = a.pairs[choice.first + min(g, choice.count - 1)];
        uint32_t vector = shared_address(vectors + pair * vector_bytes(kF)) +
                          part % kParts * (kF / kParts * 2) + t * 16;
        float sums[2][4] = {};
#pragma unroll
        for (int piece = 0; piece < kPieces; ++piece) {
            uint4 tiles[kDownTiles];
            ring.take(tiles);
            fetch_ahead(ring.slot);
            ring.advance();
            add_strip(sums, tiles, load_shared(vector), load_shared(vector + 64));
            vector += 128;
        }
        for (int i = 0; i < 2; ++i)
            if (2 * t + i < choice.count) {
                float* const to =
                    products + (a.pairs[choice.first + 2 * t + i] * kParts + part % kParts) * 16 +
                    g;
                to[0] = sums[0][i] + sums[1][i];
                to[8] = sums[0][2 + i] + sums[1][2 + i];
            }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * 16; i += kDownWarps * 32) {
        const int token = i / 16, row = i % 16;
        float sum = 0;
        for (int j = 0; j < kChosen; ++j) {
            const int pair = token * kChosen + j;
            const float* const part = products + pair * kParts * 16 + row;
            const float y = widen(narrow(part[0] + part[16] + part[32]));
            sum += widen(narrow(y * a.pair_weights[pair]));
        }
        a.out[token * kC + blockIdx.x * 16 + row] = narrow(sum);
    }
}

// Both in one: no boundary between up and down.
//
// A block takes units of up in turn, experts in order, then its 16 rows of down, experts in order;
// one ring a warp runs through both, so that memory never waits for the hand-over: while the last
// numbers of h are on their way, down works on the first experts, whose h has long been there. Each
// number of h crosses as a word that also says that it is there (its upper half the number, its
// lower half 1), so nothing has to be fenced, counted or signalled: who needs it reads until it is
// there. The words of the step before are cleared meanwhile, in a buffer of their own. All blocks
// must be running at once: at most one a multiprocessor.

struct DecodeBothArgs {
    Ready up, down;
    const Bf16* x;
    const Choice* choices;
    const int* num_choices;
    const int* pairs;
    const float* pair_weights;
    uint32_t *h, *clear;  // words of h, a row of F in lane order a pair; the other step's
    Bf16* out;
    int num_tokens, depth;
    NextChoices next;
    long long* trace;  // null, or 8 times of each block
};

constexpr int decode_both_shared_bytes(int depth, int tokens) {
    const int bytes = kUpWarps * depth * (kUpTiles * 512 + 8) + kPartBytes +
                      tokens * (vector_bytes(kC) + kChosen * (2 * 16 + 1) * 4);
    return bytes > 115840 ? bytes : 115840;
}

__device__ inline long long now_ns() {
    long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}
__device__ inline uint4 load_relaxed(const uint32_t* from) {
    uint4 v;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from)
                 : "memory");
    return v;
}
__device__ inline void store_relaxed(uint32_t* to, uint32_t v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}

/// A lane's numbers of h for half an expert, 12 times 8, as words that say whether they are there.
struct HalfOfH {
    uint4 words[24];

    __device__ void load(const uint32_t* from) {
#pragma unroll
        for (int i = 0; i < 12; ++i) {
            words[2 * i] = load_relaxed(from + i * 32);
            words[2 * i + 1] = load_relaxed(from + i * 32 + 4);
        }
    }
    __device__ bool is_there() const {
        uint32_t all = 1;
#pragma unroll
        for (int i = 0; i < 24; ++i) all &= words[i].x & words[i].y & words[i].z & words[i].w;
        return all;
    }
    /// The registers of two multiplications.
    __device__ uint4 numbers(int i) const {
        const uint4 &low = words[2 * i], &high = words[2 * i + 1];
        return make_uint4(__byte_perm(low.x, low.y, 0x7632), __byte_perm(low.z, low.w, 0x7632),
                          __byte_perm(high.x, high.y, 0x7632), __byte_perm(high.z, high.w, 0x7632));
    }
};

static __global__ void __launch_bounds__(kUpWarps * 32, 1) decode_both(DecodeBothArgs a) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kPairs = kRows<true> / 32, kPieces = kColumns<true> / 64 / kUpWarps;
    constexpr int kHalfPieces = kF / 64 / 2 / 2;  // two blocks of 64 columns a piece of down
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int g = lane / 4, t = lane % 4, block = static_cast<int>(blockIdx.x);
    const int ring_bytes = a.depth * kUpTiles * 512;
    float4* const parts = reinterpret_cast<float4*>(shared + kUpWarps * ring_bytes);
    unsigned char* const vectors = shared + kUpWarps * ring_bytes + kPartBytes;
    float* const products = reinterpret_cast<float*>(vectors + a.num_tokens * vector_bytes(kC));
    float* const weights = products + a.num_tokens * kChosen * 2 * 16;
    WarpRing<kUpTiles> ring{shared_address(shared) + static_cast<uint32_t>(warp * ring_bytes),
                            shared_address(weights + a.num_tokens * kChosen) +
                                static_cast<uint32_t>(warp * a.depth * 8),
                            a.depth, lane};
    const auto mark = [&](int i) {
        if (a.trace && threadIdx.x == 0) a.trace[block * 8 + i] = now_ns();
    };
    mark(0);
    ring.begin();
    wait_for_previous();
    launch_next();
    mark(1);
    a.next.fetch();

    const int num_choices = a.num_tokens == 1 ? kChosen : *a.num_choices;
    const int units = num_choices * kPairs, halves = num_choices * 2;
    const bool has_rows = block < kC / 16;
    int ahead = block, ahead_half = has_rows ? warp : halves, ahead_piece = 0;
    const auto fetch_ahead = [&](int slot) {
        if (ahead < units) {
            ring.fetch(slot, a.up.strip_at(a.choices[ahead / kPairs].expert, kRows<true>, kC,
                                           ahead % kPairs * 2, warp * kPieces + ahead_piece));
            if (++ahead_piece == kPieces) {
                ahead_piece = 0;
                ahead += static_cast<int>(gridDim.x);
            }
        } else if (ahead_half < halves) {
            const int expert = a.choices[ahead_half / 2].expert;
            const int column = (ahead_half % 2 * kHalfPieces + ahead_piece) * 2;
            ring.fetch_two(slot, a.down.strip_at(expert, kC, kF, block, column),
                           a.down.strip_at(expert, kC, kF, block, column + 1));
            if (++ahead_piece == kHalfPieces) {
                ahead_piece = 0;
                ahead_half += kUpWarps;
            }
        }
    };
    for (int i = 0; i < a.depth; ++i) fetch_ahead(i);
    mark(2);

    for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * kC / 8; i += kUpWarps * 32) {
        const int token = i / (kC / 8), at = i % (kC / 8) * 8;
        const uint4 x = *reinterpret_cast<const uint4*>(a.x + token * kC + at);
        uint32_t* const to =
            reinterpret_cast<uint32_t*>(vectors + token * vector_bytes(kC)) + lane_order(at) / 2;
        to[0] = x.x;
        to[4] = x.y;
        to[8] = x.z;
        to[12] = x.w;
    }
    for (int i = block * kUpWarps * 32 + static_cast<int>(threadIdx.x);
         i < a.num_tokens * kChosen * kF; i += static_cast<int>(gridDim.x) * kUpWarps * 32)
        a.clear[i] = 0;
    if (static_cast<int>(threadIdx.x) < a.num_tokens * kChosen)
        weights[threadIdx.x] = a.pair_weights[threadIdx.x];
    __syncthreads();

    // h of a half is asked for well before it is needed, and again if it was not there yet.
    const auto place_in_h = [&](int half) {
        const Choice choice = a.choices[half / 2];
        const int pair = a.pairs[choice.first + min(g, choice.count - 1)];
        return a.h + pair * kF + half % 2 * (kF / 2) + t * 8;
    };
    HalfOfH h;
    h.words[0] = make_uint4(0, 0, 0, 0);

    for (int unit = block; unit < units; unit += static_cast<int>(gridDim.x)) {
        const Choice choice = a.choices[unit / kPairs];
        const int token = a.pairs[choice.first + min(g, choice.count - 1)] / kChosen;
        uint32_t vector = shared_address(vectors + token * vector_bytes(kC)) +
                          warp * (kC / kUpWarps * 2) + t * 16;
        float sums[2][2][4] = {};
#pragma unroll
        for (int piece = 0; piece < kPieces; ++piece) {
            uint4 tiles[kUpTiles];
            ring.take(tiles);
            if (piece == 0 && unit == block) mark(3);
            if (piece == 2 && unit + static_cast<int>(gridDim.x) >= units && has_rows)
                h.load(place_in_h(warp));
            fetch_ahead(ring.slot);
            ring.advance();
            const uint4 right0 = load_shared(vector), right1 = load_shared(vector + 64);
            add_strip(sums[0], tiles, right0, right1);
            add_strip(sums[1], tiles + 4, right0, right1);
            vector += 128;
        }
        __syncthreads();  // the parts before these have been added
#pragma unroll
        for (int strip = 0; strip < 2; ++strip) {
            const float(&s)[2][4] = sums[strip];
            parts[(warp * 2 + strip) * 32 + lane] = make_float4(
                s[0][0] + s[1][0], s[0][1] + s[1][1], s[0][2] + s[1][2], s[0][3] + s[1][3]);
        }
        __syncthreads();
        const int column = static_cast<int>(threadIdx.x) / 16,
                  f = static_cast<int>(threadIdx.x) % 16;
        if (column < choice.count) {
            const float* const part =
                reinterpret_cast<const float*>(parts + f / 8 * 32 + f % 8 * 4 + column / 2) +
                column % 2;
            float gate = 0, up = 0;
#pragma unroll
            for (int w = 0; w < kUpWarps; ++w) {
                gate += part[w * 256];
                up += part[w * 256 + 2];
            }
            const int pair = a.pairs[choice.first + column];
            store_relaxed(a.h + pair * kF + lane_order(unit % kPairs * 16 + f),
                          gated(gate, 0, up, 0) << 16 | 1);
        }
    }
    mark(4);

    for (int half = has_rows ? warp : halves; half < halves; half += kUpWarps) {
        const Choice choice = a.choices[half / 2];
        while (!h.is_there()) h.load(place_in_h(half));
        __syncwarp();
        if (half < kUpWarps) mark(5);
        uint4 right[12];
#pragma unroll
        for (int i = 0; i < 12; ++i) right[i] = h.numbers(i);
        if (half + kUpWarps < halves) h.load(place_in_h(half + kUpWarps));
        float sums[2][4] = {};
#pragma unroll
        for (int piece = 0; piece < kHalfPieces; ++piece) {
            uint4 tiles[kUpTiles];
            ring.take(tiles);
            fetch_ahead(ring.slot);
            ring.advance();
            add_strip(sums, tiles, right[4 * piece], right[4 * piece + 1]);
            add_strip(sums, tiles + 4, right[4 * piece + 2], right[4 * piece + 3]);
        }
        for (int i = 0; i < 2; ++i)
            if (2 * t + i < choice.count) {
                float* const to =
                    products + (a.pairs[choice.first + 2 * t + i] * 2 + half % 2) * 16 + g;
                to[0] = sums[0][i] + sums[1][i];
                to[8] = sums[0][2 + i] + sums[1][2 + i];
            }
    }
    mark(6);
    __syncthreads();
    if (has_rows)
        for (int i = static_cast<int>(threadIdx.x); i < a.num_tokens * 16; i += kUpWarps * 32) {
            const int token = i / 16, row = i % 16;
            float sum = 0;
            for (int j = 0; j < kChosen; ++j) {
                const int pair = token * kChosen + j;
                const float* const part = products + pair * 2 * 16 + row;
                const float y = widen(narrow(part[0] + part[16]));
                sum += widen(narrow(y * weights[pair]));
            }
            a.out[token * kC + block * 16 + row] = narrow(sum);
        }
    mark(7);
}

}  // namespace saker::expert_layout
