// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void rms_norm(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight, float eps);
}
namespace cpu {
void rms_norm(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight, float eps);
}
namespace cuda {
void rms_norm(const Exec&, const Tensor& out, const Tensor& x, const Tensor& weight, float eps);
}
}  // namespace saker
