// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void moe_route(const Exec&, const Tensor& experts, const Tensor& weights, const Tensor& logits);
}
namespace cpu {
void moe_route(const Exec&, const Tensor& experts, const Tensor& weights, const Tensor& logits);
}
}  // namespace saker
