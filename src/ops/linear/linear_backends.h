// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void linear(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias);
}
namespace cpu {
void linear(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias);
}
namespace cuda {
void linear(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias);
}
}  // namespace saker
