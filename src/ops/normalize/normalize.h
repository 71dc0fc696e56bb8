// normalize: pixels of eight bits to the numbers that the vision tower reads.
//
//   out[m, i] = (x[m, i] - 255 mean[c]) / (255 std[c]),  c the channel of column i
//
// Model specification 5.4 (the fused form, f32). Pictures travel as bytes until here: a quarter of
// the memory.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out: [M, N] f32 or bf16; x: [M, N] u8, N = 3 * (N / 3), the channel being the slowest index of a
/// row. mean, deviation: [3] f32. Subtraction and division in f32 (not a multiplication by the
/// reciprocal), one rounding.
void normalize(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& mean,
               const Tensor& deviation);

}  // namespace saker
