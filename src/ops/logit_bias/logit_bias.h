// logit_bias: adds to chosen logits, before sampling; minus infinity bans a token.
//
//   logits[s, ids[i]] += bias[i]    for i = starts[s] .. starts[s+1]-1, in this order
//
// What a sequence's banned tokens, and a request's own biases, do to its row. In f32, one rounding
// an entry, as OpenAI's and Hugging Face's definitions have it. Comes before penalties and
// temperature: a logit that is -inf stays it.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// logits: [S, V] f32, in place. ids: [N] i32, bias: [N] f32: entries, row by row; row s owns
/// starts[s] .. starts[s+1]-1 (starts: [S+1] i32, falling nowhere, within 0 .. N). An id that
/// stands several times in a row is added to several times, in order. Ids outside [0, V) are passed
/// over. The sum is IEEE's: -inf on a finite logit is -inf, a NaN on either side is NaN, and so are
/// +inf and -inf together; sample then yields no token for the row. A row's bits do not depend on
/// the other rows.
void logit_bias(const Exec& ex, const Tensor& logits, const Tensor& ids, const Tensor& bias,
                const Tensor& starts);

}  // namespace saker
