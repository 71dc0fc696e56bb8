// attention: each query token attends to the keys of its own sequence, up to itself, through page
// tables.
//
//   out[t, h] = softmax_j(scale * q[t, h] . k[j, h / (H/K)]) . v[j, h / (H/K)],  j <= position of t
//
// A ragged batch: sequence s owns query rows starts[s] .. starts[s+1]-1, the last of its
// `context[s]` tokens; prefill chunks and decodes mix freely. The keys and values of these rows are
// in the pages already (kv_write). Model specification 3.3; paging as in Kwon et al.,
// "PagedAttention", SOSP 2023; running softmax as in Milakov and Gimelshein, 2018.
#pragma once

#include "tensor/exec.h"

namespace saker {

/// out, q: [T, H, D] f32 or bf16, q's rows may be strided. k_pages, v_pages: [Np, K, B, D] of q's
/// dtype, K divides H. starts: [S+1] i32, rising from 0 to T. context: [S] i32: tokens in the
/// cache, these included. page_table: [S, P] i32: page of tokens i*B .. i*B+B-1; entries beyond the
/// context are not read. scale is above 0. Scores, softmax and sums in f32, one rounding at the
/// store. Tokens of a page beyond the context may hold anything, NaN included. Invariant to batch
/// and to chunks on ref and cpu: a row's bits depend on its own position and keys alone.
void attention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k_pages,
               const Tensor& v_pages, const Tensor& starts, const Tensor& context,
               const Tensor& page_table, float scale);

}  // namespace saker
