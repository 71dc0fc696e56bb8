// Where a benchmark of an op runs: a cpu Exec on all cores, with numbers to compute on.
// Used by the *_bench.cpp that time ops; one Room lives as long as a benchmark's run.
#pragma once

#include <initializer_list>

#include "base/rng.h"
#include "base/thread_pool.h"
#include "tensor/arena.h"
#include "tensor/exec.h"

namespace saker::bench {

class Room {
  public:
    Room() {
        ex.backend = Backend::cpu;
        ex.pool = &pool_;
        ex.scratch = &scratch_;
    }

    Exec ex;

    /// Numbers in [-1, 1), f32 or bf16, different from tensor to tensor.
    Tensor numbers(DType dtype, std::initializer_list<int64_t> dims) {
        const Tensor t = arena_.take(dtype, dims);
        fill(t, ++seed_);
        return t;
    }
    /// Numbers of i32 in [0, below).
    Tensor ids(std::initializer_list<int64_t> dims, int64_t below) {
        const Tensor t = arena_.take(DType::i32, dims);
        const Rng rng(++seed_);
        for (int64_t i = 0; i < t.num_elements(); ++i)
            t.as<int32_t>()[i] = static_cast<int32_t>(rng.bits(static_cast<uint64_t>(i)) %
                                                      static_cast<uint64_t>(below));
        return t;
    }

    static void fill(const Tensor& t, uint64_t seed) {
        uint64_t word = seed;
        for (int64_t i = 0; i < t.num_elements(); ++i) {
            word = word * 6364136223846793005u + 1442695040888963407u;
            const float value = static_cast<float>(static_cast<int32_t>(word >> 32)) * 0x1p-31f;
            if (t.dtype() == DType::f32)
                t.as<float>()[i] = value;
            else
                t.as<Bf16>()[i] = Bf16::from(value);
        }
    }

  private:
    ThreadPool pool_;
    Arena arena_{int64_t{4} << 30, Place::host()}, scratch_{int64_t{4} << 30, Place::host()};
    uint64_t seed_ = 0;
};

/// Weights as a model's layers have them: each call to next() gives others, and all of them
/// together are far larger than any cache. One block of bf16, made on first use and shared.
class Weights {
  public:
    static constexpr int64_t kElements = int64_t{576} << 20;  // a layer of 128 experts

    Tensor next(std::initializer_list<int64_t> dims) {
        const Tensor shape(nullptr, DType::bf16, dims);
        const int64_t n = shape.num_elements();
        CHECK(n <= kElements, "the benchmark's weights are larger than Weights::kElements");
        if (at_ + n > kElements) at_ = 0;
        const Tensor t(block().as<Bf16>() + at_, DType::bf16, dims);
        at_ += n;
        return t;
    }

  private:
    static const Tensor& block() {
        static Arena arena(kElements * 2, Place::host());
        static const Tensor numbers = [] {
            const Tensor t = arena.take(DType::bf16, {kElements});
            Room::fill(t, 1);
            return t;
        }();
        return numbers;
    }

    int64_t at_ = 0;
};

}  // namespace saker::bench
