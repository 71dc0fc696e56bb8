// rope: rotates pairs (j, j + D/2) of each head by tabled angles, in place.
//
//   x'[j] = x[j] cos[j] - x[j + D/2] sin[j];  x'[j + D/2] = x[j + D/2] cos[j] + x[j] sin[j]
//
// Model specification 3.4 (text) and 4.3 (vision); Su et al., "RoFormer", 2021.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// x: [T, H, D] f32 or bf16, rows may be strided. cos, sin: [T, D/2], of x's dtype or f32. Tables
/// of bf16 round each product and each sum to bf16 (text); tables of f32 compute in f32 and round
/// once (vision).
void rope(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin);

}  // namespace saker
