// linear: x times a weight matrix in Linear order, plus a bias.
//
//   out[n, o] = sum_i x[n, i] * weight[o, i] + bias[o]
//
// Model specification 0.3: f32 accumulation, the bias added before the one rounding at the store.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out: [N, Co]; x: [N, Ci]; f32 or bf16 (the same); rows may be strided. weight: [Co, Ci] f32 or
/// bf16, dense. bias: [Co] f32 or bf16, or absent. `out` overlaps nothing. Batch invariant on ref
/// and cpu: the sum over i runs in an order that depends on Ci alone.
void linear(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias = {});

}  // namespace saker
