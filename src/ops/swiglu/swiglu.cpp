// Checks the shapes and chooses the backend.
#include "ops/swiglu/swiglu.h"

#include "ops/swiglu/swiglu_backends.h"
#include "tensor/expect.h"

namespace saker {

void swiglu(const Exec& ex, const Tensor& out, const Tensor& gate_up) {
    Dim N{"N"}, F{"F"};
    const Expect expect("swiglu", ex);
    expect(out, "out", {N, F}, {DType::f32, DType::bf16});
    expect(gate_up, "gate_up", {N, 2 * F}, {out.dtype()});
    if (out.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::swiglu(ex, out, gate_up);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::swiglu(ex, out, gate_up);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "swiglu");
}

}  // namespace saker
