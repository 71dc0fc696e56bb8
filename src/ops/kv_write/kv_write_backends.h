// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void kv_write(const Exec&, const Tensor& k_pages, const Tensor& v_pages, const Tensor& k,
              const Tensor& v, const Tensor& slots);
}
namespace cpu {
void kv_write(const Exec&, const Tensor& k_pages, const Tensor& v_pages, const Tensor& k,
              const Tensor& v, const Tensor& slots);
}
}  // namespace saker
