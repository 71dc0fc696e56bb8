// Arenas and what hangs on them: alignment, rewinding, scopes, peaks, and the tap.
#include "tensor/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tensor/exec.h"

namespace saker {
namespace {

int64_t address(const Tensor& t) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(t.raw()));
}

TEST(Arena, HandsOutAlignedTensorsFrontToBack) {
    Arena arena(1 << 16, Place::host());
    const Tensor a = arena.take(DType::f32, {3, 5});
    const Tensor b = arena.take(DType::u8, {1});
    const Tensor c = arena.take(DType::bf16, {128});
    EXPECT_EQ(address(a) % Arena::kAlignment, 0);
    EXPECT_EQ(address(b) - address(a), 256);
    EXPECT_EQ(address(c) - address(b), 256);
    EXPECT_EQ(arena.used_bytes(), 768);
    EXPECT_EQ(a.describe(), "[3, 5] f32 on host");
    std::memset(c.raw(), 1, static_cast<size_t>(c.size_bytes()));  // the memory is there
    EXPECT_EQ(Arena::padded_bytes(DType::f32, {3, 5}), 256);
    EXPECT_EQ(Arena::padded_bytes(DType::f32, {65}), 512);
    EXPECT_EQ(Arena::padded_bytes(DType::f32, {0, 8}), 0);
}

TEST(Arena, RewindsAndRemembersThePeak) {
    Arena arena(1 << 16, Place::host());
    arena.take(DType::u8, {256});
    const int64_t mark = arena.mark();
    const Tensor first = arena.take(DType::u8, {1024});
    arena.rewind(mark);
    EXPECT_EQ(arena.used_bytes(), 256);
    EXPECT_EQ(arena.peak_bytes(), 1280);
    EXPECT_EQ(arena.take(DType::u8, {8}).raw(), first.raw());
    arena.reset();
    EXPECT_EQ(arena.used_bytes(), 0);
    EXPECT_EQ(arena.peak_bytes(), 1280);
}

TEST(Arena, FillsToItsCapacity) {
    Arena arena(1000, Place::host());
    EXPECT_EQ(arena.capacity_bytes(), 1024);
    arena.take(DType::u8, {1024});
    EXPECT_EQ(arena.take(DType::f32, {0}).num_elements(), 0);  // nothing always fits
    EXPECT_EQ(arena.used_bytes(), 1024);
}

// Address space, not memory: only what is touched becomes real.
TEST(Arena, AGenerousCapacityCostsNothing) {
    Arena arena(int64_t{1} << 38, Place::host());
    const Tensor t = arena.take(DType::u8, {int64_t{1} << 37});
    t.as<uint8_t>()[t.num_elements() - 1] = 7;
    EXPECT_EQ(t.as<uint8_t>()[t.num_elements() - 1], 7);
}

TEST(Arena, RefusalIsAStartupError) {
    EXPECT_THROW(Arena(int64_t{1} << 60, Place::host()), StartupError);
}

TEST(ArenaDeathTest, AFullArenaIsABug) {
    Arena arena(512, Place::host());
    arena.take(DType::u8, {300});
    EXPECT_DEATH(arena.take(DType::f32, {2}),
                 "arena is full: .2. f32 on host does not fit in the 0 bytes left of 512");
}

TEST(ScratchScope, GivesBackWhatWasTakenInside) {
    Arena arena(1 << 16, Place::host());
    Exec ex;
    ex.scratch = &arena;
    {
        ScratchScope outer(ex);
        const Tensor a = outer.take(DType::f32, {64});
        {
            ScratchScope inner(ex);
            EXPECT_NE(inner.take(DType::f32, {64}).raw(), a.raw());
            EXPECT_EQ(arena.used_bytes(), 512);
        }
        EXPECT_EQ(arena.used_bytes(), 256);
    }
    EXPECT_EQ(arena.used_bytes(), 0);
}

TEST(Exec, ShowsToTheTapAlone) {
    struct Record : Tap {
        std::vector<std::string> seen;
        void see(std::string_view stage, int64_t index, const Tensor& value) override {
            seen.push_back(std::string(stage) + std::to_string(index) + value.describe());
        }
    } record;
    Exec ex;
    const Tensor t(nullptr, DType::f32, {2});
    ex.show("layer", 0, t);  // no tap: nothing happens
    ex.tap = &record;
    ex.show("layer", 3, t);
    EXPECT_EQ(record.seen, (std::vector<std::string>{"layer3[2] f32 on host"}));
}

TEST(Exec, KnowsItsPlaceAndBackends) {
    Exec ex;
    EXPECT_TRUE(ex.place().is_host());
    ex.backend = Backend::cuda;
    ex.device = 1;
    EXPECT_EQ(ex.place().device, 1);
    EXPECT_EQ(to_string(Backend::ref), "ref");
    EXPECT_EQ(to_string(Backend::cpu), "cpu");
    EXPECT_EQ(to_string(Backend::cuda), "cuda");
    static_assert(is_built(Backend::ref));
}

}  // namespace
}  // namespace saker
