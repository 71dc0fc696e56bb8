// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "ops/gelu/gelu.h"

namespace saker {
namespace ref {
void gelu(const Exec&, const Tensor& out, const Tensor& x, Gelu kind);
}
namespace cpu {
void gelu(const Exec&, const Tensor& out, const Tensor& x, Gelu kind);
}
}  // namespace saker
