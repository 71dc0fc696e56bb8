// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void moe_experts(const Exec&, const Tensor& out, const Tensor& x, const Tensor& experts,
                 const Tensor& weights, const Tensor& gate_up, const Tensor& down);
}
namespace cpu {
void moe_experts(const Exec&, const Tensor& out, const Tensor& x, const Tensor& experts,
                 const Tensor& weights, const Tensor& gate_up, const Tensor& down);
}
}  // namespace saker
