// Checks the shapes and chooses the backend.
#include "ops/add/add.h"

#include "ops/add/add_backends.h"
#include "tensor/expect.h"

namespace saker {

void add(const Exec& ex, const Tensor& out, const Tensor& a, const Tensor& b) {
    Dim N{"N"}, C{"C"};
    const Expect expect("add", ex);
    expect(a, "a", {N, C}, {DType::f32, DType::bf16});
    expect(b, "b", {N, C}, {a.dtype()});
    expect(out, "out", {N, C}, {a.dtype()});
    if (a.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::add(ex, out, a, b);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::add(ex, out, a, b);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "add");
}

}  // namespace saker
