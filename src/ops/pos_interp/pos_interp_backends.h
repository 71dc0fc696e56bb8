// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void pos_interp(const Exec&, const Tensor& x, const Tensor& table, const Tensor& taps,
                const Tensor& weights);
}
namespace cpu {
void pos_interp(const Exec&, const Tensor& x, const Tensor& table, const Tensor& taps,
                const Tensor& weights);
}
}  // namespace saker
