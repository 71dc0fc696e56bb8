// The inner loops of attention and vision_attention on cpu: a tile of query rows against a tile of
// keys, with a running softmax. Included once per target, as simd-inl.h is.
//
// A row tile holds query rows that share their keys (the query heads of one KV head for several
// tokens, or patches), up to 256. For each tile of 64 keys:
//
//   scores[r, j] = scale q[r] . k[j]            lanes are keys: k is packed as panels [D][lanes]
//   m' = max(m, scores), p = exp(scores - m'),  l = l exp(m - m') + sum p     (as powers of two)
//   acc[r] = acc[r] exp(m - m') + sum_j p[j] v[j]   lanes are columns of v
//
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao, 2022.) Both
// products are register tiles of rows x vectors in which each number is one chain of multiply-adds
// in the order of d, or of j. How rows are grouped into tiles and blocks therefore never shows in
// the bits: they depend on the row's own keys, counted from the first, and on the target.
#if defined(SAKER_OPS_ATTEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SAKER_OPS_ATTEND_INL_H_
#undef SAKER_OPS_ATTEND_INL_H_
#else
#define SAKER_OPS_ATTEND_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/attend_blocks-inl.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

// ---- the softmax --------------------------------------------------------------------------------

/// The largest of a row's scores, over whole vectors.
HWY_INLINE FloatVec LanewiseMax(const float* row, int64_t num_panels) {
    const Floats d;
    auto most = hn::Load(d, row);
    for (int64_t p = 1; p < num_panels; ++p) most = hn::Max(most, hn::Load(d, row + p * kLanes));
    return most;
}

#if HWY_TARGET != HWY_SCALAR
/// Stores the largest of each of the four lanes' columns over all 128-bit blocks.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreMaxOfBlocks(D d, V v, float* out) {
    if constexpr (hn::MaxLanes(D()) <= 4) {
        hn::StoreU(v, d, out);
    } else {
        const hn::Half<D> half;
        StoreMaxOfBlocks(half, hn::Max(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), out);
    }
}
#endif

/// The largest scores of four rows: one reduction for all, where each alone would cost as much.
HWY_INLINE void MaxOfFourRows(const float* scores, int64_t num_panels, float* out) {
#if HWY_TARGET == HWY_SCALAR
    for (int64_t r = 0; r < 4; ++r)
        out[r] = hn::GetLane(LanewiseMax(scores + r * kTileKeys, num_panels));
#else
    const Floats d;
    auto a = LanewiseMax(scores, num_panels), b = LanewiseMax(scores + kTileKeys, num_panels);
    auto c = LanewiseMax(scores + 2 * kTileKeys, num_panels),
         e = LanewiseMax(scores + 3 * kTileKeys, num_panels);
    TransposeSquares(d, a, b, c, e);
    StoreMaxOfBlocks(d, hn::Max(hn::Max(a, b), hn::Max(c, e)), out);
#endif
}

// ---- a tile of rows -----------------------------------------------------------------------------

/// A tile of query rows and its running softmax, in memory that the caller gives. The order of
/// calls: begin_rows, then for each span of keys begin_keys, add_keys..., end_keys and either
/// join_total or a look at acc(), largest() and sum(); at last write_row.
class RowTile {
  public:
    /// Floats that a tile of at most `max_rows` rows and its key tile take.
    static int64_t size(int64_t max_rows, int64_t D) {
        const int64_t slack = max_rows + kLanes, width = PaddedWidth(D);
        return slack * (3 * width + kTileKeys + kLanes + 6) + kTileKeys * 2 * width + width +
               16 * kLanes;
    }

    /// `memory`: size() floats, aligned to 64 bytes.
    RowTile(float* memory, int64_t max_rows, int64_t D) : D_(D), width_(PaddedWidth(D)) {
        const auto take = [&](int64_t n) {
            float* at = memory;
            memory += (n + kLanes - 1) / kLanes * kLanes;
            return at;
        };
        // The softmax works on four rows or on a vector of them at a time: a vector of slack.
        const int64_t slack = max_rows + kLanes;
        q_ = take(max_rows * D);
        scores_ = take(slack * kTileKeys);
        std::fill_n(scores_, slack * kTileKeys, 0.0f);
        acc_ = take(max_rows * width_);
        total_ = take(max_rows * width_);
        lane_sums_ = take(max_rows * kLanes);
        for (float** at : {&largest_, &sum_, &next_, &decay_, &total_largest_, &total_sum_}) {
            *at = take(slack);
            std::fill_n(*at, slack, 0.0f);
        }
        panels_ = take(kTileKeys * D);
        values_ = take(kTileKeys * width_);
        zeros_ = std::memset(take(width_), 0, static_cast<size_t>(width_) * sizeof(float));
    }

    /// Takes `rows` query rows; row(r) is a pointer to D numbers.
    template <class Row>
    void begin_rows(int64_t rows, Row row) {
        rows_ = rows;
        for (int64_t first = 0; first < rows;) {
            const int64_t block = BlockOf(rows - first);
            float* to = q_ + first * D_;
            decltype(row(first)) from[kBlockRows];
            for (int64_t r = 0; r < block; ++r) from[r] = row(first + r);
            const hn::CappedTag<float, size_t{kBlockRows}> d;
            if (block == static_cast<int64_t>(hn::MaxLanes(d))) {
                PackPanel(d, from, D_, to);
            } else {
                for (int64_t r = 0; r < block; ++r)
                    for (int64_t i = 0; i < D_; ++i)
                        to[i * block + r] = static_cast<float>(from[r][i]);
            }
            first += block;
        }
    }

    /// Starts a softmax of no keys yet.
    void begin_keys() {
        std::fill_n(largest_, rows_, -HUGE_VALF);
        std::fill_n(lane_sums_, rows_ * kLanes, 0.0f);
        std::fill_n(acc_, rows_ * width_, 0.0f);
    }

    /// Adds `num_keys` keys (up to kTileKeys), given as pointers to their rows; `keys` has room for
    /// kTileKeys pointers and is filled up. Rows below `first_row` see none of them; row r from
    /// there on sees the first min(num_keys, limit + (r - first_row) / group).
    template <class T>
    void add_keys(const T** keys, const T* const* values, int64_t num_keys, float scale,
                  int64_t first_row, int64_t limit, int64_t group);

    void end_keys() {
        const Floats d;
        for (int64_t r = 0; r < rows_; ++r)
            sum_[r] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, lane_sums_ + r * kLanes)));
    }

    /// Joins the softmax since begin_keys() to the total; `first`: it becomes the total.
    void join_total(bool first) {
        if (first) {
            std::swap(acc_, total_);
            std::swap(largest_, total_largest_);
            std::swap(sum_, total_sum_);
            return;
        }
        for (int64_t r = 0; r < rows_; ++r)
            Join(width_, total_ + r * width_, total_largest_ + r, total_sum_ + r, acc_ + r * width_,
                 largest_[r], sum_[r]);
    }

    /// Joins one row's softmax over some keys to its total over earlier ones.
    static void Join(int64_t width, float* total, float* total_largest, float* total_sum,
                     const float* part, float largest, float sum) {
        if (largest == -HUGE_VALF && sum == 0) return;  // the row sees none of these keys
        const Floats d;
        const float m = std::max(*total_largest, largest);
        const auto a = Exp2Negative(hn::Set(d, *total_largest - m));
        const auto b = Exp2Negative(hn::Set(d, largest - m));
        for (int64_t i = 0; i < width; i += kLanes) {
            const auto scaled = hn::Mul(hn::LoadU(d, total + i), a);
            hn::StoreU(hn::MulAdd(hn::LoadU(d, part + i), b, scaled), d, total + i);
        }
        *total_largest = m;
        *total_sum = *total_sum * hn::GetLane(a) + sum * hn::GetLane(b);
    }

    /// Row r of the total, divided by its sum, rounded once.
    template <class T>
    void write_row(int64_t r, T* out) const {
        WriteRow(total_ + r * width_, total_sum_[r], D_, out);
    }
    template <class T>
    static void WriteRow(const float* acc, float sum, int64_t D, T* out) {
        const Floats d;
        const float inverse = 1.0f / sum;
        int64_t i = 0;
        for (; i + kLanes <= D; i += kLanes)
            StoreF32(hn::Mul(hn::LoadU(d, acc + i), hn::Set(d, inverse)), d, out + i);
        for (; i < D; ++i) {
            if constexpr (std::is_same_v<T, Bf16>)
                out[i] = Bf16::from(acc[i] * inverse);
            else
                out[i] = acc[i] * inverse;
        }
    }

    const float* acc() const { return acc_; }          // [rows][PaddedWidth(D)]
    const float* largest() const { return largest_; }  // [rows], of scale log2(e) q . k
    const float* sum() const { return sum_; }          // [rows]

  private:
    void AddScores(int64_t num_panels, int64_t first_row);
    void Softmax(int64_t first_row, int64_t num_keys, float scale, int64_t limit, int64_t group);
    template <class T>
    void AddValues(const T* v, int64_t v_stride, int64_t num_keys, int64_t first_row, int64_t limit,
                   int64_t group);

    int64_t D_, width_, rows_ = 0;
    float* q_;                                // blocks of [D][block rows]
    float* scores_;                           // [rows][kTileKeys], then the weights p
    float *acc_, *total_;                     // [rows][width]
    float* lane_sums_;                        // [rows][kLanes]
    float *largest_, *sum_, *next_, *decay_;  // [rows]
    float *total_largest_, *total_sum_;       // [rows]
    float* panels_;                           // [kTileKeys / kLanes][D][kLanes]
    float* values_;                           // [kTileKeys][width]
    const void* zeros_;                       // stands for keys beyond the last
};

template <class T>
void RowTile::add_keys(const T** keys, const T* const* values, int64_t num_keys, float scale,
                       int64_t first_row, int64_t limit, int64_t group) {
    const int64_t num_panels = (num_keys + kLanes - 1) / kLanes;
    for (int64_t j = num_keys; j < num_panels * kLanes; ++j)
        keys[j] = static_cast<const T*>(zeros_);
    for (int64_t p = 0; p < num_panels; ++p)
        PackPanel(Floats(), keys + p * kLanes, D_, panels_ + p * D_ * kLanes);
    AddScores(num_panels, first_row);
    Softmax(first_row, num_keys, scale, limit, group);

    // Values are used where they lie if they are evenly spaced and whole vectors; bf16 only for few
    // rows, since each block of rows widens them again.
    const int64_t stride = num_keys > 1 ? values[1] - values[0] : D_;
    bool in_place = D_ == width_ && (sizeof(T) == 4 || rows_ - first_row <= kBlockRows);
    for (int64_t j = 2; in_place && j < num_keys; ++j)
        in_place = values[j] - values[j - 1] == stride;
    if (in_place) return AddValues(values[0], stride, num_keys, first_row, limit, group);
    for (int64_t j = 0; j < num_keys; ++j) PackRow(values[j], D_, width_, values_ + j * width_);
    AddValues(values_, width_, num_keys, first_row, limit, group);
}

inline void RowTile::AddScores(int64_t num_panels, int64_t first_row) {
    for (int64_t r = 0; r < rows_;) {
        const int64_t block = BlockOf(rows_ - r);
        const float* q = q_ + r * D_;
        float* scores = scores_ + r * kTileKeys;
        if (r + block > first_row) {
            switch (block) {
                case 8:
                    if constexpr (kBlockRows == 8) ScoreRows<8>(q, panels_, num_panels, D_, scores);
                    break;
                case 4:
                    ScoreRows<4>(q, panels_, num_panels, D_, scores);
                    break;
                case 2:
                    ScoreRows<2>(q, panels_, num_panels, D_, scores);
                    break;
                default:
                    ScoreRows<1>(q, panels_, num_panels, D_, scores);
            }
        }
        r += block;
    }
}

// Largest scores are kept in the exponent's unit, scale log2(e) q . k, once rounded: the weights of
// all tiles and the decay between them use the same rounded numbers, which cancel.
inline void RowTile::Softmax(int64_t first_row, int64_t num_keys, float scale, int64_t limit,
                             int64_t group) {
    const Floats d;
    const auto none = hn::Set(d, -HUGE_VALF);
    const int64_t num_panels = (num_keys + kLanes - 1) / kLanes;
    for (int64_t r = first_row; r < rows_; ++r) {
        const int64_t seen = limit + (r - first_row) / group;
        if (seen >= num_keys && num_keys == num_panels * kLanes) break;
        float* row = scores_ + r * kTileKeys;
        for (int64_t j = std::min(seen, num_keys) / kLanes * kLanes; j < num_panels * kLanes;
             j += kLanes) {
            const int64_t left = std::clamp<int64_t>(std::min(seen, num_keys) - j, 0, kLanes);
            const auto mask = hn::FirstN(d, static_cast<size_t>(left));
            hn::Store(hn::IfThenElse(mask, hn::Load(d, row + j), none), d, row + j);
        }
    }
    for (int64_t r = first_row; r < rows_; r += 4)
        MaxOfFourRows(scores_ + r * kTileKeys, num_panels, next_ + r);

    const auto unit = hn::Set(d, scale * 1.44269504f);
    for (int64_t r = first_row; r < rows_; r += kLanes) {
        const auto largest = hn::LoadU(d, largest_ + r);
        const auto next = hn::Max(largest, hn::Mul(hn::LoadU(d, next_ + r), unit));
        hn::StoreU(Exp2Negative(hn::Sub(largest, next)), d, decay_ + r);
        hn::StoreU(next, d, largest_ + r);
    }
    for (int64_t r = first_row; r < rows_; ++r) {
        float* row = scores_ + r * kTileKeys;
        const auto largest = hn::Set(d, largest_[r]);
        auto sum = hn::Mul(hn::Load(d, lane_sums_ + r * kLanes), hn::Set(d, decay_[r]));
        for (int64_t j = 0; j < num_panels * kLanes; j += kLanes) {
            const auto p = Exp2Negative(hn::MulSub(hn::Load(d, row + j), unit, largest));
            hn::Store(p, d, row + j);
            sum = hn::Add(sum, p);
        }
        hn::Store(sum, d, lane_sums_ + r * kLanes);
    }
}

template <class T>
void RowTile::AddValues(const T* v, int64_t v_stride, int64_t num_keys, int64_t first_row,
                        int64_t limit, int64_t group) {
    for (int64_t r = first_row; r < rows_;) {
        // Rows that see fewer keys stay among themselves: a value that a row does not see is not
        // even multiplied by 0, which would turn an infinity into NaN.
        const int64_t seen = limit + (r - first_row) / group;
        int64_t left = rows_ - r;
        if (seen < num_keys) left = std::min(left, group - (r - first_row) % group);
        const int64_t block = BlockOf(left), keys = std::min(seen, num_keys);
        const float* p = scores_ + r * kTileKeys;
        float* acc = acc_ + r * width_;
        switch (block) {
            case 8:
                if constexpr (kBlockRows == 8)
                    ValueRows<8>(p, v, v_stride, keys, decay_ + r, acc, width_);
                break;
            case 4:
                ValueRows<4>(p, v, v_stride, keys, decay_ + r, acc, width_);
                break;
            case 2:
                ValueRows<2>(p, v, v_stride, keys, decay_ + r, acc, width_);
                break;
            default:
                ValueRows<1>(p, v, v_stride, keys, decay_ + r, acc, width_);
        }
        r += block;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#endif  // SAKER_OPS_ATTEND_INL_H_
