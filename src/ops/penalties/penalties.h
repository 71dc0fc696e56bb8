// penalties: lowers the logits of tokens that have been seen, before sampling.
//
//   repetition: l = l > 0 ? l / r : l * r        for tokens of prompt and output
//   then:       l -= frequency * count + presence  for tokens of the output
//
// Model specification 8.4 (Hugging Face's repetition penalty) and OpenAI's definition of the other
// two; over the output alone, as vLLM does.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// logits: [S, V] f32, in place. history: [N] i32, each row's tokens so far, prompt first; row s
/// owns starts[s] .. starts[s+1]-1 (starts: [S+1] i32), of which the first prompt_tokens[s] ([S]
/// i32) are prompt. Ids outside [0, V) are passed over. repetition (1: off), presence, frequency
/// (0: off): [S] f32.
void penalties(const Exec& ex, const Tensor& logits, const Tensor& history, const Tensor& starts,
               const Tensor& prompt_tokens, const Tensor& repetition, const Tensor& presence,
               const Tensor& frequency);

}  // namespace saker
