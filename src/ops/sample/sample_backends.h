// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void sample(const Exec&, const Tensor& tokens, const Tensor& logits, const Tensor& temperature,
            const Tensor& top_k, const Tensor& top_p, const Tensor& min_p, const Tensor& seed,
            const Tensor& draw);
}
namespace cpu {
void sample(const Exec&, const Tensor& tokens, const Tensor& logits, const Tensor& temperature,
            const Tensor& top_k, const Tensor& top_p, const Tensor& min_p, const Tensor& seed,
            const Tensor& draw);
}
}  // namespace saker
