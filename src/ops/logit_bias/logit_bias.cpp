// Checks the shapes and chooses the backend.
#include "ops/logit_bias/logit_bias.h"

#include "ops/logit_bias/logit_bias_backends.h"
#include "tensor/expect.h"

namespace saker {

void logit_bias(const Exec& ex, const Tensor& logits, const Tensor& ids, const Tensor& bias,
                const Tensor& starts) {
    Dim S{"S"}, V{"V"}, N{"N"};
    const Expect expect("logit_bias", ex);
    expect.dense(logits, "logits", {S, V}, {DType::f32});
    expect.dense(ids, "ids", {N}, {DType::i32});
    expect.dense(bias, "bias", {N}, {DType::f32});
    expect.dense(starts, "starts", {S + 1}, {DType::i32});
    if (logits.num_elements() == 0 || ids.num_elements() == 0) return;
    switch (ex.backend) {
        case Backend::ref:
            return ref::logit_bias(ex, logits, ids, bias, starts);
        case Backend::cpu:
            if constexpr (is_built(Backend::cpu))
                return cpu::logit_bias(ex, logits, ids, bias, starts);
            break;
        case Backend::cuda:
            break;
    }
    backend_missing(ex, "logit_bias");
}

}  // namespace saker
