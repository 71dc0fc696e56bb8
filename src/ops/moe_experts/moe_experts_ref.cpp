// The truth: token after token, expert after expert, with the roundings that the header lists.
#include <cmath>
#include <vector>

#include "ops/moe_experts/moe_experts_backends.h"
#include "ops/scalar.h"

namespace saker::ref {
namespace {

// Row `row` of a weight matrix times a vector, rounded once.
float dot(const Tensor& matrix, int64_t row, const std::vector<float>& v, DType dtype) {
    double sum = 0;
    for (size_t i = 0; i < v.size(); ++i)
        sum += double{v[i]} * get(matrix, row, static_cast<int64_t>(i));
    return rounded(dtype, static_cast<float>(sum));
}

float silu(float v) {
    return static_cast<float>(v / (1.0 + std::exp(-double{v})));
}

}  // namespace

void moe_experts(const Exec&, const Tensor& out, const Tensor& x, const Tensor& experts,
                 const Tensor& weights, const Tensor& gate_up, const Tensor& down) {
    const int64_t T = x.dim(0), C = x.dim(1), A = experts.dim(1), F = down.dim(2);
    const DType dtype = x.dtype();
    std::vector<float> token(static_cast<size_t>(C)), hidden(static_cast<size_t>(F));
    for (int64_t t = 0; t < T; ++t) {
        std::vector<double> sums(static_cast<size_t>(C));
        for (int64_t c = 0; c < C; ++c) token[static_cast<size_t>(c)] = get(x, t, c);
        for (int64_t a = 0; a < A; ++a) {
            const int64_t e = experts.row<int32_t>(t)[a];
            CHECK(e >= 0 && e < gate_up.dim(0), "moe_experts: an expert that does not exist");
            for (int64_t f = 0; f < F; ++f) {
                const float gate = dot(gate_up.at(e), f, token, dtype);
                const float up = dot(gate_up.at(e), F + f, token, dtype);
                hidden[static_cast<size_t>(f)] = rounded(dtype, rounded(dtype, silu(gate)) * up);
            }
            for (int64_t c = 0; c < C; ++c) {
                const float y = dot(down.at(e), c, hidden, dtype);
                sums[static_cast<size_t>(c)] += rounded(dtype, y * get(weights, t, a));
            }
        }
        for (int64_t c = 0; c < C; ++c)
            set(out, t, c, static_cast<float>(sums[static_cast<size_t>(c)]));
    }
}

}  // namespace saker::ref
