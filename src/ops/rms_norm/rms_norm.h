// rms_norm: each row divided by its root mean square, times a weight.
//
//   y = x * rsqrt(mean(x^2) + eps);  out = weight * y
//
// Model specification 3.2; Zhang and Sennrich, "Root mean square layer normalization", 2019. The
// norms of the text decoder, and q_norm and k_norm over each head.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out, x: [N, C] or [N, H, C], f32 or bf16 (the same); rows may be strided. weight: [C] f32 or
/// bf16. The last dimension is normalised. Statistics in f32; in bf16 two roundings, y and then
/// weight * y. `out` may be `x`. Batch invariant: a row's bits do not depend on the other rows.
void rms_norm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight, float eps);

}  // namespace saker
