// The formulas of the specification's sections 1.5, 3.4, 4.3 and 7.1.
#include "models/mrope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/check.h"

namespace saker {

Positions mrope_positions(int64_t num_tokens, std::span<const PositionBlock> blocks) {
    Positions p;
    for (auto& axis : p.axes) axis.reserve(static_cast<size_t>(num_tokens));
    int32_t next = 0;
    int64_t token = 0;
    const auto push = [&](int32_t t, int32_t h, int32_t w) {
        p.axes[0].push_back(t);
        p.axes[1].push_back(h);
        p.axes[2].push_back(w);
    };
    const auto text_until = [&](int64_t end) {
        for (; token < end; ++token, ++next) push(next, next, next);
    };
    for (const PositionBlock& block : blocks) {
        CHECK(block.first_token >= token, "visual blocks overlap or are out of order");
        text_until(block.first_token);
        for (int64_t r = 0; r < block.rows; ++r)
            for (int64_t c = 0; c < block.columns; ++c)
                push(next, next + static_cast<int32_t>(r), next + static_cast<int32_t>(c));
        token += block.rows * block.columns;
        next += static_cast<int32_t>(std::max(block.rows, block.columns));
    }
    CHECK(token <= num_tokens, "a visual block ends behind the prompt");
    text_until(num_tokens);
    p.delta = static_cast<int32_t>(next - num_tokens);
    return p;
}

namespace {

// The share of a frequency that YaRN divides by the factor: from 0 for those that turn often within
// the original context to 1 for those that hardly turn.
class YarnRamp {
  public:
    YarnRamp(const RopeConfig& rope, double head_dim) {
        // The frequency whose wave turns `turns` times within the original context.
        const auto index = [&](double turns) {
            return head_dim *
                   std::log(static_cast<double>(rope.original_context) /
                            (turns * 2 * std::numbers::pi)) /
                   (2 * std::log(rope.theta));
        };
        double low = index(rope.beta_fast), high = index(rope.beta_slow);
        if (rope.truncate) low = std::floor(low), high = std::ceil(high);
        low = std::max(low, 0.0);
        high = std::min(high, head_dim - 1);
        if (low == high) high += 0.001;
        low_ = static_cast<float>(low);
        span_ = static_cast<float>(high - low);
    }
    float at(int64_t j) const {
        return std::clamp((static_cast<float>(j) - low_) / span_, 0.0f, 1.0f);
    }

  private:
    float low_, span_;
};

}  // namespace

RopeFrequencies text_frequencies(const RopeConfig& rope, int64_t head_dim) {
    RopeFrequencies f;
    const int64_t half = head_dim / 2;
    std::optional<YarnRamp> ramp;
    if (rope.scaling == RopeConfig::Scaling::yarn)
        ramp.emplace(rope, static_cast<double>(head_dim));
    if (ramp) f.scale = static_cast<float>(rope.attention_factor);
    const auto factor = static_cast<float>(rope.factor);
    for (int64_t j = 0; j < half; ++j) {
        // As torch computes it: the exponent, the power and all that follows in f32.
        const float exponent = static_cast<float>(2 * j) / static_cast<float>(head_dim);
        const float wave = std::pow(static_cast<float>(rope.theta), exponent);
        float value = 1.0f / wave;
        if (rope.scaling == RopeConfig::Scaling::linear) value /= factor;
        if (ramp) {
            const float kept = 1.0f - ramp->at(j);
            value = 1.0f / (factor * wave) * (1.0f - kept) + value * kept;
        }
        f.inv_freq.push_back(value);
        int32_t axis = 0;
        if (j % 3 == 1 && j < 3 * rope.section[1]) axis = 1;
        if (j % 3 == 2 && j < 3 * rope.section[2]) axis = 2;
        f.axis.push_back(axis);
    }
    return f;
}

RopeFrequencies vision_frequencies(int64_t head_dim, double theta) {
    RopeFrequencies f;
    const int64_t quarter = head_dim / 4;
    for (int32_t axis = 0; axis < 2; ++axis) {
        for (int64_t i = 0; i < quarter; ++i) {
            const float exponent = static_cast<float>(2 * i) / static_cast<float>(head_dim / 2);
            f.inv_freq.push_back(1.0f / std::pow(static_cast<float>(theta), exponent));
            f.axis.push_back(axis);
        }
    }
    return f;
}

}  // namespace saker
