// The truth: one number after the other.
#include "ops/kv_write/kv_write_backends.h"
#include "ops/scalar.h"

namespace saker::ref {

void kv_write(const Exec&, const Tensor& k_pages, const Tensor& v_pages, const Tensor& k,
              const Tensor& v, const Tensor& slots) {
    const int64_t K = k.dim(1), B = k_pages.dim(2), D = k.dim(2);
    for (int64_t t = 0; t < k.dim(0); ++t) {
        const int64_t slot = slots.as<int32_t>()[t];
        if (slot < 0) continue;
        CHECK(slot / B < k_pages.dim(0), "kv_write: a slot lies beyond the last page");
        for (int64_t h = 0; h < K; ++h) {
            for (int64_t d = 0; d < D; ++d) {
                const int64_t column = (h * B + slot % B) * D + d;
                set(k_pages, slot / B, column, get(k, t, h * D + d));
                set(v_pages, slot / B, column, get(v, t, h * D + d));
            }
        }
    }
}

}  // namespace saker::ref
