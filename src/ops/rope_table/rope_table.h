// rope_table: cosines and sines of rotary angles, made once a step and used by every layer.
//
//   angle[t, j] = positions[axis[j], t] * inv_freq[j];  cos = scale * cos(angle), sin likewise
//
// Model specification 3.4 (three axes, interleaved), 4.3 (row and column), 1.5 (YaRN's scale).
#pragma once

#include "tensor/exec.h"

namespace saker {

/// cos, sin: [T, J] f32 or bf16 (the same); J is half a head's width. positions: [X, T] i32 for X
/// axes, rows may be strided. inv_freq: [J] f32. axis: [J] i32 in [0, X). The product is formed in
/// f32, then reduced exactly: angles reach 1e6, where fast sine instructions fail.
void rope_table(const Exec& ex, const Tensor& cos, const Tensor& sin, const Tensor& positions,
                const Tensor& inv_freq, const Tensor& axis, float scale);

}  // namespace saker
