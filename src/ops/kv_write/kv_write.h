// kv_write: puts this step's keys and values into their places in the KV pages.
//
// Pages hold B tokens (kPageTokens); slot s is token s % B of page s / B. The layout keeps each KV
// head of a page contiguous, so that attention reads it with one bulk copy.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// k_pages, v_pages: [Np, K, B, D] f32 or bf16. k, v: [T, K, D] of the same dtype, rows may be
/// strided. slots: [T] i32, all different; a negative slot writes nothing.
void kv_write(const Exec& ex, const Tensor& k_pages, const Tensor& v_pages, const Tensor& k,
              const Tensor& v, const Tensor& slots);

}  // namespace saker
