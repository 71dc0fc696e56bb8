// vision_attention: full attention inside each segment of patches; a segment is one frame of one
// picture.
//
//   out[m, h] = softmax_j(scale * q[m, h] . k[j, h]) . v[j, h],  j in the segment of m
//
// Model specification 4.4.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out: [M, H, D]; q, k, v: [M, H, D] of the same dtype, f32 or bf16, rows may be strided (columns
/// of one fused qkv row). starts: [S+1] i32, rising from 0 to M. scale is above 0. Scores, softmax
/// and sums in f32, one rounding at the store. A segment's bits do not depend on the other segments
/// (ref, cpu).
void vision_attention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k,
                      const Tensor& v, const Tensor& starts, float scale);

}  // namespace saker
