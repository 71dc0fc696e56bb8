// The tile of gemm_cpu.h for bf16 x bf16 on machines with a bf16 dot product (AVX512_BF16), which
// Highway 1.0.3 has no target for. Included by gemm_cpu.cpp alone.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace saker::cpu {

/// Whether this machine can run gemm_native. Asked of it once: CPUID is slow under a hypervisor.
bool has_native_bf16();

/// gemm_tile's sums; weight points to the first of num_columns rows of Ci numbers.
void gemm_native(const Bf16* const* x_rows, int64_t num_rows, const Bf16* weight,
                 int64_t num_columns, int64_t Ci, float* sums);

}  // namespace saker::cpu
