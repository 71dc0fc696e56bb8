// add: the residual sum.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out, a, b: [N, C] f32 or bf16 (the same); rows may be strided. One rounding. `out` may be `a` or
/// `b`.
void add(const Exec& ex, const Tensor& out, const Tensor& a, const Tensor& b);

}  // namespace saker
