// Checks the shapes and chooses the backend.
#include "ops/pos_interp/pos_interp.h"

#include "ops/pos_interp/pos_interp_backends.h"
#include "tensor/expect.h"

namespace saker {

void pos_interp(const Exec& ex, const Tensor& x, const Tensor& table, const Tensor& taps,
                const Tensor& weights) {
    Dim M{"M"}, C{"C"}, Np{"Np"};
    const Expect expect("pos_interp", ex);
    expect.dense(x, "x", {M, C}, {DType::f32, DType::bf16});
    expect.dense(table, "table", {Np, C}, {DType::f32, DType::bf16});
    expect.dense(taps, "taps", {M, 4}, {DType::i32});
    expect.dense(weights, "weights", {M, 4}, {DType::f32});
    if (x.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::pos_interp(ex, x, table, taps, weights);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::pos_interp(ex, x, table, taps, weights);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "pos_interp");
}

}  // namespace saker
