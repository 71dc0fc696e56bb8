// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void normalize(const Exec&, const Tensor& out, const Tensor& x, const Tensor& mean,
               const Tensor& deviation);
}
namespace cpu {
void normalize(const Exec&, const Tensor& out, const Tensor& x, const Tensor& mean,
               const Tensor& deviation);
}
}  // namespace saker
