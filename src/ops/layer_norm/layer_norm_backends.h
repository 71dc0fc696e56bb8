// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void layer_norm(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight,
                const Tensor& bias, float eps);
}
namespace cpu {
void layer_norm(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight,
                const Tensor& bias, float eps);
}
}  // namespace saker
