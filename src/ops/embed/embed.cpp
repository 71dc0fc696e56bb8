// Checks the shapes and chooses the backend.
#include "ops/embed/embed.h"

#include "ops/embed/embed_backends.h"
#include "tensor/expect.h"

namespace saker {

void embed(const Exec& ex, const Tensor& out, const Tensor& ids, const Tensor& table) {
    Dim T{"T"}, V{"V"}, C{"C"};
    const Expect expect("embed", ex);
    expect.dense(out, "out", {T, C}, {DType::f32, DType::bf16});
    expect.dense(ids, "ids", {T}, {DType::i32});
    expect.dense(table, "table", {V, C}, {DType::f32, DType::bf16});
    if (out.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::embed(ex, out, ids, table);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu)) return cpu::embed(ex, out, ids, table);
            break;
        case Backend::cuda:
            if constexpr (is_built(Backend::cuda)) return cuda::embed(ex, out, ids, table);
            break;
    }
    backend_missing(ex, "embed");
}

}  // namespace saker
