// Cuts one arena into the layers' tensors.
#include "cache/kv_pages.h"

#include "cache/page_pool.h"

namespace saker {

KvPages::KvPages(const KvShape& shape, int64_t num_pages, Place place)
    : num_pages_(num_pages),
      arena_(2 * shape.num_layers *
                 Arena::padded_bytes(shape.dtype,
                                     {num_pages, shape.num_kv_heads, kPageTokens, shape.head_dim}),
             place) {
    for (int64_t l = 0; l < shape.num_layers; ++l) {
        keys_.push_back(
            arena_.take(shape.dtype, {num_pages, shape.num_kv_heads, kPageTokens, shape.head_dim}));
        values_.push_back(
            arena_.take(shape.dtype, {num_pages, shape.num_kv_heads, kPageTokens, shape.head_dim}));
    }
}

}  // namespace saker
