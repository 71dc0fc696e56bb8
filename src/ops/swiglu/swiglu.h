// swiglu: the gated activation of the MLP: silu of the left half times the right half.
//
//   out[n, f] = silu(gate_up[n, f]) * gate_up[n, F + f],  silu(x) = x / (1 + exp(-x))
//
// Model specification 3.6; Shazeer, "GLU variants improve transformer", 2020.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out: [N, F]; gate_up: [N, 2F]; f32 or bf16 (the same); rows may be strided. silu in f32; in bf16
/// two roundings, silu and then the product.
void swiglu(const Exec& ex, const Tensor& out, const Tensor& gate_up);

}  // namespace saker
