// Views and reshapes of tensor.h.
#include "tensor/tensor.h"

namespace saker {

Tensor::Tensor(void* at, DType dtype, std::span<const int64_t> dims, Place place)
    : at_(at), dtype_(dtype), place_(place), rank_(static_cast<int8_t>(dims.size())) {
    CHECK(dims.size() >= 1 && dims.size() <= kMaxRank, "a tensor has one to five dimensions");
    for (size_t i = 0; i < dims.size(); ++i) {
        CHECK(dims[i] >= 0, "a dimension is negative");
        dims_[i] = dims[i];
    }
    row_stride_ = row_elements();
}

int64_t Tensor::row_elements() const {
    int64_t n = 1;
    for (int i = 1; i < rank_; ++i) n *= dims_[i];
    return n;
}

int64_t Tensor::num_elements() const {
    return rank_ == 0 ? 0 : dims_[0] * row_elements();
}

Tensor Tensor::rows(int64_t begin, int64_t end) const {
    DCHECK(begin >= 0 && begin <= end && end <= dims_[0], "rows outside the tensor");
    Tensor t = *this;
    t.at_ = static_cast<char*>(at_) + begin * row_stride_ * size_of(dtype_);
    t.dims_[0] = end - begin;
    return t;
}

Tensor Tensor::at(int64_t i) const {
    DCHECK(rank_ >= 2 && i >= 0 && i < dims_[0], "entry outside the tensor");
    Tensor t = *this;
    t.at_ = static_cast<char*>(at_) + i * row_stride_ * size_of(dtype_);
    t.rank_ = static_cast<int8_t>(rank_ - 1);
    for (int d = 0; d + 1 < kMaxRank; ++d) t.dims_[d] = dims_[d + 1];  // unused ones are 0
    t.dims_[kMaxRank - 1] = 0;
    t.row_stride_ = t.row_elements();
    return t;
}

Tensor Tensor::columns(int64_t begin, int64_t end) const {
    DCHECK(rank_ == 2 && begin >= 0 && begin <= end && end <= dims_[1],
           "columns outside the tensor");
    Tensor t = *this;
    t.at_ = static_cast<char*>(at_) + begin * size_of(dtype_);
    t.dims_[1] = end - begin;
    return t;
}

Tensor Tensor::reshape(std::initializer_list<int64_t> dims) const {
    Tensor t(at_, dtype_, dims, place_);
    CHECK(t.num_elements() == num_elements(), "reshape to another number of elements");
    if (!is_dense()) {
        CHECK(t.dims_[0] == dims_[0], "reshape of a strided tensor must keep dimension 0");
        t.row_stride_ = row_stride_;
    }
    return t;
}

std::string Tensor::describe() const {
    std::string out = "[";
    for (int i = 0; i < rank_; ++i) out += (i ? ", " : "") + std::to_string(dims_[i]);
    out += "] ";
    out += to_string(dtype_);
    if (!is_dense()) out += " with rows " + std::to_string(row_stride_) + " apart";
    out += place_.is_host() ? " on host" : " on device " + std::to_string(place_.device);
    return out;
}

}  // namespace saker
