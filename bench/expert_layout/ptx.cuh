// The instructions of Hopper that the expert kernels need and C++ has no word for: bulk copies that
// complete on a barrier in shared memory, dependent launch, and the two matrix instructions.
//
// mma.m16n8k16 (a warp) and wgmma.m64nNk16 (four warps) take their left matrix in the same
// registers: lane 4g + t of a warp holds, of 16 rows by 16 columns, the pairs at
// (g, 2t), (g + 8, 2t), (g, 2t + 8) and (g + 8, 2t + 8). That is what makes one stored order of the
// weights serve both (format.cuh).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace saker::expert_layout {

__device__ inline uint32_t shared_address(const void* at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

// Barriers in shared memory, by address.

__device__ inline void barrier_init(uint32_t barrier, uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}
/// Shows fresh barriers to bulk copies and to the other block of a cluster.
__device__ inline void barrier_init_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Arrives, and makes the phase wait for `bytes` of bulk copies.
__device__ inline void barrier_expect(uint32_t barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
__device__ inline void barrier_arrive(uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives at the barrier that lies at this address in block `rank` of the cluster.
__device__ inline void barrier_arrive_at(uint32_t barrier, uint32_t rank) {
    asm volatile(
        "{\n.reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
        "r"(rank)
        : "memory");
}
__device__ inline bool barrier_passed(uint32_t barrier, uint32_t phase) {
    uint32_t passed;
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(passed)
        : "r"(barrier), "r"(phase)
        : "memory");
    return passed;
}
/// Waits for the end of the phase of this parity; ten seconds are a bug and end the kernel.
__device__ inline void barrier_wait(uint32_t barrier, uint32_t phase) {
    if (barrier_passed(barrier, phase)) return;
    const long long start = clock64();
    while (!barrier_passed(barrier, phase))
        if (clock64() - start > 20'000'000'000) __trap();
}

// Bulk copies. Addresses and sizes are multiples of 16 bytes.

__device__ inline uint64_t evict_first() {
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ inline uint64_t evict_normal() {
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ inline void bulk_load(uint32_t to, const void* from, uint32_t bytes, uint32_t barrier,
                                 uint64_t policy) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %4;" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
        : "memory");
}
/// To the same address in each block of the cluster that `blocks` names, completing on its barrier.
__device__ inline void bulk_load_to_all(uint32_t to, const void* from, uint32_t bytes,
                                        uint32_t barrier, uint16_t blocks, uint64_t policy) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        ".L2::cache_hint [%0], [%1], %2, [%3], %4, %5;" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier), "h"(blocks), "l"(policy)
        : "memory");
}

// Dependent launch: a kernel may start while the one before it ends, and waits for its results.

__device__ inline void wait_for_previous() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
__device__ inline void launch_next() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__device__ inline uint32_t cluster_rank() {
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// Brings a line into L2.
__device__ inline void prefetch_line(const void* at) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}
/// Streaming loads and 16 bytes from shared memory.
__device__ inline uint4 load_once(const void* from) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
    return v;
}
__device__ inline uint4 load_shared(uint32_t at) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(at)
                 : "memory");
    return v;
}

/// The same into registers that the compiler must take for kept where `always` is 0. The variants
/// of one loop for many widths then share their registers; ptxas gives every wgmma's left matrix
/// registers of its own otherwise, runs out of them, and puts a wait after each instruction.
__device__ inline void load_kept(uint4& v, uint32_t at, uint32_t always) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n"
        "@p ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
        : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w)
        : "r"(at), "r"(always)
        : "memory");
}

/// An 8 x 8 matrix of 16-bit numbers, a row in four lanes, transposed over the warp.
__device__ inline uint32_t transpose_8x8(uint32_t pair) {
    uint32_t out;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(pair));
    return out;
}

/// sum += a b: 16 rows by 8 columns over 16 terms.
__device__ inline void mma_16x8x16(float (&sum)[4], const uint4& a, uint32_t b0, uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// wgmma: 64 rows by N columns over 16 terms, asynchronously.

__device__ inline void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int PENDING>
__device__ inline void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}
/// Describes rows of 64 bf16 (128 bytes) with the 128-byte swizzle, eight rows after eight rows.
__device__ inline uint64_t swizzled_matrix(uint32_t at) {
    return uint64_t{(at & 0x3FFFF) >> 4} | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 |
           uint64_t{1} << 62;
}
constexpr uint64_t kNext16Columns = 32 >> 4;  // added to a descriptor

/// N = 16, 32, ..., 256. `sum[4 j + i]` is column 8 j + 2 t + i % 2 of row g + 8 (i / 2) of this
/// warp's 16 rows. A sum begins at zeros written by the thread: a predicate that ignores its old
/// value would leave a read of nothing, and every tile width's registers alive at once.
template <int N>
struct Wgmma;

// clang-format off
#define SAKER_R0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define SAKER_R1 SAKER_R0 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define SAKER_R2 SAKER_R1 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define SAKER_R3 SAKER_R2 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define SAKER_R4 SAKER_R3 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define SAKER_R5 SAKER_R4 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define SAKER_R6 SAKER_R5 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define SAKER_R7 SAKER_R6 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define SAKER_R8 SAKER_R7 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define SAKER_R9 SAKER_R8 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define SAKER_R10 SAKER_R9 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define SAKER_R11 SAKER_R10 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define SAKER_R12 SAKER_R11 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define SAKER_R13 SAKER_R12 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define SAKER_R14 SAKER_R13 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define SAKER_R15 SAKER_R14 ", %120, %121, %122, %123, %124, %125, %126, %127"

#define SAKER_D(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), \
                   "+f"(sum[i + 4]), "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define SAKER_D0 SAKER_D(0)
#define SAKER_D1 SAKER_D0, SAKER_D(8)
#define SAKER_D2 SAKER_D1, SAKER_D(16)
#define SAKER_D3 SAKER_D2, SAKER_D(24)
#define SAKER_D4 SAKER_D3, SAKER_D(32)
#define SAKER_D5 SAKER_D4, SAKER_D(40)
#define SAKER_D6 SAKER_D5, SAKER_D(48)
#define SAKER_D7 SAKER_D6, SAKER_D(56)
#define SAKER_D8 SAKER_D7, SAKER_D(64)
#define SAKER_D9 SAKER_D8, SAKER_D(72)
#define SAKER_D10 SAKER_D9, SAKER_D(80)
#define SAKER_D11 SAKER_D10, SAKER_D(88)
#define SAKER_D12 SAKER_D11, SAKER_D(96)
#define SAKER_D13 SAKER_D12, SAKER_D(104)
#define SAKER_D14 SAKER_D13, SAKER_D(112)
#define SAKER_D15 SAKER_D14, SAKER_D(120)

// o0 ... o4: the numbers of the operands that follow the N / 2 sums.
#define SAKER_WGMMA(N, SUMS, OPERANDS, o0, o1, o2, o3, o4)                                         \
    template <>                                                                                    \
    struct Wgmma<N> {                                                                              \
        /* Left from registers. */                                                                 \
        __device__ static void run(float (&sum)[128], const uint4& a, uint64_t b) {                \
            asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 "               \
                         "{" SUMS "}, {" o0 ", " o1 ", " o2 ", " o3 "}, " o4 ", 1, 1, 1, 0;"       \
                         : OPERANDS                                                                \
                         : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(b));                        \
        }                                                                                          \
        /* Left from shared memory. */                                                             \
        __device__ static void run(float (&sum)[128], uint64_t a, uint64_t b) {                    \
            asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 "               \
                         "{" SUMS "}, " o0 ", " o1 ", 1, 1, 1, 0, 0;"                              \
                         : OPERANDS                                                                \
                         : "l"(a), "l"(b));                                                        \
        }                                                                                          \
    };
SAKER_WGMMA(16, SAKER_R0, SAKER_D0, "%8", "%9", "%10", "%11", "%12")
SAKER_WGMMA(32, SAKER_R1, SAKER_D1, "%16", "%17", "%18", "%19", "%20")
SAKER_WGMMA(48, SAKER_R2, SAKER_D2, "%24", "%25", "%26", "%27", "%28")
SAKER_WGMMA(64, SAKER_R3, SAKER_D3, "%32", "%33", "%34", "%35", "%36")
SAKER_WGMMA(80, SAKER_R4, SAKER_D4, "%40", "%41", "%42", "%43", "%44")
SAKER_WGMMA(96, SAKER_R5, SAKER_D5, "%48", "%49", "%50", "%51", "%52")
SAKER_WGMMA(112, SAKER_R6, SAKER_D6, "%56", "%57", "%58", "%59", "%60")
SAKER_WGMMA(128, SAKER_R7, SAKER_D7, "%64", "%65", "%66", "%67", "%68")
SAKER_WGMMA(144, SAKER_R8, SAKER_D8, "%72", "%73", "%74", "%75", "%76")
SAKER_WGMMA(160, SAKER_R9, SAKER_D9, "%80", "%81", "%82", "%83", "%84")
SAKER_WGMMA(176, SAKER_R10, SAKER_D10, "%88", "%89", "%90", "%91", "%92")
SAKER_WGMMA(192, SAKER_R11, SAKER_D11, "%96", "%97", "%98", "%99", "%100")
SAKER_WGMMA(208, SAKER_R12, SAKER_D12, "%104", "%105", "%106", "%107", "%108")
SAKER_WGMMA(224, SAKER_R13, SAKER_D13, "%112", "%113", "%114", "%115", "%116")
SAKER_WGMMA(240, SAKER_R14, SAKER_D14, "%120", "%121", "%122", "%123", "%124")
SAKER_WGMMA(256, SAKER_R15, SAKER_D15, "%128", "%129", "%130", "%131", "%132")
// clang-format on

}  // namespace saker::expert_layout
