// FeaturePool: room for the vision tower's output while prompts are read: rows of one visual token
// each.
//
// Every level (0: the embeddings, 1..: DeepStack) is one tensor of R rows; a picture's rows are
// contiguous in each. reserve() hands over a FeatureRun or nothing; its destructor gives the rows
// back. Owned by the engine, used by its thread alone. A cache that keeps features by content will
// stand in front of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tensor/arena.h"

namespace saker {

class FeaturePool;

/// Move-only owner of the rows of one picture.
class FeatureRun {
  public:
    FeatureRun() = default;
    ~FeatureRun() { release(); }
    FeatureRun(FeatureRun&& other) noexcept;
    FeatureRun& operator=(FeatureRun&& other) noexcept;

    bool exists() const { return pool_ != nullptr; }
    int64_t num_rows() const { return num_rows_; }
    /// Rows [begin, end) of this picture at `level`: [end - begin, C].
    Tensor rows(int64_t level, int64_t begin, int64_t end) const;
    void release();

  private:
    friend class FeaturePool;
    FeaturePool* pool_ = nullptr;
    int64_t first_row_ = 0, num_rows_ = 0;
};

class FeaturePool {
  public:
    FeaturePool(int64_t num_levels, int64_t num_rows, int64_t width, DType dtype, Place place);
    ~FeaturePool();

    /// `num_rows` contiguous rows, the lowest that are free, or nothing.
    std::optional<FeatureRun> reserve(int64_t num_rows);
    int64_t num_rows() const { return num_rows_; }
    int64_t num_free() const;
    int64_t num_levels() const { return static_cast<int64_t>(levels_.size()); }

  private:
    friend class FeatureRun;
    void give_back(int64_t first_row, int64_t num_rows);

    int64_t num_rows_;
    Arena arena_;
    std::vector<Tensor> levels_;       // [R, C] each
    std::map<int64_t, int64_t> free_;  // first row -> rows; never two that touch
};

}  // namespace saker
