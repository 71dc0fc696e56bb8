// gemm_tile on every instruction set that this build has code for and this machine can run: sums
// against double, rows alone against rows together, and inputs that end where memory ends.
#include "ops/gemm_cpu.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/rng.h"
#include "ops/scalar.h"

namespace saker::cpu {
namespace {

// Numbers whose last byte is the last of a mapping: reading on faults, as behind the last tensor of
// a file.
class MappedEnd {
  public:
    MappedEnd(const char* name, DType dtype, int64_t rows, int64_t columns) {
        const int64_t page = sysconf(_SC_PAGESIZE), size_bytes = rows * columns * size_of(dtype);
        const int64_t inner = (size_bytes + page - 1) / page * page;
        length_ = static_cast<size_t>(inner + page);
        at_ = static_cast<char*>(
            mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        CHECK(mprotect(at_ + inner, static_cast<size_t>(page), PROT_NONE) == 0, "mprotect");
        numbers = Tensor(at_ + inner - size_bytes, dtype, {rows, columns});
        const Rng rng{std::string_view(name)};
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < columns; ++c)
                ref::set(numbers, r, c, rng.normal(static_cast<uint64_t>(r * columns + c)));
    }
    ~MappedEnd() { munmap(at_, length_); }
    MappedEnd(const MappedEnd&) = delete;
    MappedEnd& operator=(const MappedEnd&) = delete;

    Tensor numbers;

  private:
    char* at_;
    size_t length_;
};

// Calls body once for each instruction set, switched on, and restores the best one.
template <class Body>
void for_each_target(Body body) {
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        body();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

using Sums = std::vector<float>;

Sums tile_sums(const Tensor& x, int64_t first, int64_t num_rows, const Tensor& weight) {
    const void* x_rows[kGemmRows];
    for (int64_t r = 0; r < num_rows; ++r)
        x_rows[r] = static_cast<char*>(x.raw()) + (first + r) * x.row_stride() * size_of(x.dtype());
    Sums sums(kGemmRows * kGemmColumns, -7.0f);
    gemm_tile(x.dtype(), x_rows, num_rows, weight, 0, weight.dim(0), sums.data());
    return sums;
}

// Compares every tile height with double sums, and each row with the same row alone.
void check_tiles(const Tensor& x, const Tensor& weight) {
    const int64_t Ci = x.dim(1), Co = weight.dim(0);
    for (int64_t rows = 1; rows <= kGemmRows; ++rows) {
        const Sums sums = tile_sums(x, 0, rows, weight);
        for (int64_t r = 0; r < kGemmRows; ++r) {
            const Sums alone = tile_sums(x, r, 1, weight);
            for (int64_t o = 0; o < kGemmColumns; ++o) {
                const float got = sums[static_cast<size_t>(r * kGemmColumns + o)];
                if (r >= rows || o >= Co) {
                    ASSERT_EQ(got, -7.0f) << "written outside, row " << r << " column " << o;
                    continue;
                }
                double want = 0;
                for (int64_t i = 0; i < Ci; ++i)
                    want += double{ref::get(x, r, i)} * ref::get(weight, o, i);
                const double bound = 0x1p-23 * (8 * std::sqrt(Ci) + 4 * std::fabs(want));
                ASSERT_NEAR(got, want, bound) << "row " << r << " of " << rows << " column " << o;
                ASSERT_EQ(got, alone[static_cast<size_t>(o)]) << "row " << r << " of " << rows;
            }
        }
    }
}

TEST(GemmCpu, SumsAreRightAtTheEndOfMemoryOnEveryInstructionSet) {
    for_each_target([] {
        for (DType x_dtype : {DType::bf16, DType::f32}) {
            for (DType weight_dtype : {DType::bf16, DType::f32}) {
                SCOPED_TRACE(gemm_variant(x_dtype, weight_dtype));
                for (int64_t Ci : {1, 7, 15, 16, 31, 32, 33, 63, 100, 296}) {
                    for (int64_t Co : {1, 3, 4, 8, 13, 128}) {
                        if (Ci > 100 && Co > 13) continue;
                        SCOPED_TRACE(std::to_string(Co) + " x " + std::to_string(Ci));
                        const MappedEnd x("x", x_dtype, kGemmRows, Ci);
                        const MappedEnd weight("weight", weight_dtype, Co, Ci);
                        check_tiles(x.numbers, weight.numbers);
                    }
                }
            }
        }
    });
}

TEST(GemmCpu, SumsOfSeveralSegments) {
    for_each_target([] {
        for (DType x_dtype : {DType::bf16, DType::f32}) {
            SCOPED_TRACE(gemm_variant(x_dtype, DType::bf16));
            for (int64_t Ci : {2048, 2049, 4127}) {
                const MappedEnd x("x", x_dtype, kGemmRows, Ci);
                const MappedEnd weight("weight", DType::bf16, 9, Ci);
                check_tiles(x.numbers, weight.numbers);
            }
        }
    });
}

TEST(GemmCpu, WeightsMayLieAtAnyEvenAddress) {
    const MappedEnd x("x", DType::bf16, kGemmRows, 101), weight("weight", DType::bf16, 12, 101);
    std::vector<Bf16> moved(static_cast<size_t>(weight.numbers.num_elements()) + 32);
    const Sums want = tile_sums(x.numbers, 0, kGemmRows, weight.numbers);
    for (size_t shift : {1, 2, 3, 5, 16, 31}) {
        std::memcpy(moved.data() + shift, weight.numbers.raw(),
                    static_cast<size_t>(weight.numbers.size_bytes()));
        const Tensor at(moved.data() + shift, DType::bf16, {12, 101});
        EXPECT_EQ(tile_sums(x.numbers, 0, kGemmRows, at), want) << shift;
    }
}

TEST(GemmCpu, GridsCoverEveryOutputOnce) {
    for (int64_t N : {1, 5, 40, 512, 3000})
        for (int64_t Co : {1, 5, 128, 2048, 151936})
            for (int64_t Ci : {0, 1, 64, 2048, 25600})
                for (int threads : {1, 2, 64}) {
                    const GemmGrid grid = plan_gemm(N, Co, Ci, threads);
                    EXPECT_EQ(grid.row_step % kGemmRows, 0);
                    EXPECT_EQ(grid.column_step % 8, 0);
                    EXPECT_LE(grid.column_step, kGemmColumns);
                    EXPECT_GE(grid.num_row_blocks * grid.row_step, N);
                    EXPECT_LT((grid.num_row_blocks - 1) * grid.row_step, N);
                    EXPECT_GE(grid.num_column_blocks * grid.column_step, Co);
                    EXPECT_LT((grid.num_column_blocks - 1) * grid.column_step, Co);
                }
}

}  // namespace
}  // namespace saker::cpu
