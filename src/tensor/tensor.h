// Tensor: a view of numbers somewhere. Pointer, dtype, place, up to five dimensions, row-major.
//
// Dense except for one optional row stride: the distance in elements between successive indices of
// dimension 0, so that a slice of columns of a fused row is still a Tensor. It owns nothing; memory
// belongs to an Arena (arena.h), a mapped file, or the caller, whose lifetime a Tensor borrows.
// Passed by const&; a const Tensor may point to mutable numbers, as a pointer would. Shape letters:
// docs/letters.md.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "base/check.h"
#include "tensor/dtype.h"

namespace saker {

/// Where memory lies: the host, or a CUDA device by index.
struct Place {
    int8_t device = -1;  // -1 is the host

    constexpr bool is_host() const { return device < 0; }
    constexpr bool operator==(const Place&) const = default;
    static constexpr Place host() { return {}; }
    static constexpr Place cuda(int index) { return {static_cast<int8_t>(index)}; }
};

class Tensor {
  public:
    static constexpr int kMaxRank = 5;

    Tensor() = default;
    Tensor(void* at, DType dtype, std::initializer_list<int64_t> dims, Place place = Place::host())
        : Tensor(at, dtype, std::span(dims.begin(), dims.size()), place) {}
    Tensor(void* at, DType dtype, std::span<const int64_t> dims, Place place = Place::host());

    /// A tensor over host numbers that the caller keeps alive.
    template <class T>
    static Tensor of(std::span<T> numbers, std::initializer_list<int64_t> dims) {
        Tensor t(const_cast<std::remove_const_t<T>*>(numbers.data()),
                 DTypeOf<std::remove_const_t<T>>::value, dims);
        CHECK(t.num_elements() == static_cast<int64_t>(numbers.size()),
              "numbers do not fill the shape");
        return t;
    }

    bool exists() const { return rank_ > 0; }  // false for an absent optional tensor
    explicit operator bool() const { return exists(); }
    int rank() const { return rank_; }
    int64_t dim(int i) const { return dims_[i]; }
    std::span<const int64_t> dims() const { return {dims_, static_cast<size_t>(rank_)}; }
    DType dtype() const { return dtype_; }
    Place place() const { return place_; }
    int64_t num_elements() const;
    int64_t size_bytes() const { return num_elements() * size_of(dtype_); }
    /// Elements in one entry of dimension 0.
    int64_t row_elements() const;
    /// Elements from one entry of dimension 0 to the next.
    int64_t row_stride() const { return row_stride_; }
    bool is_dense() const { return row_stride_ == row_elements(); }

    void* raw() const { return at_; }
    /// The numbers; T must match the dtype.
    template <class T>
    T* as() const {
        DCHECK(DTypeOf<T>::value == dtype_, "as<T>() of another dtype");
        return static_cast<T*>(at_);
    }
    /// Entry `i` of dimension 0.
    template <class T>
    T* row(int64_t i) const {
        return as<T>() + i * row_stride_;
    }

    /// Entries [begin, end) of dimension 0.
    Tensor rows(int64_t begin, int64_t end) const;
    /// Entry `i` of dimension 0, with that dimension gone. Rank 2 and up.
    Tensor at(int64_t i) const;
    /// Columns [begin, end) of the last dimension of a rank-2 tensor: shares the rows, keeps the
    /// stride.
    Tensor columns(int64_t begin, int64_t end) const;
    /// The same numbers in another shape. Dense: any shape of as many elements. Strided: dimension
    /// 0 must stay, and the rest may be split or joined.
    Tensor reshape(std::initializer_list<int64_t> dims) const;

    /// "[3, 64] bf16 on host", for messages.
    std::string describe() const;

  private:
    void* at_ = nullptr;
    int64_t dims_[kMaxRank] = {};
    int64_t row_stride_ = 0;
    DType dtype_ = DType::f32;
    Place place_;
    int8_t rank_ = 0;
};
static_assert(sizeof(Tensor) == 64);

}  // namespace saker
