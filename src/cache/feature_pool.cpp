// First fit over a sorted map of gaps: pictures are few, and their rows are freed once they are
// read.
#include "cache/feature_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace saker {

FeatureRun::FeatureRun(FeatureRun&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      first_row_(other.first_row_),
      num_rows_(std::exchange(other.num_rows_, 0)) {}

FeatureRun& FeatureRun::operator=(FeatureRun&& other) noexcept {
    if (this != &other) {
        release();
        pool_ = std::exchange(other.pool_, nullptr);
        first_row_ = other.first_row_;
        num_rows_ = std::exchange(other.num_rows_, 0);
    }
    return *this;
}

Tensor FeatureRun::rows(int64_t level, int64_t begin, int64_t end) const {
    CHECK(pool_ && begin >= 0 && begin <= end && end <= num_rows_,
          "rows outside a picture's features");
    return pool_->levels_[static_cast<size_t>(level)].rows(first_row_ + begin, first_row_ + end);
}

void FeatureRun::release() {
    if (pool_) pool_->give_back(first_row_, num_rows_);
    pool_ = nullptr;
}

FeaturePool::FeaturePool(int64_t num_levels, int64_t num_rows, int64_t width, DType dtype,
                         Place place)
    : num_rows_(num_rows),
      arena_(num_levels * Arena::padded_bytes(dtype, {num_rows, width}), place) {
    for (int64_t i = 0; i < num_levels; ++i)
        levels_.push_back(arena_.take(dtype, {num_rows, width}));
    if (num_rows > 0) free_[0] = num_rows;
}

FeaturePool::~FeaturePool() {
    CHECK(num_free() == num_rows_, "a FeatureRun outlived its FeaturePool");
}

std::optional<FeatureRun> FeaturePool::reserve(int64_t num_rows) {
    if (num_rows <= 0) return std::nullopt;
    for (auto it = free_.begin(); it != free_.end(); ++it) {
        if (it->second < num_rows) continue;
        FeatureRun run;
        run.pool_ = this;
        run.first_row_ = it->first;
        run.num_rows_ = num_rows;
        const int64_t left = it->second - num_rows;
        free_.erase(it);
        if (left > 0) free_[run.first_row_ + num_rows] = left;
        return run;
    }
    return std::nullopt;
}

int64_t FeaturePool::num_free() const {
    int64_t sum = 0;
    for (const auto& [first, rows] : free_) sum += rows;
    return sum;
}

void FeaturePool::give_back(int64_t first_row, int64_t num_rows) {
    auto next = free_.lower_bound(first_row);
    CHECK(next == free_.end() || next->first >= first_row + num_rows,
          "feature rows given back twice");
    if (next != free_.begin()) {
        const auto before = std::prev(next);
        CHECK(before->first + before->second <= first_row, "feature rows given back twice");
        if (before->first + before->second == first_row) {
            first_row = before->first;
            num_rows += before->second;
            free_.erase(before);
        }
    }
    if (next != free_.end() && next->first == first_row + num_rows) {
        num_rows += next->second;
        free_.erase(next);
    }
    free_[first_row] = num_rows;
}

}  // namespace saker
