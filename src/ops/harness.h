// What op tests and benches share: an Exec for each backend, reproducible inputs, guarded outputs,
// comparison with `ref`.
//
// A test makes one Rig for `ref` and one for the backend under test, gives both the same inputs
// (named by the case), runs the op on both and compares:
//
//   for (Backend backend : backends_under_test()) {
//       Rig ref(Backend::ref), rig(backend);
//       const Tensor x = rig.random("x", DType::bf16, {T, C});
//       ...
//       EXPECT_EQ("", compare(rig.fetch(out), ref.fetch(want), tolerance(...)));
//   }
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/cuda_lane.h"
#include "ops/tolerance.h"
#include "tensor/arena.h"
#include "tensor/device.h"
#include "tensor/exec.h"

namespace saker {

/// Backends of this build that can run on this machine, `ref` left out.
std::vector<Backend> backends_under_test();
/// The same and `ref`, for what must hold of each backend by itself.
std::vector<Backend> every_backend();
/// `ref` and `cpu`, which promise a row the same bits in any batch of the ops that sum over keys.
std::vector<Backend> invariant_backends();

class Rig {
  public:
    /// `case_name` seeds the inputs: rigs of one case name see the same numbers.
    explicit Rig(Backend backend, std::string_view case_name = "", int num_threads = 3);
    ~Rig();

    Exec ex;

    /// Normal numbers of deviation `scale`, rounded to `dtype`; integers are not drawn here. Where
    /// `row_stride` is larger than a row, the gaps hold NaN.
    Tensor random(std::string_view name, DType dtype, std::initializer_list<int64_t> dims,
                  float scale = 1.0f, int64_t row_stride = 0);
    /// Numbers given one by one, placed where the backend computes.
    template <class T>
    Tensor of(const std::vector<T>& numbers, std::initializer_list<int64_t> dims) {
        return place(numbers.data(), DTypeOf<T>::value, dims);
    }
    /// `n` numbers of i32 in [0, below), uniform.
    Tensor random_ids(std::string_view name, int64_t n, int64_t below);
    /// An output to write: every byte 0xFF (NaN in each float format), with guard bytes on both
    /// sides.
    Tensor output(DType dtype, std::initializer_list<int64_t> dims, int64_t row_stride = 0);
    /// A copy, on this rig's place, of any tensor on host.
    Tensor copy_of(const Tensor& host);

    /// The numbers as doubles, row-major without gaps. Waits for the device.
    std::vector<double> fetch(const Tensor& t);
    /// Empty, or what was written outside an output or into the gap between its rows.
    std::string check_guards();
    void synchronize();

  private:
    Tensor place(const void* numbers, DType dtype, std::initializer_list<int64_t> dims);
    Tensor strided(DType dtype, std::initializer_list<int64_t> dims, int64_t row_stride);

    std::string name_;
    std::unique_ptr<ThreadPool> pool_;
    std::unique_ptr<Arena> tensors_, scratch_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<CudaLane> lane_;
    struct Guarded {
        Tensor whole;  // u8, guards included
        Tensor inner;
    };
    std::vector<Guarded> guarded_;
};

/// Empty where all are close, else the worst element: index, both values, the bound.
std::string compare(const std::vector<double>& got, const std::vector<double>& want,
                    Tolerance tolerance);
/// Empty where equal to the last bit.
std::string compare_exact(const std::vector<double>& got, const std::vector<double>& want);

/// All rows of a case's inputs, or one of them.
struct Pick {
    int64_t row = -1;
    Tensor operator()(const Tensor& t) const { return row < 0 ? t : t.rows(row, row + 1); }
};

/// For ops whose rows are independent. `run(rig, case, pick)` makes the case's inputs, picks their
/// rows, runs the op and returns its output. Empty, or the first case that fails and how.
///
/// Every backend is close to `ref`, writes nothing beside its output and gives the same bits twice.
template <class Cases, class Run, class ToleranceOf>
std::string agrees_with_ref(const Cases& cases, Run run, ToleranceOf tolerance_of) {
    for (const auto& c : cases) {
        Rig ref(Backend::ref, c.name);
        const std::vector<double> want = ref.fetch(run(ref, c, Pick{}));
        for (Backend backend : backends_under_test()) {
            Rig rig(backend, c.name);
            const std::vector<double> got = rig.fetch(run(rig, c, Pick{}));
            std::string fault = compare(got, want, tolerance_of(c));
            if (fault.empty()) fault = rig.check_guards();
            if (fault.empty() && !compare_exact(rig.fetch(run(rig, c, Pick{})), got).empty())
                fault = "a second run gives other bits";
            if (!fault.empty())
                return std::string(c.name) + " on " + std::string(to_string(backend)) + ": " +
                       fault;
        }
    }
    return "";
}
/// On every backend, a row alone gives the bits that it gives in its batch.
template <class Cases, class Run>
std::string row_alone_equals_row_in_batch(const Cases& cases, Run run) {
    for (Backend backend : every_backend()) {
        for (const auto& c : cases) {
            Rig rig(backend, c.name);
            const Tensor batch = run(rig, c, Pick{});
            for (int64_t row : {(batch.dim(0) - 1) / 2, batch.dim(0) - 1}) {
                if (batch.dim(0) < 2) continue;
                const std::vector<double> alone = rig.fetch(run(rig, c, Pick{row}));
                const std::string fault = compare_exact(alone, rig.fetch(batch.rows(row, row + 1)));
                if (!fault.empty())
                    return std::string(c.name) + " on " + std::string(to_string(backend)) +
                           ", row " + std::to_string(row) + ": " + fault;
            }
        }
    }
    return "";
}

}  // namespace saker
