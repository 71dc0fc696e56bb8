// moe_route: which experts each token uses, and with what weights.
//
//   p = softmax(logits);  the A largest, in falling order, ties to the lower expert;  weights = p /
//   sum(p)
//
// Model specification 3.5: always renormalised.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// experts: [T, A] i32. weights: [T, A], f32 or bf16: f32 arithmetic, one rounding. logits: [T, E]
/// f32 or bf16, A <= E. A row with a NaN gets experts 0..A-1 and NaN weights. Batch invariant.
void moe_route(const Exec& ex, const Tensor& experts, const Tensor& weights, const Tensor& logits);

}  // namespace saker
