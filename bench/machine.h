// What this machine can do at most, measured once a run on all cores: the bar beside each figure of
// the benchmarks, since a time alone does not say whether a kernel is good.
//
// A benchmark calls report() at its end: it adds the rate and its share of the matching peak to the
// row that Google Benchmark prints. Used by every *_bench.cpp of this folder and by main.cpp.
#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "tensor/dtype.h"

namespace saker::bench {

struct Machine {
    int num_threads;
    double read_gb_s;          // sequential reads of a buffer far larger than any cache
    double fma_gflop_s;        // f32 fused multiply-adds between registers: the ceiling of f32 work
    double gemm_f32_gflop_s;   // oneDNN's sgemm, best of several shapes
    double gemm_bf16_gflop_s;  // oneDNN's bf16 matmul with weights in its own layout, likewise

    double gemm_gflop_s(DType dtype) const {
        return dtype == DType::bf16 ? gemm_bf16_gflop_s : gemm_f32_gflop_s;
    }
    std::string describe() const;
};

/// Measures on the first call, for some seconds.
const Machine& machine();

/// GB_s and of_bandwidth: `bytes` that one iteration must read from memory.
void report_bytes(benchmark::State& state, double bytes);
/// GFLOP_s and of_gemm_peak: `flops` of one iteration, a multiply-add counting as two.
void report_flops(benchmark::State& state, double flops, DType dtype);

}  // namespace saker::bench
