// Copies of whole heads, threads over tokens. Bound by memory, one read and one write.
#include <cstring>

#include "ops/kv_write/kv_write_backends.h"

namespace saker::cpu {

void kv_write(const Exec& ex, const Tensor& k_pages, const Tensor& v_pages, const Tensor& k,
              const Tensor& v, const Tensor& slots) {
    const int64_t K = k.dim(1), B = k_pages.dim(2), D = k.dim(2), element = size_of(k.dtype());
    const int64_t head_bytes = D * element;
    const auto write = [&](const Tensor& pages, const Tensor& from, int64_t t, int64_t slot) {
        const char* head = static_cast<char*>(from.raw()) + t * from.row_stride() * element;
        char* to = static_cast<char*>(pages.raw()) +
                   (slot / B * pages.row_stride() + slot % B * D) * element;
        for (int64_t h = 0; h < K; ++h)
            std::memcpy(to + h * B * head_bytes, head + h * head_bytes,
                        static_cast<size_t>(head_bytes));
    };
    ex.pool->for_ranges(k.dim(0), 1 + 65536 / (K * head_bytes), [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
            const int64_t slot = slots.as<int32_t>()[t];
            if (slot < 0) continue;
            CHECK(slot / B < k_pages.dim(0), "kv_write: a slot lies beyond the last page");
            write(k_pages, k, t, slot);
            write(v_pages, v, t, slot);
        }
    });
}

}  // namespace saker::cpu
