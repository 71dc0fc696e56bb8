// Checks the shapes and chooses the backend.
#include "ops/kv_write/kv_write.h"

#include "ops/kv_write/kv_write_backends.h"
#include "tensor/expect.h"

namespace saker {

void kv_write(const Exec& ex, const Tensor& k_pages, const Tensor& v_pages, const Tensor& k,
              const Tensor& v, const Tensor& slots) {
    Dim Np{"Np"}, K{"K"}, B{"B"}, D{"D"}, T{"T"};
    const Expect expect("kv_write", ex);
    expect.dense(k_pages, "k_pages", {Np, K, B, D}, {DType::f32, DType::bf16});
    expect.dense(v_pages, "v_pages", {Np, K, B, D}, {k_pages.dtype()});
    expect(k, "k", {T, K, D}, {k_pages.dtype()});
    expect(v, "v", {T, K, D}, {k_pages.dtype()});
    expect.dense(slots, "slots", {T}, {DType::i32});
    if (k.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::kv_write(ex, k_pages, v_pages, k, v, slots);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::kv_write(ex, k_pages, v_pages, k, v, slots);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "kv_write");
}

}  // namespace saker
