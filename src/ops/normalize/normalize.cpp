// Checks the shapes and chooses the backend.
#include "ops/normalize/normalize.h"

#include "ops/normalize/normalize_backends.h"
#include "tensor/expect.h"

namespace saker {

void normalize(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& mean,
               const Tensor& deviation) {
    Dim M{"M"}, N{"N"};
    const Expect expect("normalize", ex);
    expect.dense(x, "x", {M, N}, {DType::u8});
    expect.dense(out, "out", {M, N}, {DType::f32, DType::bf16});
    expect.dense(mean, "mean", {3}, {DType::f32});
    expect.dense(deviation, "deviation", {3}, {DType::f32});
    CHECK(N % 3 == 0, "normalize: a row holds three channels of equal size");
    if (x.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::normalize(ex, out, x, mean, deviation);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::normalize(ex, out, x, mean, deviation);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "normalize");
}

}  // namespace saker
