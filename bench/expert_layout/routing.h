// Random choices of experts, on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "bench/expert_layout/format.cuh"

namespace saker::expert_layout {

/// Who chose whom: `experts` and `weights` by pair, eight pairs a token.
struct Routing {
    int tokens = 0;
    std::vector<int> experts;
    std::vector<float> weights;
};

enum class Taste { even, skewed, unanimous };

/// Eight distinct experts a token. `skewed`: expert e is liked as 1 / (e + 1), in an order of the
/// seed's. `unanimous`: every token the same eight.
inline Routing make_routing(int tokens, int experts, Taste taste, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<int> order(experts);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    Routing r;
    r.tokens = tokens;
    for (int t = 0; t < tokens; ++t) {
        std::vector<std::pair<double, int>> keys(experts);
        for (int e = 0; e < experts; ++e) {
            // Exponential races: the eight first at rates of the likings are a draw without return.
            const double rate = taste == Taste::skewed ? 1.0 / (e + 1) : 1.0;
            const double u = (random() + 0.5) / 4294967296.0;
            keys[e] = {taste == Taste::unanimous ? e : -std::log(u) / rate, order[e]};
        }
        std::partial_sort(keys.begin(), keys.begin() + kChosen, keys.end());
        for (int a = 0; a < kChosen; ++a) {
            r.experts.push_back(keys[a].second);
            r.weights.push_back(Bf16::from(static_cast<float>((random() % 1000 + 500) / 8000.0)));
        }
    }
    return r;
}

}  // namespace saker::expert_layout
