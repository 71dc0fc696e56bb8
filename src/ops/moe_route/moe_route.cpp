// Checks the shapes and chooses the backend.
#include "ops/moe_route/moe_route.h"

#include "ops/moe_route/moe_route_backends.h"
#include "tensor/expect.h"

namespace saker {

void moe_route(const Exec& ex, const Tensor& experts, const Tensor& weights, const Tensor& logits) {
    Dim T{"T"}, A{"A"}, E{"E"};
    const Expect expect("moe_route", ex);
    expect(logits, "logits", {T, E}, {DType::f32, DType::bf16});
    expect.dense(experts, "experts", {T, A}, {DType::i32});
    expect.dense(weights, "weights", {T, A}, {DType::f32, DType::bf16});
    CHECK(A <= E, "moe_route: more experts are asked for than there are");
    if (experts.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::moe_route(ex, experts, weights, logits);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::moe_route(ex, experts, weights, logits);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "moe_route");
}

}  // namespace saker
