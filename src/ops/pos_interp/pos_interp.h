// pos_interp: adds the interpolated position embedding to each patch.
//
//   x[m] += sum_k weights[m, k] * table[taps[m, k]],  k < 4
//
// Bilinear with aligned corners; model specification 4.2, which also says how taps and weights are
// made (models/, on the host, once a picture).
#pragma once

#include "tensor/exec.h"

namespace saker {

/// x: [M, C] f32 or bf16, in place. table: [Np, C] f32 or bf16. taps: [M, 4] i32. weights: [M, 4]
/// f32. The four products are summed in f32 in order k = 0..3, rounded to x's dtype, added to x,
/// and rounded again.
void pos_interp(const Exec& ex, const Tensor& x, const Tensor& table, const Tensor& taps,
                const Tensor& weights);

}  // namespace saker
