// KvPages: the memory of the KV cache, one pair of tensors a layer.
//
// Layout [Np, K, B, D]: the B tokens of one KV head in one page are contiguous, so attention reads
// a head's page as one run (one bulk copy on a GPU). Keys are stored after rope.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/arena.h"

namespace saker {

struct KvShape {
    int64_t num_layers = 0;    // L
    int64_t num_kv_heads = 0;  // K
    int64_t head_dim = 0;      // D
    DType dtype = DType::bf16;

    /// Bytes of keys and values that one token takes, all layers.
    int64_t bytes_per_token() const {
        return 2 * num_layers * num_kv_heads * head_dim * size_of(dtype);
    }
};

class KvPages {
  public:
    KvPages(const KvShape& shape, int64_t num_pages, Place place);

    int64_t num_pages() const { return num_pages_; }
    const Tensor& keys(int64_t layer) const { return keys_[static_cast<size_t>(layer)]; }
    const Tensor& values(int64_t layer) const { return values_[static_cast<size_t>(layer)]; }
    int64_t size_bytes() const { return arena_.capacity_bytes(); }

  private:
    int64_t num_pages_;
    Arena arena_;
    std::vector<Tensor> keys_, values_;  // [Np, K, B, D] each
};

}  // namespace saker
