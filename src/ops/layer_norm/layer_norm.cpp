// Checks the shapes and chooses the backend.
#include "ops/layer_norm/layer_norm.h"

#include "ops/layer_norm/layer_norm_backends.h"
#include "tensor/expect.h"

namespace saker {

void layer_norm(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
                const Tensor& bias, float eps) {
    Dim N{"N"}, C{"C"};
    const Expect expect("layer_norm", ex);
    expect(x, "x", {N, C}, {DType::f32, DType::bf16});
    expect(out, "out", {N, C}, {x.dtype()});
    expect.dense(weight, "weight", {C}, {DType::f32, DType::bf16});
    expect.dense(bias, "bias", {C}, {DType::f32, DType::bf16});
    if (x.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::layer_norm(ex, out, x, weight, bias, eps);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::layer_norm(ex, out, x, weight, bias, eps);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "layer_norm");
}

}  // namespace saker
