// Checks the shapes and chooses the backend.
#include "ops/logprobs/logprobs.h"

#include "ops/logprobs/logprobs_backends.h"
#include "tensor/expect.h"

namespace saker {

void logprobs(const Exec& ex, const Tensor& chosen_logprob, const Tensor& top_ids,
              const Tensor& top_logprobs, const Tensor& logits, const Tensor& chosen) {
    Dim S{"S"}, V{"V"}, A{"A"};
    const Expect expect("logprobs", ex);
    expect.dense(logits, "logits", {S, V}, {DType::f32});
    expect.dense(chosen, "chosen", {S}, {DType::i32});
    expect.dense(chosen_logprob, "chosen_logprob", {S}, {DType::f32});
    CHECK(top_ids.exists() == top_logprobs.exists(),
          "logprobs: top_ids and top_logprobs are wanted together or not at all");
    if (top_ids.exists()) {
        expect.dense(top_ids, "top_ids", {S, A}, {DType::i32});
        expect.dense(top_logprobs, "top_logprobs", {S, A}, {DType::f32});
        CHECK(A <= V, "logprobs: more tokens are asked for than there are");
    }
    if (S == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::logprobs(ex, chosen_logprob, top_ids, top_logprobs, logits, chosen);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::logprobs(ex, chosen_logprob, top_ids, top_logprobs, logits, chosen);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "logprobs");
}

}  // namespace saker
