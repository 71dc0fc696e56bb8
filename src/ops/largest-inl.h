// The largest numbers of a long row without sorting it: for sample and logprobs on cpu.
//
// One SIMD pass takes the maximum of each block of 64. The k-th largest of these maxima is a bound
// that at least k numbers of the row reach, and few more as a rule; only blocks whose maximum
// reaches it are read again. Everything is exact: ties are kept, and order is by number, then id.
// Included as simd-inl.h is.
#if defined(SAKER_OPS_LARGEST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAKER_OPS_LARGEST_INL_H_
#undef SAKER_OPS_LARGEST_INL_H_
#else
#define SAKER_OPS_LARGEST_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "ops/simd-inl.h"
#include "tensor/exec.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

constexpr int64_t kBlock = 64;
constexpr float kLowest = std::numeric_limits<float>::lowest();

/// Scratch for one row of V numbers; a thread takes rows one after the other.
struct RowScratch {
    int64_t* keys;  // [V]
    float* maxima;  // [ceil(V / kBlock)]
    float* order;   // [ceil(V / kBlock)]
};

/// The numbers of a row in falling order (ties by id), found as far as they are asked for. -inf
/// does not count as a number.
class Falling {
  public:
    /// `first_k`: how many are likely to be asked for.
    Falling(const float* row, int64_t V, int64_t first_k, RowScratch scratch)
        : row_(row), V_(V), k_(std::max<int64_t>(first_k, 1)), scratch_(scratch) {
        TakeMaxima();
        for (int64_t b = 0; b < num_blocks(); ++b)
            largest_ = std::max(largest_, scratch_.maxima[b]);
    }

    /// False where the row holds a NaN or +inf, or nothing above -inf. Ask nothing else then.
    bool usable() const { return usable_ && largest_ >= kLowest; }
    float largest() const { return largest_; }

    /// The id of the i-th largest number, or -1 where there are not as many.
    int32_t operator[](int64_t i) {
        while (i >= count_ && bound_ > kLowest) Extend();
        return i < count_ ? static_cast<int32_t>(scratch_.keys[i] & 0xFFFFFFFF) : -1;
    }

    /// f(id) for each number of at least `low`, in order of id.
    template <class F>
    void ForEachFrom(float low, F f) const {
        for (int64_t b = 0; b < num_blocks(); ++b) {
            if (scratch_.maxima[b] < low) continue;
            const int64_t end = std::min(V_, (b + 1) * kBlock);
            for (int64_t v = b * kBlock; v < end; ++v)
                if (row_[v] >= low) f(static_cast<int32_t>(v));
        }
    }

  private:
    int64_t num_blocks() const { return (V_ + kBlock - 1) / kBlock; }

    void TakeMaxima() {
        const hn::ScalableTag<float> d;
        const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
        const auto infinity = hn::Set(d, HUGE_VALF);
        auto finite = hn::Lt(hn::Zero(d), infinity);
        for (int64_t b = 0; b < num_blocks(); ++b) {
            const float* at = row_ + b * kBlock;
            const int64_t n = std::min(kBlock, V_ - b * kBlock);
            auto most = hn::Neg(infinity);
            int64_t i = 0;
            for (; i + lanes <= n; i += lanes) {
                const auto v = hn::LoadU(d, at + i);
                finite = hn::And(finite, hn::Lt(v, infinity));
                most = hn::Max(most, v);
            }
            float one = hn::GetLane(hn::MaxOfLanes(d, most));
            for (; i < n; ++i) {
                usable_ = usable_ && at[i] < HUGE_VALF;
                one = std::max(one, at[i]);
            }
            scratch_.maxima[b] = one;
        }
        usable_ = usable_ && hn::AllTrue(d, finite);
    }

    // Rises where the number falls, and with the id among equals: one comparison of integers.
    static int64_t Key(float number, int32_t id) {
        const auto bits = std::bit_cast<int32_t>(number + 0.0f);  // -0 is 0
        return (int64_t{bits < 0 ? bits & 0x7FFFFFFF : ~bits} << 32) | id;
    }

    // Appends the numbers below the last bound down to one that k_ numbers reach.
    void Extend() {
        float low = kLowest;
        if (k_ <= num_blocks()) {
            std::copy_n(scratch_.maxima, num_blocks(), scratch_.order);
            std::nth_element(scratch_.order, scratch_.order + k_ - 1, scratch_.order + num_blocks(),
                             std::greater<>());
            low = std::max(low, scratch_.order[k_ - 1]);
        }
        const int64_t before = count_;
        ForEachFrom(low, [&](int32_t id) {
            if (row_[id] < bound_) scratch_.keys[count_++] = Key(row_[id], id);
        });
        std::sort(scratch_.keys + before, scratch_.keys + count_);
        bound_ = low;
        k_ *= 8;
    }

    const float* row_;  // [V]
    int64_t V_, k_;
    RowScratch scratch_;
    bool usable_ = true;
    float largest_ = -HUGE_VALF;
    int64_t count_ = 0;        // ids found, in order
    float bound_ = HUGE_VALF;  // all numbers of at least this are found
};

/// body(s, scratch) for each row, on every thread; a thread keeps its scratch.
template <class F>
void ForScratchRows(const Exec& ex, int64_t num_rows, int64_t V, F body) {
    const int64_t threads = std::min<int64_t>(num_rows, ex.pool->num_threads());
    const int64_t blocks = (V + kBlock - 1) / kBlock;
    ScratchScope scope(ex);
    const Tensor keys = scope.take(DType::i64, {threads, V});
    const Tensor maxima = scope.take(DType::f32, {threads, blocks});
    const Tensor order = scope.take(DType::f32, {threads, blocks});
    ex.pool->run(threads, [&](int64_t t) {
        const RowScratch scratch = {keys.row<int64_t>(t), maxima.row<float>(t),
                                    order.row<float>(t)};
        for (int64_t s = t; s < num_rows; s += threads) body(s, scratch);
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#endif  // SAKER_OPS_LARGEST_INL_H_
