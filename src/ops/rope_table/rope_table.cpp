// Checks the shapes and chooses the backend.
#include "ops/rope_table/rope_table.h"

#include "ops/rope_table/rope_table_backends.h"
#include "tensor/expect.h"

namespace saker {

void rope_table(const Exec& ex, const Tensor& cos, const Tensor& sin, const Tensor& positions,
                const Tensor& inv_freq, const Tensor& axis, float scale) {
    Dim T{"T"}, J{"J"}, X{"X"};
    const Expect expect("rope_table", ex);
    expect(cos, "cos", {T, J}, {DType::f32, DType::bf16});
    expect(sin, "sin", {T, J}, {cos.dtype()});
    expect(positions, "positions", {X, T}, {DType::i32});
    expect(inv_freq, "inv_freq", {J}, {DType::f32});
    expect(axis, "axis", {J}, {DType::i32});
    if (cos.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::rope_table(ex, cos, sin, positions, inv_freq, axis, scale);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::rope_table(ex, cos, sin, positions, inv_freq, axis, scale);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "rope_table");
}

}  // namespace saker
