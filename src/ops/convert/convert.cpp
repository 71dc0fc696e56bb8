// Checks the shapes and chooses the backend.
#include "ops/convert/convert.h"

#include "ops/convert/convert_backends.h"
#include "tensor/expect.h"

namespace saker {

void convert(const Exec& ex, const Tensor& out, const Tensor& x) {
    Dim N{"N"}, C{"C"};
    const Expect expect("convert", ex);
    expect(x, "x", {N, C}, {DType::f32, DType::bf16});
    expect(out, "out", {N, C}, {DType::f32, DType::bf16});
    if (x.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::convert(ex, out, x);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::convert(ex, out, x);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "convert");
}

}  // namespace saker
