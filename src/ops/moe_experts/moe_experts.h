// moe_experts: each token through its chosen experts' gated MLPs, summed with the router's weights.
//
//   out[t] = sum_a weights[t, a] * down[e] (silu(gate) * up),  (gate, up) = gate_up[e] x[t],  e =
//   experts[t, a]
//
// Model specification 3.6, the grouped path: per expert gate_up, swiglu (two roundings), down, each
// rounded to x's dtype; times the weight, rounded; then the sum over a = 0..A-1 in f32, rounded
// once.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out, x: [T, C] f32 or bf16 (the same), not overlapping. experts: [T, A] i32 in [0, E). weights:
/// [T, A] of x's dtype or f32. gate_up: [E, 2F, C], gate rows first; down: [E, C, F]; f32 or bf16,
/// dense, Linear order. Batch invariant on ref and cpu.
void moe_experts(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& experts,
                 const Tensor& weights, const Tensor& gate_up, const Tensor& down);

}  // namespace saker
