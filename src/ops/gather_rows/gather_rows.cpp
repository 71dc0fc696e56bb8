// Checks the shapes and chooses the backend.
#include "ops/gather_rows/gather_rows.h"

#include "ops/gather_rows/gather_rows_backends.h"
#include "tensor/expect.h"

namespace saker {

void gather_rows(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& rows) {
    Dim T{"T"}, N{"N"}, C{"C"};
    const Expect expect("gather_rows", ex);
    expect.dense(x, "x", {T, C}, {DType::f32, DType::bf16});
    expect.dense(rows, "rows", {N}, {DType::i32});
    expect.dense(out, "out", {N, C}, {x.dtype()});
    if (out.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::gather_rows(ex, out, x, rows);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::gather_rows(ex, out, x, rows);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "gather_rows");
}

}  // namespace saker
