// gather_rows: chosen rows of a matrix, in the order asked: the hidden states that need logits.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out: [N, C]; x: [T, C] of the same dtype, f32 or bf16; rows: [N] i32 in [0, T), repeats allowed.
void gather_rows(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& rows);

}  // namespace saker
