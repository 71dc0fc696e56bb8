// Checks the shapes and chooses the backend.
#include "ops/attention/attention.h"

#include "ops/attention/attention_backends.h"
#include "tensor/expect.h"

namespace saker {

void attention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k_pages,
               const Tensor& v_pages, const Tensor& starts, const Tensor& context,
               const Tensor& page_table, float scale) {
    Dim T{"T"}, H{"H"}, D{"D"}, Np{"Np"}, K{"K"}, B{"B"}, S{"S"}, P{"P"};
    const Expect expect("attention", ex);
    expect(q, "q", {T, H, D}, {DType::f32, DType::bf16});
    expect(out, "out", {T, H, D}, {q.dtype()});
    expect.dense(k_pages, "k_pages", {Np, K, B, D}, {q.dtype()});
    expect.dense(v_pages, "v_pages", {Np, K, B, D}, {q.dtype()});
    expect.dense(context, "context", {S}, {DType::i32});
    expect.dense(starts, "starts", {S + 1}, {DType::i32});
    expect(page_table, "page_table", {S, P}, {DType::i32});
    if (q.num_elements() == 0) return;
    CHECK(K > 0 && H % K == 0, "attention: the KV heads do not divide the query heads");
    CHECK(scale > 0, "attention: the scale is not positive");
    switch (ex.backend) {
        case Backend::ref:
            return ref::attention(ex, out, q, k_pages, v_pages, starts, context, page_table, scale);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::attention(ex, out, q, k_pages, v_pages, starts, context, page_table,
                                      scale);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "attention");
}

}  // namespace saker
