// convert: the same numbers in another float format.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out, x: [N, C], each f32 or bf16; rows may be strided. Narrowing rounds to nearest, ties to
/// even. They do not overlap, unless they are the same tensor.
void convert(const Exec& ex, const Tensor& out, const Tensor& x);

}  // namespace saker
