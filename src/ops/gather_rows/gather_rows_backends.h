// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void gather_rows(const Exec&, const Tensor& out, const Tensor& x, const Tensor& rows);
}
namespace cpu {
void gather_rows(const Exec&, const Tensor& out, const Tensor& x, const Tensor& rows);
}
}  // namespace saker
