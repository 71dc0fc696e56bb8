// scatter_rows: puts rows into, or adds rows onto, chosen rows of a matrix.
//
// Visual embeddings take the place of their placeholder tokens (model specification 3.7), and
// DeepStack features are added to the same rows (3.8).
#pragma once

#include <cstdint>

#include "tensor/exec.h"

namespace saker {

enum class Scatter : uint8_t { set, add };

/// x: [T, C] f32 or bf16. rows: [N] i32 in [0, T), all different. values: [N, C] of x's dtype; rows
/// may be strided. add rounds once.
void scatter_rows(const Exec& ex, const Tensor& x, const Tensor& rows, const Tensor& values,
                  Scatter mode);

}  // namespace saker
