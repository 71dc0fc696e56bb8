// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void embed(const Exec&, const Tensor& out, const Tensor& ids, const Tensor& table);
}
namespace cpu {
void embed(const Exec&, const Tensor& out, const Tensor& ids, const Tensor& table);
}
namespace cuda {
void embed(const Exec&, const Tensor& out, const Tensor& ids, const Tensor& table);
}
}  // namespace saker
