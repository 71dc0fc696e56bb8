// Checks the shapes and chooses the backend.
#include "ops/moe_experts/moe_experts.h"

#include "ops/moe_experts/moe_experts_backends.h"
#include "tensor/expect.h"

namespace saker {

void moe_experts(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& experts,
                 const Tensor& weights, const Tensor& gate_up, const Tensor& down) {
    Dim T{"T"}, C{"C"}, A{"A"}, E{"E"}, F{"F"}, F2{"2F"};
    const Expect expect("moe_experts", ex);
    expect(x, "x", {T, C}, {DType::f32, DType::bf16});
    expect(out, "out", {T, C}, {x.dtype()});
    expect.dense(experts, "experts", {T, A}, {DType::i32});
    expect.dense(weights, "weights", {T, A}, {DType::f32, x.dtype()});
    expect.dense(down, "down", {E, C, F}, {DType::f32, DType::bf16});
    expect.dense(gate_up, "gate_up", {E, F2, C}, {DType::f32, DType::bf16});
    CHECK(F2 == 2 * F, "moe_experts: gate_up has not twice the rows that down has columns");
    if (out.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::moe_experts(ex, out, x, experts, weights, gate_up, down);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::moe_experts(ex, out, x, experts, weights, gate_up, down);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "moe_experts");
}

}  // namespace saker
