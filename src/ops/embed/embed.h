// embed: rows of a table by token id. Model specification 3.1: no scaling.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out: [T, C] f32 or bf16. ids: [T] i32, each in [0, V) (the caller has checked). table: [V, C]
/// f32 or bf16. Values are widened or rounded to out's dtype.
void embed(const Exec& ex, const Tensor& out, const Tensor& ids, const Tensor& table);

}  // namespace saker
