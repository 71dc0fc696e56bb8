// sample: the next token of each row: temperature, top-k, top-p, min-p, then one draw.
//
// Order as Hugging Face (model specification 8.4): temperature; top-k, keeping ties at the k-th
// logit; top-p, the smallest set of largest probabilities with a mass of at least p; min-p, tokens
// of at least min_p times the largest probability; then softmax and one uniform draw, walking the
// tokens in falling order of logit (ties by id). Temperature below 1e-5 is greedy: the largest
// logit, ties to the lower id.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// tokens: [S] i32. logits: [S, V] f32, unchanged. temperature, top_p, min_p: [S] f32; top_k: [S]
/// i32, 0 off. seed, draw: [S] i64: the draw is Rng(seed).uniform(draw), so a request's tokens
/// depend on its seed and its own count of tokens, never on the batch. A row that holds a NaN or
/// +inf, or nothing above -inf, yields -1.
void sample(const Exec& ex, const Tensor& tokens, const Tensor& logits, const Tensor& temperature,
            const Tensor& top_k, const Tensor& top_p, const Tensor& min_p, const Tensor& seed,
            const Tensor& draw);

}  // namespace saker
