// gelu: the activations of the vision tower, exact and by tanh.
//
//   erf:  x/2 (1 + erf(x / sqrt 2))          mergers; model specification 4.5
//   tanh: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))   blocks; 4.4. Hendrycks and Gimpel, 2016
#pragma once

#include <cstdint>

#include "tensor/exec.h"

namespace saker {

enum class Gelu : uint8_t { erf, tanh };

/// out, x: [N, C] f32 or bf16 (the same); rows may be strided. In f32, one rounding. `out` may be
/// `x`.
void gelu(const Exec& ex, const Tensor& out, const Tensor& x, Gelu kind);

}  // namespace saker
