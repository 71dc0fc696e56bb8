// The symbolic shape matcher of expect.h.
#include "tensor/expect.h"

#include <string>

namespace saker {

void Expect::operator()(const Tensor& t, const char* argument, std::initializer_list<Size> sizes,
                        std::initializer_list<DType> dtypes) const {
    if (static_cast<size_t>(t.rank()) != sizes.size()) fail(t, argument, sizes, "rank");
    int i = 0;
    for (const Size& size : sizes) {
        const int64_t n = t.dim(i++);
        if (!size.dim) {
            if (n != size.number) fail(t, argument, sizes, "size");
        } else if (size.dim->value < 0) {
            size.dim->value = n;
        } else if (size.dim->value != n) {
            fail(t, argument, sizes, "size");
        }
    }
    bool known = false;
    for (DType dtype : dtypes) known = known || dtype == t.dtype();
    if (!known) fail(t, argument, sizes, "dtype");
    if (!(t.place() == place_)) fail(t, argument, sizes, "place");
}

void Expect::dense(const Tensor& t, const char* argument, std::initializer_list<Size> sizes,
                   std::initializer_list<DType> dtypes) const {
    (*this)(t, argument, sizes, dtypes);
    if (!t.is_dense()) fail(t, argument, sizes, "row stride");
}

void Expect::fail(const Tensor& t, const char* argument, std::initializer_list<Size> sizes,
                  const char* what) const {
    std::string message = std::string(op_) + ": " + argument + " is " + t.describe() +
                          ", which has the wrong " + what + "; expected [";
    bool first = true;
    for (const Size& size : sizes) {
        if (!first) message += ", ";
        first = false;
        if (!size.dim) {
            message += std::to_string(size.number);
        } else {
            message += size.dim->letter;
            if (size.dim->value >= 0) message += "=" + std::to_string(size.dim->value);
        }
    }
    CHECK(false, message + "]");
}

}  // namespace saker
