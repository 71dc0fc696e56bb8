// Checks the shapes and chooses the backend.
#include "ops/rms_norm/rms_norm.h"

#include "ops/rms_norm/rms_norm_backends.h"
#include "tensor/expect.h"

namespace saker {

void rms_norm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight, float eps) {
    Dim N{"N"}, H{"H"}, C{"C"};
    const Expect expect("rms_norm", ex);
    if (x.rank() == 3) {
        expect(x, "x", {N, H, C}, {DType::f32, DType::bf16});
        expect(out, "out", {N, H, C}, {x.dtype()});
    } else {
        expect(x, "x", {N, C}, {DType::f32, DType::bf16});
        expect(out, "out", {N, C}, {x.dtype()});
    }
    expect(weight, "weight", {C}, {DType::f32, DType::bf16});
    if (x.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::rms_norm(ex, out, x, weight, eps);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::rms_norm(ex, out, x, weight, eps);
            break;
        case Backend::cuda:
            if constexpr (is_built(Backend::cuda)) return cuda::rms_norm(ex, out, x, weight, eps);
            break;
    }
    backend_missing(ex, "rms_norm");
}

}  // namespace saker
