// Cases x backends against ref, to the token; the distribution drawn from; ties, limits and rows
// that are not fit for use.
#include "ops/sample/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/rng.h"
#include "ops/harness.h"
#include "ops/sample/sample_cases.h"

namespace saker {
namespace {

struct Settings {
    float temperature = 1, top_p = 1, min_p = 0;
    int32_t top_k = 0;
    int64_t seed = 7, draw = 0;
};

/// Rows of `logits` under `settings`, one each.
Tensor draw(Rig& rig, const Tensor& logits, const std::vector<Settings>& settings, Pick pick = {}) {
    std::vector<float> temperature, top_p, min_p;
    std::vector<int32_t> top_k;
    std::vector<int64_t> seed, counter;
    for (const Settings& s : settings) {
        temperature.push_back(s.temperature);
        top_p.push_back(s.top_p);
        min_p.push_back(s.min_p);
        top_k.push_back(s.top_k);
        seed.push_back(s.seed);
        counter.push_back(s.draw);
    }
    const int64_t S = logits.dim(0);
    const Tensor rows = pick(logits), tokens = rig.output(DType::i32, {rows.dim(0)});
    sample(rig.ex, tokens, rows, pick(rig.of(temperature, {S})), pick(rig.of(top_k, {S})),
           pick(rig.of(top_p, {S})), pick(rig.of(min_p, {S})), pick(rig.of(seed, {S})),
           pick(rig.of(counter, {S})));
    return tokens;
}

/// The same row, drawn from `n` times under draws 0, 1, 2...
std::vector<double> draw_often(Rig& rig, const std::vector<float>& row, Settings settings,
                               int64_t n) {
    std::vector<float> logits;
    std::vector<Settings> all;
    for (int64_t i = 0; i < n; ++i) {
        logits.insert(logits.end(), row.begin(), row.end());
        settings.draw = i;
        all.push_back(settings);
    }
    return rig.fetch(draw(rig, rig.of(logits, {n, static_cast<int64_t>(row.size())}), all));
}

/// The different tokens of 400 draws.
std::vector<double> drawn(Backend backend, const std::vector<float>& row,
                          const Settings& settings) {
    Rig rig(backend);
    std::vector<double> tokens = draw_often(rig, row, settings, 400);
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    return tokens;
}
using Tokens = std::vector<double>;

Tensor run(Rig& rig, const SampleCase& c, Pick pick) {
    const Tensor wide =
        rig.random("logits", c.is_tied ? DType::bf16 : DType::f32, {c.S, c.V}, c.scale);
    const std::vector<double> numbers = rig.fetch(wide);
    const Tensor logits = rig.of(std::vector<float>(numbers.begin(), numbers.end()), {c.S, c.V});
    std::vector<Settings> settings;
    for (int64_t s = 0; s < c.S; ++s)
        settings.push_back({c.temperature, c.top_p, c.min_p, static_cast<int32_t>(c.top_k),
                            int64_t{1} << (s % 60), 3 * s});
    return draw(rig, logits, settings, pick);
}

TEST(Sample, EveryBackendAgreesWithRef) {
    EXPECT_EQ("", agrees_with_ref(kSampleCases, run, [](const SampleCase&) {
                  return Tolerance{0, 0};
              }));
}

TEST(Sample, RowAloneEqualsRowInBatch) {
    // The first cases differ in their settings alone; drawing all their logits again takes seconds.
    EXPECT_EQ("", row_alone_equals_row_in_batch(std::span(kSampleCases).subspan(7), run));
}

// Settings of every kind side by side in one batch, on rows of few and of many blocks.
TEST(Sample, RandomSettingsAgreeWithRef) {
    const int64_t S = 200;
    for (int64_t V : {2, 63, 64, 65, 700, 4096}) {
        const Rng rng(99, static_cast<uint64_t>(V));
        std::vector<Settings> settings;
        for (uint64_t s = 0; s < S; ++s) {
            const auto number = [&](uint64_t i) { return rng.uniform(8 * s + i); };
            Settings all;
            all.temperature = number(0) < 0.1f ? 0 : 2 * number(1);
            if (number(2) < 0.5f) all.top_k = 1 + static_cast<int32_t>(number(3) * 100);
            if (number(4) < 0.5f) all.top_p = number(5);
            if (number(6) < 0.3f) all.min_p = 0.5f * number(7);
            all.draw = static_cast<int64_t>(s);
            settings.push_back(all);
        }
        const auto tokens_on = [&](Backend backend) {
            Rig rig(backend, "settings");
            const auto x = rig.fetch(rig.random("logits", DType::bf16, {S, V}, 2.0f));
            const Tensor logits = rig.of(std::vector<float>(x.begin(), x.end()), {S, V});
            return rig.fetch(draw(rig, logits, settings));
        };
        const auto want = tokens_on(Backend::ref);
        for (Backend backend : backends_under_test())
            EXPECT_EQ("", compare_exact(tokens_on(backend), want)) << to_string(backend) << V;
    }
}

// 20,000 draws against the probabilities by their definition; the 99.99 % point of chi-square with
// 9 degrees of freedom is 33.7.
TEST(Sample, DrawsFollowTheProbabilities) {
    const std::vector<float> row = {0.1f, 2.0f, -1.0f, 1.5f, 0.7f, -0.3f, 1.1f, 0.4f, -2.0f, 0.9f};
    struct {
        const char* name;
        Settings settings;
        size_t kept;  // of the ten, by falling probability
    } cases[] = {
        {"plain", {}, 10},
        {"cooler", {0.5f}, 10},
        {"hotter", {1.8f}, 10},
        {"top-k", {1, 1, 0, 4}, 4},
        {"top-p", {1, 0.6f}, 3},                  // 0.329 0.200 0.134
        {"min-p", {1, 1, 0.25f}, 5},              // 0.25 * 0.329 < 0.0897, > 0.0664
        {"top-k and top-p", {1, 0.8f, 0, 4}, 3},  // of the four: 0.422 0.256 0.171 0.140
    };
    std::vector<size_t> falling = {1, 3, 6, 9, 4, 7, 0, 5, 2, 8};
    for (Backend backend : every_backend()) {
        for (const auto& c : cases) {
            SCOPED_TRACE(std::string(to_string(backend)) + ", " + c.name);
            Rig rig(backend);
            const double n = 20000;
            std::vector<double> counts(row.size());
            for (double token : draw_often(rig, row, c.settings, int64_t{20000}))
                counts.at(static_cast<size_t>(token)) += 1;
            double mass = 0, chi_square = 0;
            for (size_t i = 0; i < c.kept; ++i)
                mass += std::exp(row[falling[i]] / c.settings.temperature);
            for (size_t i = 0; i < row.size(); ++i) {
                const double count = counts[falling[i]];
                if (i >= c.kept) {
                    EXPECT_EQ(count, 0) << "token " << falling[i];
                    continue;
                }
                const double want = n * std::exp(row[falling[i]] / c.settings.temperature) / mass;
                chi_square += (count - want) * (count - want) / want;
            }
            EXPECT_LT(chi_square, 33.7);
        }
    }
}

// All weights are 1: token floor(u V), u the number of the seed and the draw, whatever the row.
TEST(Sample, DrawIsThatOfSeedAndCounter) {
    const int64_t V = 5000;
    std::vector<Settings> settings;
    std::vector<double> want;
    for (int64_t i = 0; i < 30; ++i) {
        settings.push_back({1, 1, 0, 0, i % 3 - 1, i / 3 + (int64_t{1} << 40)});
        const Rng rng(static_cast<uint64_t>(settings.back().seed));
        const auto counter = static_cast<uint64_t>(settings.back().draw);
        want.push_back(std::floor(double{rng.uniform(counter)} * static_cast<double>(V)));
    }
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const Tensor logits = rig.of(std::vector<float>(30 * V, -3.5f), {30, V});
        EXPECT_EQ("", compare_exact(rig.fetch(draw(rig, logits, settings)), want))
            << to_string(backend);
    }
}

TEST(Sample, GreedyAndItsNeighbours) {
    const std::vector<float> row = {1, 3, 2, 3, -HUGE_VALF};
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        EXPECT_EQ(drawn(backend, row, {0.0f}), Tokens({1})) << "ties go to the lower id";
        EXPECT_EQ(drawn(backend, row, {9e-6f}), Tokens({1}));
        EXPECT_EQ(drawn(backend, row, {2e-5f}), Tokens({1, 3})) << "a true draw between ties";
        EXPECT_EQ(drawn(backend, row, {1, 1, 0, 1}), Tokens({1, 3})) << "top_k = 1 keeps ties";
        EXPECT_EQ(drawn(backend, row, {1, 1e-9f}), Tokens({1})) << "top_p keeps one";
        EXPECT_EQ(drawn(backend, row, {1, 0.0f}), Tokens({1})) << "top_p keeps one";
        EXPECT_EQ(drawn(backend, row, {1, 1, 1.0f}), Tokens({1, 3})) << "min_p = 1";
        EXPECT_EQ(drawn(backend, row, {1e30f}), Tokens({0, 1, 2, 3})) << "never -inf";
        EXPECT_EQ(drawn(backend, row, {1e30f, 1, 0, 4}), Tokens({0, 1, 2, 3}));
    }
}

TEST(Sample, TiesAtTheCut) {
    const std::vector<float> row = {0, 1, 1, 2, 1};
    for (Backend backend : every_backend()) {
        SCOPED_TRACE(to_string(backend));
        EXPECT_EQ(drawn(backend, row, {1, 1, 0, 2}), Tokens({1, 2, 3, 4})) << "top-k keeps them";
        EXPECT_EQ(drawn(backend, {5, 5, 5, 5}, {1, 0.5f}), Tokens({0, 1})) << "top-p does not";
    }
}

// Every place that a fault can have: in a vector, in the row's end, in the last block.
TEST(Sample, FaultyRowsYieldMinusOne) {
    for (Backend backend : every_backend()) {
        Rig rig(backend);
        const int64_t V = 203;
        const std::vector<size_t> places = {0, 5, 63, 64, 150, 191, 192, 200, 202};
        const float faults[] = {NAN, -NAN, HUGE_VALF};
        std::vector<float> logits;
        std::vector<Settings> settings;
        std::vector<double> want;
        const auto append = [&](const std::vector<float>& row, double token) {
            logits.insert(logits.end(), row.begin(), row.end());
            settings.push_back({settings.size() % 2 ? 1.0f : 0.0f});
            want.push_back(token);
        };
        for (size_t place : places) {
            for (float fault : faults) {
                std::vector<float> row(static_cast<size_t>(V), -1.0f);
                row[place] = fault;
                append(row, -1);
            }
            std::vector<float> row(static_cast<size_t>(V), -HUGE_VALF);
            append(row, -1);
            row[place] = -3e38f;
            append(row, static_cast<double>(place));
            append(row, static_cast<double>(place));
        }
        const auto S = static_cast<int64_t>(settings.size());
        EXPECT_EQ("", compare_exact(rig.fetch(draw(rig, rig.of(logits, {S, V}), settings)), want))
            << to_string(backend);
        EXPECT_EQ("", rig.check_guards());
    }
}

TEST(Sample, LogitsStayAsTheyAre) {
    for (Backend backend : every_backend()) {
        Rig rig(backend, "unchanged");
        const Tensor logits = rig.random("logits", DType::f32, {3, 1000});
        const auto before = rig.fetch(logits);
        rig.fetch(draw(rig, logits, {{1, 0.9f}, {0}, {1, 1, 0, 20}}));
        EXPECT_EQ("", compare_exact(rig.fetch(logits), before)) << to_string(backend);
    }
}

}  // namespace
}  // namespace saker
