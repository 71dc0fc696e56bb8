// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "ops/scatter_rows/scatter_rows.h"

namespace saker {
namespace ref {
void scatter_rows(const Exec&, const Tensor& x, const Tensor& rows, const Tensor& values,
                  Scatter mode);
}
namespace cpu {
void scatter_rows(const Exec&, const Tensor& x, const Tensor& rows, const Tensor& values,
                  Scatter mode);
}
}  // namespace saker
