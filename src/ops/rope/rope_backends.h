// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void rope(const Exec&, const Tensor& x, const Tensor& cos, const Tensor& sin);
}
namespace cpu {
void rope(const Exec&, const Tensor& x, const Tensor& cos, const Tensor& sin);
}
namespace cuda {
void rope(const Exec&, const Tensor& x, const Tensor& cos, const Tensor& sin);
}
}  // namespace saker
