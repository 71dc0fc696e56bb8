// One copy a row, threads over rows. Bound by memory.
#include <cstring>

#include "ops/gather_rows/gather_rows_backends.h"

namespace saker::cpu {

void gather_rows(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& rows) {
    const int64_t row_bytes = x.dim(1) * size_of(x.dtype());
    const auto* from = static_cast<const char*>(x.raw());
    auto* to = static_cast<char*>(out.raw());
    ex.pool->for_ranges(out.dim(0), 1 + 65536 / row_bytes, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n)
            std::memcpy(to + n * row_bytes, from + rows.as<int32_t>()[n] * row_bytes,
                        static_cast<size_t>(row_bytes));
    });
}

}  // namespace saker::cpu
