// A pass over T * A integers a layer: nothing beside the experts' own work.
#include "app/expert_load.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace saker {
namespace {

double of_fair_share(const LayerLoad& load, int64_t count) {
    CHECK(load.rows > 0, "no row was routed, so that there is no fair share");
    const int64_t sum = std::accumulate(load.counts.begin(), load.counts.end(), int64_t{0});
    return static_cast<double>(count) * static_cast<double>(load.counts.size()) /
           static_cast<double>(sum);
}

}  // namespace

double LayerLoad::least() const {
    return of_fair_share(*this, *std::min_element(counts.begin(), counts.end()));
}

double LayerLoad::most() const {
    return of_fair_share(*this, *std::max_element(counts.begin(), counts.end()));
}

double ExpertLoad::least() const {
    CHECK(!layers_.empty(), "no layer has experts");
    double least = layers_.begin()->second.least();
    for (const auto& [index, load] : layers_) least = std::min(least, load.least());
    return least;
}

double ExpertLoad::most() const {
    CHECK(!layers_.empty(), "no layer has experts");
    double most = layers_.begin()->second.most();
    for (const auto& [index, load] : layers_) most = std::max(most, load.most());
    return most;
}

void ExpertLoad::see(std::string_view stage, int64_t index, const Tensor& value) {
    if (!value.place().is_host() || value.num_elements() == 0) return;
    if (stage == "router_logits") {
        layers_[index].counts.resize(static_cast<size_t>(value.row_elements()));
    } else if (stage == "router_experts") {
        LayerLoad& load = layers_[index];
        const auto num_experts = static_cast<int64_t>(load.counts.size());
        for (int64_t t = 0; t < value.dim(0); ++t)
            for (int64_t a = 0; a < value.row_elements(); ++a) {
                const int32_t expert = value.row<int32_t>(t)[a];
                CHECK(expert >= 0 && expert < num_experts,
                      "an expert that the router has no logit for");
                ++load.counts[static_cast<size_t>(expert)];
            }
        load.rows += value.dim(0);
    }
}

}  // namespace saker
