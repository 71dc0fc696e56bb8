// Cases x backends against ref; slots that are negative, and bytes that must stay.
#include "ops/kv_write/kv_write.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "ops/harness.h"
#include "ops/kv_write/kv_write_cases.h"

namespace saker {
namespace {

struct Pages {
    Tensor k, v;
};

// Different slots in random order, every fifth of them negative.
std::vector<int32_t> some_slots(const KvWriteCase& c) {
    std::vector<int32_t> all(static_cast<size_t>(c.Np * c.B));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
    const Rng rng(c.name);
    for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[rng.bits(i) % i]);
    all.resize(static_cast<size_t>(c.T));
    for (size_t i = 3; i < all.size(); i += 5) all[i] = -1;
    return all;
}

Pages run(Rig& rig, const KvWriteCase& c) {
    const Pages pages = {rig.output(c.dtype, {c.Np, c.K, c.B, c.D}),
                         rig.output(c.dtype, {c.Np, c.K, c.B, c.D})};
    kv_write(rig.ex, pages.k, pages.v, rig.random("k", c.dtype, {c.T, c.K, c.D}, 1, c.row_stride),
             rig.random("v", c.dtype, {c.T, c.K, c.D}, 1, c.row_stride),
             rig.of(some_slots(c), {c.T}));
    return pages;
}

// What is not written stays NaN, which compare_exact tells from any number.
TEST(KvWrite, EveryBackendAgreesWithRef) {
    for (const KvWriteCase& c : kKvWriteCases) {
        SCOPED_TRACE(c.name);
        Rig ref(Backend::ref, c.name);
        const Pages want = run(ref, c);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const Pages got = run(rig, c);
            EXPECT_EQ("", compare_exact(rig.fetch(got.k), ref.fetch(want.k)));
            EXPECT_EQ("", compare_exact(rig.fetch(got.v), ref.fetch(want.v)));
            EXPECT_EQ("", rig.check_guards());
        }
    }
}

// Slot 5 of pages of 4 tokens is the second token of page 1; each head's tokens lie together.
TEST(KvWrite, PutsHeadsInTheirPlaces) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor k_pages = rig.output(DType::f32, {2, 2, 4, 1}),
                     v_pages = rig.output(DType::f32, {2, 2, 4, 1});
        kv_write(rig.ex, k_pages, v_pages, rig.of(std::vector<float>{1, 2, 3, 4}, {2, 2, 1}),
                 rig.of(std::vector<float>{5, 6, 7, 8}, {2, 2, 1}),
                 rig.of(std::vector<int32_t>{5, -1}, {2}));
        std::vector<double> k(16, NAN), v(16, NAN);
        k[8 + 1] = 1, k[8 + 4 + 1] = 2;
        v[8 + 1] = 5, v[8 + 4 + 1] = 6;
        EXPECT_EQ("", compare_exact(rig.fetch(k_pages), k)) << to_string(backend);
        EXPECT_EQ("", compare_exact(rig.fetch(v_pages), v)) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
