// Checks the shapes and chooses the backend.
#include "ops/penalties/penalties.h"

#include "ops/penalties/penalties_backends.h"
#include "tensor/expect.h"

namespace saker {

void penalties(const Exec& ex, const Tensor& logits, const Tensor& history, const Tensor& starts,
               const Tensor& prompt_tokens, const Tensor& repetition, const Tensor& presence,
               const Tensor& frequency) {
    Dim S{"S"}, V{"V"}, N{"N"};
    const Expect expect("penalties", ex);
    expect.dense(logits, "logits", {S, V}, {DType::f32});
    expect.dense(history, "history", {N}, {DType::i32});
    expect.dense(starts, "starts", {S + 1}, {DType::i32});
    expect.dense(prompt_tokens, "prompt_tokens", {S}, {DType::i32});
    expect.dense(repetition, "repetition", {S}, {DType::f32});
    expect.dense(presence, "presence", {S}, {DType::f32});
    expect.dense(frequency, "frequency", {S}, {DType::f32});
    if (logits.num_elements() == 0 || N == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::penalties(ex, logits, history, starts, prompt_tokens, repetition, presence,
                                  frequency);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::penalties(ex, logits, history, starts, prompt_tokens, repetition,
                                      presence, frequency);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "penalties");
}

}  // namespace saker
