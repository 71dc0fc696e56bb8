// Checks the shapes and chooses the backend.
#include "ops/scatter_rows/scatter_rows.h"

#include "ops/scatter_rows/scatter_rows_backends.h"
#include "tensor/expect.h"

namespace saker {

void scatter_rows(const Exec& ex, const Tensor& x, const Tensor& rows, const Tensor& values,
                  Scatter mode) {
    Dim T{"T"}, N{"N"}, C{"C"};
    const Expect expect("scatter_rows", ex);
    expect(x, "x", {T, C}, {DType::f32, DType::bf16});
    expect.dense(rows, "rows", {N}, {DType::i32});
    expect(values, "values", {N, C}, {x.dtype()});
    if (values.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::scatter_rows(ex, x, rows, values, mode);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::scatter_rows(ex, x, rows, values, mode);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "scatter_rows");
}

}  // namespace saker
