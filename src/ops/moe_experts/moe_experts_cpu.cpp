// Sorts the (token, expert) pairs by expert, so that each expert's weights are read once for all of
// its tokens, and then runs three jobs of the thread pool: gate and up with the activation, down
// with the router's weight, and the sum over each token's experts. Tasks of the first two are
// (block of an expert's pairs, column block), so that few tokens and many use every core alike. The
// order of sums is that of gemm_tile and of the experts in a token's row: a token alone has the
// same bits.
#include "ops/moe_experts/moe_experts_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/moe_experts/moe_experts_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>

#include "ops/elementwise-inl.h"
#include "ops/moe_experts/moe_pairs_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

constexpr int64_t kRows = cpu::kGemmRows, kPitch = cpu::kGemmColumns;

// bf(bf(silu(gate)) * up) of the sums; the store is the last rounding.
template <class T>
struct Activate {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V gate_sum, V up_sum) const {
        const V gate = RoundAs<T>(d, gate_sum), up = RoundAs<T>(d, up_sum);
        return hn::Mul(RoundAs<T>(d, Gated(d, gate, gate)), up);
    }
};

// bf(bf(sum) * weight); likewise.
template <class T>
struct Weigh {
    float weight;
    template <class D, class V>
    HWY_INLINE V operator()(D d, V sum) const {
        return hn::Mul(RoundAs<T>(d, sum), hn::Set(d, weight));
    }
};

// hidden [T * A, F], in the order of `pairs`: the activated products with gate and up.
template <class T>
void GateUp(const Tensor& hidden, const Tensor& x, const Tensor& weight, const cpu::Pairs& pairs,
            const cpu::PairTask& task) {
    float gate[kRows * kPitch], up[kRows * kPitch];
    const int64_t F = hidden.dim(1);
    for (int64_t i = task.begin; i < task.end; i += kRows) {
        const int64_t rows = std::min(kRows, task.end - i);
        const void* x_rows[kRows];
        for (int64_t r = 0; r < rows; ++r) x_rows[r] = x.row<T>(pairs.token(i + r));
        cpu::gemm_tile(x.dtype(), x_rows, rows, weight, task.column, task.num_columns, gate);
        cpu::gemm_tile(x.dtype(), x_rows, rows, weight, F + task.column, task.num_columns, up);
        for (int64_t r = 0; r < rows; ++r)
            MapRow(Activate<T>{}, task.num_columns, hidden.row<T>(i + r) + task.column,
                   gate + r * kPitch, up + r * kPitch);
    }
}

// weighed [T * A, C], in the order of tokens: down of `hidden`, times the router's weight.
template <class T>
void Down(const Tensor& weighed, const Tensor& hidden, const Tensor& weights, const Tensor& weight,
          const cpu::Pairs& pairs, const cpu::PairTask& task) {
    float sums[kRows * kPitch];
    for (int64_t i = task.begin; i < task.end; i += kRows) {
        const int64_t rows = std::min(kRows, task.end - i);
        const void* hidden_rows[kRows];
        for (int64_t r = 0; r < rows; ++r) hidden_rows[r] = hidden.row<T>(i + r);
        cpu::gemm_tile(hidden.dtype(), hidden_rows, rows, weight, task.column, task.num_columns,
                       sums);
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t pair = pairs.order[i + r];
            const float factor = weights.dtype() == DType::f32
                                     ? weights.as<float>()[pair]
                                     : static_cast<float>(weights.as<Bf16>()[pair]);
            MapRow(Weigh<T>{factor}, task.num_columns, weighed.row<T>(pair) + task.column,
                   sums + r * kPitch);
        }
    }
}

// out = the sum of A rows of C numbers, first to last, in f32.
template <class T>
void SumRows(T* out, const T* rows, int64_t A, int64_t C) {
    const hn::ScalableTag<float> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t c = 0;
    for (; c + lanes <= C; c += lanes) {
        auto sum = hn::Zero(d);
        for (int64_t a = 0; a < A; ++a) sum = hn::Add(sum, LoadF32(d, rows + a * C + c));
        StoreF32(sum, d, out + c);
    }
    if (c == C) return;
    auto sum = hn::Zero(d);
    for (int64_t a = 0; a < A; ++a) sum = hn::Add(sum, LoadPart(d, rows + a * C + c, C - c));
    StorePart(sum, d, out + c, C - c);
}

void MoeExperts(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& experts,
                const Tensor& weights, const Tensor& gate_up, const Tensor& down) {
    const int64_t T = x.dim(0), C = x.dim(1), A = experts.dim(1), F = down.dim(2);
    ScratchScope scratch(ex);
    const cpu::Pairs pairs = cpu::sort_pairs(scratch, experts, down.dim(0));
    const Tensor hidden = scratch.take(x.dtype(), {T * A, F});
    const Tensor weighed = scratch.take(x.dtype(), {T * A, C});
    ByDType(
        [&](auto number) {
            using Number = decltype(number);
            cpu::run_pairs(ex, pairs, F, 2 * C, [&](const cpu::PairTask& task) {
                GateUp<Number>(hidden, x, gate_up.at(task.expert), pairs, task);
            });
            cpu::run_pairs(ex, pairs, C, F, [&](const cpu::PairTask& task) {
                Down<Number>(weighed, hidden, weights, down.at(task.expert), pairs, task);
            });
            ForRows(ex, T, A * C, [&](int64_t t) {
                SumRows(out.row<Number>(t), weighed.row<Number>(t * A), A, C);
            });
        },
        x.dtype());
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(MoeExperts);
void cpu::moe_experts(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& experts,
                      const Tensor& weights, const Tensor& gate_up, const Tensor& down) {
    HWY_DYNAMIC_DISPATCH(MoeExperts)(ex, out, x, experts, weights, gate_up, down);
}
}  // namespace saker
#endif
