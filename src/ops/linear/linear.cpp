// Checks the shapes and chooses the backend.
#include "ops/linear/linear.h"

#include "ops/linear/linear_backends.h"
#include "tensor/expect.h"

namespace saker {

void linear(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
            const Tensor& bias) {
    Dim N{"N"}, Ci{"Ci"}, Co{"Co"};
    const Expect expect("linear", ex);
    expect(x, "x", {N, Ci}, {DType::f32, DType::bf16});
    expect(out, "out", {N, Co}, {x.dtype()});
    expect.dense(weight, "weight", {Co, Ci}, {DType::f32, DType::bf16});
    if (bias) expect.dense(bias, "bias", {Co}, {DType::f32, DType::bf16});
    if (out.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::linear(ex, out, x, weight, bias);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::linear(ex, out, x, weight, bias);
            break;
        case Backend::cuda:
            if constexpr (is_built(Backend::cuda)) return cuda::linear(ex, out, x, weight, bias);
            break;
    }
    backend_missing(ex, "linear");
}

}  // namespace saker
