// Threads over rows. Entries lie anywhere in a row and come in order, so there is nothing for SIMD;
// rows without entries cost nothing.
#include "ops/logit_bias/logit_bias_backends.h"

namespace saker::cpu {

void logit_bias(const Exec& ex, const Tensor& logits, const Tensor& ids, const Tensor& bias,
                const Tensor& starts) {
    const int32_t V = static_cast<int32_t>(logits.dim(1));
    const int32_t* id = ids.as<int32_t>();
    const float* add = bias.as<float>();
    ex.pool->run(logits.dim(0), [&](int64_t s) {
        float* row = logits.row<float>(s);
        const int32_t end = starts.as<int32_t>()[s + 1];
        for (int32_t i = starts.as<int32_t>()[s]; i < end; ++i)
            if (id[i] >= 0 && id[i] < V) row[id[i]] += add[i];
    });
}

}  // namespace saker::cpu
