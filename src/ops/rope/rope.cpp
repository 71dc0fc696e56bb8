// Checks the shapes and chooses the backend.
#include "ops/rope/rope.h"

#include "ops/rope/rope_backends.h"
#include "tensor/expect.h"

namespace saker {

void rope(const Exec& ex, const Tensor& x, const Tensor& cos, const Tensor& sin) {
    Dim T{"T"}, H{"H"}, D{"D"};
    const Expect expect("rope", ex);
    expect(x, "x", {T, H, D}, {DType::f32, DType::bf16});
    CHECK(D % 2 == 0, "rope: a head's width is odd");
    expect(cos, "cos", {T, D / 2}, {x.dtype(), DType::f32});
    expect(sin, "sin", {T, D / 2}, {cos.dtype()});
    if (x.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::rope(ex, x, cos, sin);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::rope(ex, x, cos, sin);
            break;
        case Backend::cuda:
            if constexpr (is_built(Backend::cuda)) return cuda::rope(ex, x, cos, sin);
            break;
    }
    backend_missing(ex, "rope");
}

}  // namespace saker
