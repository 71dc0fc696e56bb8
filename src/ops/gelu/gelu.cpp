// Checks the shapes and chooses the backend.
#include "ops/gelu/gelu.h"

#include "ops/gelu/gelu_backends.h"
#include "tensor/expect.h"

namespace saker {

void gelu(const Exec& ex, const Tensor& out, const Tensor& x, Gelu kind) {
    Dim N{"N"}, C{"C"};
    const Expect expect("gelu", ex);
    expect(x, "x", {N, C}, {DType::f32, DType::bf16});
    expect(out, "out", {N, C}, {x.dtype()});
    if (x.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::gelu(ex, out, x, kind);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::gelu(ex, out, x, kind);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "gelu");
}

}  // namespace saker
