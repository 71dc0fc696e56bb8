// Cases x backends against ref; a row alone equals the row in its batch; every instruction set;
// weights at the end of a mapping; the bias before the rounding.
#include "ops/linear/linear.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ops/gemm_cpu.h"
#include "ops/harness.h"
#include "ops/linear/linear_cases.h"

namespace saker {
namespace {

std::vector<Backend> backends_and_ref() {
    std::vector<Backend> backends = backends_under_test();
    backends.push_back(Backend::ref);
    return backends;
}

struct Io {
    Tensor x, out;
};

Tensor weight_of(Rig& rig, const LinearCase& c) {
    return rig.random("weight", c.weight, {c.Co, c.Ci});
}

Tensor bias_of(Rig& rig, const LinearCase& c) {
    return c.bias ? rig.random("bias", c.weight, {c.Co}) : Tensor();
}

Io run(Rig& rig, const LinearCase& c) {
    const Tensor x = rig.random("x", c.dtype, {c.N, c.Ci}, 1.0f, c.x_stride);
    const Tensor out = rig.output(c.dtype, {c.N, c.Co}, c.out_stride);
    linear(rig.ex, out, x, weight_of(rig, c), bias_of(rig, c));
    return {x, out};
}

TEST(Linear, EveryBackendAgreesWithRef) {
    for (const LinearCase& c : kLinearCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(run(ref, c).out);
        EXPECT_EQ("", ref.check_guards());
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto got = rig.fetch(run(rig, c).out);
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, c.Ci, 1)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(run(rig, c).out), got)) << "second run";
        }
    }
}

TEST(Linear, RowAloneEqualsRowInBatch) {
    for (const LinearCase& c : kLinearCases) {
        if (c.N < 2 || c.Co == 0) continue;
        SCOPED_TRACE(c.name);
        for (Backend backend : backends_and_ref()) {
            if (backend == Backend::cuda) continue;
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Io batch = run(rig, c);
            const Tensor weight = weight_of(rig, c), bias = bias_of(rig, c);
            for (int64_t n : {int64_t{0}, c.N / 2, c.N - 1}) {
                const Tensor out = rig.output(c.dtype, {1, c.Co});
                linear(rig.ex, out, batch.x.rows(n, n + 1), weight, bias);
                EXPECT_EQ("", compare_exact(rig.fetch(out), rig.fetch(batch.out.rows(n, n + 1))));
            }
        }
    }
}

// Every number of rows from 1 to 40, and every number of threads, gives each row the same bits.
TEST(Linear, BitsDependOnNeitherRowsNorThreads) {
    if (!is_built(Backend::cpu)) GTEST_SKIP() << "no cpu backend in this build";
    for (DType dtype : {DType::bf16, DType::f32}) {
        Rig rig(Backend::cpu, "rows");
        const Tensor x = rig.random("x", dtype, {40, 296});
        const Tensor weight = rig.random("weight", DType::bf16, {147, 296});
        const Tensor all = rig.output(dtype, {40, 147});
        linear(rig.ex, all, x, weight);
        const auto want = rig.fetch(all);
        for (int threads : {1, 2, 7}) {
            ThreadPool pool(threads);
            rig.ex.pool = &pool;
            for (int64_t n = 1; n <= 40; ++n) {
                const Tensor out = rig.output(dtype, {n, 147});
                linear(rig.ex, out, x.rows(40 - n, 40), weight);
                const std::vector<double> rows(want.end() - n * 147, want.end());
                ASSERT_EQ("", compare_exact(rig.fetch(out), rows)) << n << " rows";
            }
        }
        EXPECT_EQ("", rig.check_guards());
    }
}

// Each instruction set that this build has code for and this machine can run.
TEST(Linear, EveryInstructionSetAgreesWithRef) {
    if (!is_built(Backend::cpu)) GTEST_SKIP() << "no cpu backend in this build";
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        for (const LinearCase& c : kLinearCases) {
            if (c.N * c.Ci * c.Co > 500000) continue;
            SCOPED_TRACE(c.name);
            SCOPED_TRACE(cpu::gemm_variant(c.dtype, c.weight));
            Rig ref(Backend::ref, c.name), rig(Backend::cpu, c.name);
            EXPECT_EQ("", compare(rig.fetch(run(rig, c).out), ref.fetch(run(ref, c).out),
                                  tolerance(c.dtype, c.Ci, 1)));
            EXPECT_EQ("", rig.check_guards());
        }
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Numbers whose last byte is the last of a mapping: reading on faults. As a file's last tensor
// lies.
class MappedEnd {
  public:
    explicit MappedEnd(int64_t size_bytes) {
        const int64_t page = sysconf(_SC_PAGESIZE);
        const int64_t pages = (size_bytes + page - 1) / page * page;
        length_ = static_cast<size_t>(pages + page);
        at_ = static_cast<char*>(
            mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(at_ + pages, static_cast<size_t>(page), PROT_NONE);
        begin_ = at_ + pages - size_bytes;
    }
    ~MappedEnd() { munmap(at_, length_); }
    MappedEnd(const MappedEnd&) = delete;
    MappedEnd& operator=(const MappedEnd&) = delete;

    Tensor hold(const Tensor& t) const {
        std::memcpy(begin_, t.raw(), static_cast<size_t>(t.size_bytes()));
        return Tensor(begin_, t.dtype(), t.dims());
    }

  private:
    char *at_, *begin_;
    size_t length_;
};

TEST(Linear, ReadsNothingPastAnInput) {
    if (!is_built(Backend::cpu)) GTEST_SKIP() << "no cpu backend in this build";
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        for (const LinearCase& c : kLinearCases) {
            if (c.N * c.Ci * c.Co == 0 || c.x_stride > 0) continue;
            SCOPED_TRACE(c.name);
            Rig rig(Backend::cpu, c.name);
            const Io before = run(rig, c);
            const Tensor weight = weight_of(rig, c), bias = bias_of(rig, c);
            const MappedEnd x_end(before.x.size_bytes()), weight_end(weight.size_bytes()),
                bias_end(std::max<int64_t>(bias.size_bytes(), 1));
            const Tensor out = rig.output(c.dtype, {c.N, c.Co});
            linear(rig.ex, out, x_end.hold(before.x), weight_end.hold(weight),
                   bias ? bias_end.hold(bias) : bias);
            EXPECT_EQ("", compare_exact(rig.fetch(out), rig.fetch(before.out)));
        }
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// 1 + 2^-8 rounds to 1 in bf16; with the bias of 2^-8 first, the sum is 1 + 2^-7, which is exact.
TEST(Linear, AddsTheBiasBeforeRounding) {
    for (Backend backend : backends_and_ref()) {
        Rig rig(backend);
        const Bf16 one = Bf16::from(1.0f), small = Bf16::from(0x1p-8f);
        const Tensor out = rig.output(DType::bf16, {1, 1});
        linear(rig.ex, out, rig.of(std::vector<Bf16>{one, small}, {1, 2}),
               rig.of(std::vector<Bf16>{one, one}, {1, 2}), rig.of(std::vector<Bf16>{small}, {1}));
        EXPECT_EQ("", compare_exact(rig.fetch(out), {1 + 0x1p-7})) << to_string(backend);
    }
}

TEST(Linear, SpecialNumbersStayInTheirRowAndColumn) {
    for (Backend backend : backends_and_ref()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend, "special");
        std::vector<float> x(3 * 37, 1.0f), weight(9 * 37, 1.0f);
        x[1 * 37 + 36] = NAN;
        weight[4 * 37 + 35] = INFINITY;
        const Tensor out = rig.output(DType::f32, {3, 9});
        linear(rig.ex, out, rig.of(x, {3, 37}), rig.of(weight, {9, 37}));
        std::vector<double> want(3 * 9, 37.0);
        for (size_t o = 0; o < 9; ++o) want[9 + o] = NAN;
        want[4] = want[2 * 9 + 4] = INFINITY;
        EXPECT_EQ("", compare_exact(rig.fetch(out), want));
    }
}

}  // namespace
}  // namespace saker
