// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void add(const Exec&, const Tensor& out, const Tensor& a, const Tensor& b);
}
namespace cpu {
void add(const Exec&, const Tensor& out, const Tensor& a, const Tensor& b);
}
}  // namespace saker
