// Cases x backends against ref, to the bit, the rows that stay included.
#include "ops/scatter_rows/scatter_rows.h"

#include <gtest/gtest.h>

#include "ops/harness.h"
#include "ops/scatter_rows/scatter_rows_cases.h"

namespace saker {
namespace {

// N different rows of T, out of order: T and the step have no common factor in any case.
std::vector<int32_t> different_rows(int64_t T, int64_t N) {
    const int64_t step = 7 % T == 0 || T % 7 == 0 ? 5 : 7;
    std::vector<int32_t> rows;
    for (int64_t n = 0; n < N; ++n) rows.push_back(static_cast<int32_t>((n * step + T / 2) % T));
    return rows;
}

Tensor run(Rig& rig, const ScatterRowsCase& c, Pick) {
    const Tensor x = rig.output(c.dtype, {c.T, c.C});
    copy(x, rig.random("x", c.dtype, {c.T, c.C}), rig.ex.stream);
    scatter_rows(rig.ex, x, rig.of(different_rows(c.T, c.N), {c.N}),
                 rig.random("values", c.dtype, {c.N, c.C}, 1.0f, c.values_stride), c.mode);
    return x;
}

TEST(ScatterRows, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kScatterRowsCases, run, [](const ScatterRowsCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(ScatterRows, SetsAndAdds) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor x = rig.of<float>({1, 2, 3, 4, 5, 6}, {3, 2}),
                     rows = rig.of<int32_t>({2, 0}, {2}),
                     values = rig.of<float>({10, 20, 30, 40}, {2, 2});
        scatter_rows(rig.ex, x, rows, values, Scatter::add);
        EXPECT_EQ("", compare_exact(rig.fetch(x), {31, 42, 3, 4, 15, 26})) << to_string(backend);
        scatter_rows(rig.ex, x, rows, values, Scatter::set);
        EXPECT_EQ("", compare_exact(rig.fetch(x), {30, 40, 3, 4, 10, 20})) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
