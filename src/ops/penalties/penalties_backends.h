// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void penalties(const Exec&, const Tensor& logits, const Tensor& history, const Tensor& starts,
               const Tensor& prompt_tokens, const Tensor& repetition, const Tensor& presence,
               const Tensor& frequency);
}
namespace cpu {
void penalties(const Exec&, const Tensor& logits, const Tensor& history, const Tensor& starts,
               const Tensor& prompt_tokens, const Tensor& repetition, const Tensor& presence,
               const Tensor& frequency);
}
}  // namespace saker
