// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void convert(const Exec&, const Tensor& out, const Tensor& x);
}
namespace cpu {
void convert(const Exec&, const Tensor& out, const Tensor& x);
}
}  // namespace saker
