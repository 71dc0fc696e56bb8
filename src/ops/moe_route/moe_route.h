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
/// f32 or bf16, A <= E. Ranked by the logits themselves, whose order softmax keeps: equal logits
/// tie, and unequal ones whose p underflow do not. A row with a NaN, with +infinity or with nothing
/// but -infinity, whose softmax is NaN, gets experts 0..A-1 and NaN weights. Batch invariant.
void moe_route(const Exec& ex, const Tensor& experts, const Tensor& weights, const Tensor& logits);

}  // namespace saker
