// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void swiglu(const Exec&, const Tensor& out, const Tensor& gate_up);
}
namespace cpu {
void swiglu(const Exec&, const Tensor& out, const Tensor& gate_up);
}
}  // namespace saker
