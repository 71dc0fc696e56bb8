// Shapes as code, at the door of every op.
//
//   Dim T{"T"}, C{"C"};
//   const Expect expect("rms_norm", ex);
//   expect(x, "x", {T, C}, {DType::f32, DType::bf16});
//   expect(weight, "weight", {C}, {DType::bf16});
//
// A letter binds where it is first used and must agree later; a number must agree at once. A
// mismatch is a bug of ours, not of a caller: it CHECKs with the op, the argument, the letters and
// the numbers. Costs nanoseconds and stays on in release. After the calls a Dim converts to its
// value.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "tensor/exec.h"
#include "tensor/tensor.h"

namespace saker {

/// A named size. Letters as in docs/letters.md.
struct Dim {
    const char* letter;
    int64_t value = -1;  // -1: not bound yet

    operator int64_t() const { return value; }  // NOLINT: implicit by intent
};

class Expect {
  public:
    Expect(const char* op, const Exec& ex) : op_(op), place_(ex.place()) {}

    /// A letter by reference, or a plain number.
    struct Size {
        Size(Dim& letter) : dim(&letter) {}  // NOLINT: implicit by intent, as the next two
        Size(int64_t n) : number(n) {}       // NOLINT
        Size(int n) : number(n) {}           // NOLINT
        Dim* dim = nullptr;
        int64_t number = 0;
    };

    /// CHECKs rank, sizes, dtype and place. Rows may be strided unless `dense`.
    void operator()(const Tensor& t, const char* argument, std::initializer_list<Size> sizes,
                    std::initializer_list<DType> dtypes) const;
    void dense(const Tensor& t, const char* argument, std::initializer_list<Size> sizes,
               std::initializer_list<DType> dtypes) const;

  private:
    [[noreturn]] void fail(const Tensor& t, const char* argument, std::initializer_list<Size> sizes,
                           const char* what) const;

    const char* op_;
    Place place_;
};

}  // namespace saker
