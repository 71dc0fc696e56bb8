// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void attention(const Exec&, const Tensor& out, const Tensor& q, const Tensor& k_pages,
               const Tensor& v_pages, const Tensor& starts, const Tensor& context,
               const Tensor& page_table, float scale);
}
namespace cpu {
void attention(const Exec&, const Tensor& out, const Tensor& q, const Tensor& k_pages,
               const Tensor& v_pages, const Tensor& starts, const Tensor& context,
               const Tensor& page_table, float scale);
}
}  // namespace saker
