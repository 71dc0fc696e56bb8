// Checks the shapes and chooses the backend.
#include "ops/vision_attention/vision_attention.h"

#include "ops/vision_attention/vision_attention_backends.h"
#include "tensor/expect.h"

namespace saker {

void vision_attention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k,
                      const Tensor& v, const Tensor& starts, float scale) {
    Dim M{"M"}, H{"H"}, D{"D"}, N{"S + 1"};
    const Expect expect("vision_attention", ex);
    expect(q, "q", {M, H, D}, {DType::f32, DType::bf16});
    expect(k, "k", {M, H, D}, {q.dtype()});
    expect(v, "v", {M, H, D}, {q.dtype()});
    expect(out, "out", {M, H, D}, {q.dtype()});
    expect.dense(starts, "starts", {N}, {DType::i32});
    CHECK(N >= 1, "vision_attention: starts is empty");
    if (q.num_elements() == 0) return;
    CHECK(scale > 0, "vision_attention: the scale is not positive");
    switch (ex.backend) {
        case Backend::ref:
            return ref::vision_attention(ex, out, q, k, v, starts, scale);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::vision_attention(ex, out, q, k, v, starts, scale);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "vision_attention");
}

}  // namespace saker
