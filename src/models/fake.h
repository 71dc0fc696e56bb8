// FakeModel: a model without weights whose next token is a function of everything it was given.
//
// It keeps token values in the KV pages as a real model keeps keys, and reads all of them back
// through the page table for each answer: a page mixed up, a chunk cut wrongly, a picture's feature
// on the wrong row or a freed page read again each change its tokens. The double of the engine's
// tests, and the measure of the engine's own overhead. Host only.
#pragma once

#include <cstdint>
#include <span>

#include "models/model.h"

namespace saker {

class FakeModel : public Model {
  public:
    static constexpr int64_t kVocab = 997;
    static constexpr int64_t kMerge = 2;
    static constexpr int64_t kPatchBytes = 4;

    explicit FakeModel(int64_t max_context = 1 << 20);

    int64_t scratch_bytes(const StepLimits& limits) const override;
    Positions positions(int64_t num_tokens, std::span<const PositionBlock> blocks) const override;
    void encode(const Exec& ex, const VisionBatch& batch,
                std::span<const Tensor> features) const override;
    void forward(const Exec& ex, const Batch& batch, const Tensor& logits) const override;

    /// What a text token counts as, and what row `row` of a picture with first byte `pixel` does.
    static float token_value(int32_t id) { return static_cast<float>(id); }
    static float visual_value(uint8_t pixel, int64_t row) {
        return static_cast<float>(1000 + pixel * 8 + row % 8);
    }
    /// The next token after these values, at these temporal positions.
    static int32_t next_token(std::span<const float> values, std::span<const int32_t> positions);

    /// A token id whose row of logits is all NaN, as a broken weight would make it.
    static constexpr int32_t kPoison = 13;
};

}  // namespace saker
