// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void rope_table(const Exec&, const Tensor& cos, const Tensor& sin, const Tensor& positions,
                const Tensor& inv_freq, const Tensor& axis, float scale);
}
namespace cpu {
void rope_table(const Exec&, const Tensor& cos, const Tensor& sin, const Tensor& positions,
                const Tensor& inv_freq, const Tensor& axis, float scale);
}
}  // namespace saker
