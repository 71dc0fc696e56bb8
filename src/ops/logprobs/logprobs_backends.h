// The backends' own entry points; shapes are checked by then. Included by this folder alone.
#pragma once

#include "tensor/exec.h"

namespace saker {
namespace ref {
void logprobs(const Exec&, const Tensor& chosen_logprob, const Tensor& top_ids,
              const Tensor& top_logprobs, const Tensor& logits, const Tensor& chosen);
}
namespace cpu {
void logprobs(const Exec&, const Tensor& chosen_logprob, const Tensor& top_ids,
              const Tensor& top_logprobs, const Tensor& logits, const Tensor& chosen);
}
}  // namespace saker
