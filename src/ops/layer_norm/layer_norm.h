// layer_norm: each row centred and divided by its deviation, times a weight, plus a bias.
//
//   out = (x - mean(x)) * rsqrt(var(x) + eps) * weight + bias
//
// Model specification 4.4 and 4.5: the norms of the vision tower. Ba, Kiros and Hinton, 2016.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out, x: [N, C], f32 or bf16 (the same); rows may be strided. weight, bias: [C] f32 or bf16. The
/// variance is the biased one, in two passes, f32; one rounding at the store. `out` may be `x`.
/// Batch invariant.
void layer_norm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
                const Tensor& bias, float eps);

}  // namespace saker
