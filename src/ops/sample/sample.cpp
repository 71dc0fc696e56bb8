// Checks the shapes and chooses the backend.
#include "ops/sample/sample.h"

#include "ops/sample/sample_backends.h"
#include "tensor/expect.h"

namespace saker {

void sample(const Exec& ex, const Tensor& tokens, const Tensor& logits, const Tensor& temperature,
            const Tensor& top_k, const Tensor& top_p, const Tensor& min_p, const Tensor& seed,
            const Tensor& draw) {
    Dim S{"S"}, V{"V"};
    const Expect expect("sample", ex);
    expect.dense(logits, "logits", {S, V}, {DType::f32});
    expect.dense(tokens, "tokens", {S}, {DType::i32});
    expect.dense(temperature, "temperature", {S}, {DType::f32});
    expect.dense(top_k, "top_k", {S}, {DType::i32});
    expect.dense(top_p, "top_p", {S}, {DType::f32});
    expect.dense(min_p, "min_p", {S}, {DType::f32});
    expect.dense(seed, "seed", {S}, {DType::i64});
    expect.dense(draw, "draw", {S}, {DType::i64});
    CHECK(V > 0, "sample: there is no token to choose from");
    if (S == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::sample(ex, tokens, logits, temperature, top_k, top_p, min_p, seed, draw);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::sample(ex, tokens, logits, temperature, top_k, top_p, min_p, seed,
                                   draw);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "sample");
}

}  // namespace saker
