// The truth: one entry after the other.
#include "ops/logit_bias/logit_bias_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void logit_bias(const Exec&, const Tensor& logits, const Tensor& ids, const Tensor& bias,
                const Tensor& starts) {
    for (int64_t s = 0; s < logits.dim(0); ++s)
        for (int32_t i = starts.as<int32_t>()[s]; i < starts.as<int32_t>()[s + 1]; ++i) {
            const int32_t id = ids.as<int32_t>()[i];
            if (id < 0 || id >= logits.dim(1)) continue;
            set(logits, s, id, get(logits, s, id) + get(bias, i, 0));
        }
}

}  // namespace saker::ref
