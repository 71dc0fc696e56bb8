// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void logit_bias(const Exec&, const Tensor& logits, const Tensor& ids, const Tensor& bias,
                const Tensor& starts);
}
namespace cpu {
void logit_bias(const Exec&, const Tensor& logits, const Tensor& ids, const Tensor& bias,
                const Tensor& starts);
}
}  // namespace saker
