// Counting of `saker eval`'s tap: chunks, strides, layers without a router.
#include "app/expert_load.h"

#include <gtest/gtest.h>

#include <numeric>

namespace saker {
namespace {

using Counts = std::vector<int64_t>;

// Shows a router with E experts and the experts it chose for T rows, A a row, as a model does.
void show(ExpertLoad& load, int64_t layer, int64_t E, int64_t A,
          const std::vector<int32_t>& experts) {
    const int64_t T = static_cast<int64_t>(experts.size()) / A;
    const std::vector<float> logits(static_cast<size_t>(T * E));
    load.see("router_logits", layer, Tensor::of(std::span(logits), {T, E}));
    load.see("router_experts", layer, Tensor::of(std::span(experts), {T, A}));
}

TEST(ExpertLoad, EachRowOnceHoweverItIsCut) {
    const std::vector<int32_t> experts = {0, 1, 2, 0, 1, 0, 3, 0, 0, 2};  // [5, 2]
    ExpertLoad whole, cut;
    show(whole, 0, 5, 2, experts);
    for (size_t t = 0; t < 5; ++t)
        show(cut, 0, 5, 2, {experts.begin() + 2 * t, experts.begin() + 2 * t + 2});
    for (const ExpertLoad* load : {&whole, &cut}) {
        ASSERT_EQ(load->layers().size(), 1u);
        const LayerLoad& layer = load->layers().at(0);
        EXPECT_EQ(layer.rows, 5);
        EXPECT_EQ(layer.counts, (Counts{5, 2, 2, 1, 0})) << "an expert never chosen counts too";
        EXPECT_DOUBLE_EQ(layer.least(), 0);
        EXPECT_DOUBLE_EQ(layer.most(), 5 / (5 * 2 / 5.0));
    }
}

TEST(ExpertLoad, EvenUseIsAFairShare) {
    ExpertLoad load;
    show(load, 0, 4, 2, {0, 1, 2, 3, 1, 2, 3, 0});
    EXPECT_DOUBLE_EQ(load.layers().at(0).least(), 1);
    EXPECT_DOUBLE_EQ(load.layers().at(0).most(), 1);
}

TEST(ExpertLoad, StridedRows) {
    // Columns 1 and 2 of [3, 4]; the 9s beside them are no experts.
    const std::vector<int32_t> wide = {9, 0, 1, 9, 9, 2, 1, 9, 9, 1, 0, 9};
    const std::vector<float> logits(9);
    ExpertLoad load;
    load.see("router_logits", 0, Tensor::of(std::span(logits), {3, 3}));
    const Tensor experts = Tensor::of(std::span(wide), {3, 4}).columns(1, 3);
    ASSERT_FALSE(experts.is_dense());
    load.see("router_experts", 0, experts);
    EXPECT_EQ(load.layers().at(0).rows, 3);
    EXPECT_EQ(load.layers().at(0).counts, (Counts{2, 3, 1}));
}

TEST(ExpertLoad, LayersApartAndOthersPassedBy) {
    ExpertLoad load;
    const std::vector<float> numbers(6);
    const Tensor other = Tensor::of(std::span(numbers), {2, 3});
    for (const char* stage : {"layer", "router_weights", "logits", "visual.pooler_output"})
        load.see(stage, 0, other);
    EXPECT_TRUE(load.layers().empty()) << "a dense model";
    show(load, 5, 3, 1, {2, 2});  // layers 0 to 2 and 4 are dense
    show(load, 3, 3, 1, {0, 1});
    show(load, 5, 3, 1, {1});
    ASSERT_EQ(load.layers().size(), 2u);
    EXPECT_EQ(load.layers().begin()->first, 3) << "in the order of the layers";
    EXPECT_EQ(load.layers().at(3).counts, (Counts{1, 1, 0}));
    EXPECT_EQ(load.layers().at(5).counts, (Counts{0, 1, 2}));
    EXPECT_EQ(load.layers().at(5).rows, 3);
    EXPECT_DOUBLE_EQ(load.least(), 0) << "of expert 2 in layer 3, or 0 in layer 5";
    EXPECT_DOUBLE_EQ(load.most(), 2)
        << "of expert 2 in layer 5: two rows of three, a fair share is one";
}

TEST(ExpertLoad, DeviceMemoryIsNotTouched) {
    ExpertLoad load;
    load.see("router_logits", 0, Tensor(nullptr, DType::f32, {2, 3}, Place::cuda(0)));
    load.see("router_experts", 0, Tensor(nullptr, DType::i32, {2, 1}, Place::cuda(0)));
    EXPECT_TRUE(load.layers().empty());
}

TEST(ExpertLoad, NoRows) {
    ExpertLoad load;
    show(load, 0, 3, 2, {});
    EXPECT_TRUE(load.layers().empty());
}

TEST(ExpertLoadDeath, AnExpertThatTheRouterHasNot) {
    ExpertLoad load;
    EXPECT_DEATH(show(load, 0, 3, 2, {0, 3}), "no logit");
    EXPECT_DEATH(show(load, 0, 3, 2, {-1, 0}), "no logit");
}

}  // namespace
}  // namespace saker
