// logprobs: log-probabilities of the chosen token and of the likeliest ones.
//
//   logprob(v) = l[v] - log(sum_u exp(l[u]))
#pragma once

#include "tensor/exec.h"

namespace saker {

/// chosen_logprob: [S] f32. top_ids: [S, A] i32 and top_logprobs: [S, A] f32, falling, ties to the
/// lower id; both absent where only the chosen one is wanted. logits: [S, V] f32. chosen: [S] i32.
/// A row that holds a NaN or +inf, or nothing above -inf, yields NaN and ids of -1 throughout, and
/// a chosen id outside [0, V) a NaN. Sum in f64 on ref. A <= V. Batch invariant.
void logprobs(const Exec& ex, const Tensor& chosen_logprob, const Tensor& top_ids,
              const Tensor& top_logprobs, const Tensor& logits, const Tensor& chosen);

}  // namespace saker
