// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void vision_attention(const Exec&, const Tensor& out, const Tensor& q, const Tensor& k,
                      const Tensor& v, const Tensor& starts, float scale);
}
namespace cpu {
void vision_attention(const Exec&, const Tensor& out, const Tensor& q, const Tensor& k,
                      const Tensor& v, const Tensor& starts, float scale);
}
}  // namespace saker
