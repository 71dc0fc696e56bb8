// One layer, one KV head: the key holds the token's value, the value its temporal position.
#include "models/fake.h"

#include <limits>
#include <vector>

#include "models/mrope.h"

namespace saker {

FakeModel::FakeModel(int64_t max_context) {
    shape_.family = "fake";
    shape_.vocab_size = kVocab;
    shape_.hidden_size = 1;
    shape_.num_layers = 1;
    shape_.num_kv_heads = 1;
    shape_.head_dim = 1;
    shape_.max_context = max_context;
    shape_.num_feature_levels = 2;
    shape_.patch_bytes = kPatchBytes;
    shape_.merge_size = kMerge;
    shape_.compute = DType::f32;
}

int64_t FakeModel::scratch_bytes(const StepLimits&) const {
    return 0;
}

Positions FakeModel::positions(int64_t num_tokens, std::span<const PositionBlock> blocks) const {
    return mrope_positions(num_tokens, blocks);
}

void FakeModel::encode(const Exec&, const VisionBatch& batch,
                       std::span<const Tensor> features) const {
    int64_t patch = 0, out = 0;
    for (const Grid& grid : batch.grids) {
        const uint8_t pixel = batch.pixels.row<uint8_t>(patch)[0];
        for (int64_t row = 0; row < grid.num_patches() / (kMerge * kMerge); ++row, ++out) {
            *features[0].row<float>(out) = visual_value(pixel, row);
            *features[1].row<float>(out) = 0.5f;  // DeepStack adds it to the same row
        }
        patch += grid.num_patches();
    }
}

int32_t FakeModel::next_token(std::span<const float> values, std::span<const int32_t> positions) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < values.size(); ++i)
        hash = (hash ^ static_cast<uint64_t>(values[i] * 2) ^
                (static_cast<uint64_t>(positions[i]) << 20)) *
               1099511628211u;
    const auto token = static_cast<int32_t>((hash >> 17) % static_cast<uint64_t>(kVocab));
    return token == kPoison ? kPoison + 1 : token;
}

void FakeModel::forward(const Exec&, const Batch& batch, const Tensor& logits) const {
    const int64_t T = batch.num_tokens(), S = batch.context.dim(0);
    const Tensor &keys = batch.pages[0].keys, &values = batch.pages[0].values;
    std::vector<float> value(static_cast<size_t>(T));
    for (int64_t t = 0; t < T; ++t)
        value[static_cast<size_t>(t)] = token_value(batch.ids.as<int32_t>()[t]);
    if (batch.visual_rows)
        for (int64_t i = 0; i < batch.visual_rows.dim(0); ++i)
            value[static_cast<size_t>(batch.visual_rows.as<int32_t>()[i])] =
                *batch.visual_features[0].row<float>(i) + *batch.visual_features[1].row<float>(i);
    for (int64_t t = 0; t < T; ++t) {
        const int32_t slot = batch.slots.as<int32_t>()[t];
        keys.as<float>()[slot] = value[static_cast<size_t>(t)];
        values.as<float>()[slot] = static_cast<float>(batch.positions.row<int32_t>(0)[t]);
    }
    const int64_t B = keys.dim(2);
    int64_t n = 0;
    for (int64_t s = 0; s < S; ++s) {
        const int32_t end = batch.starts.as<int32_t>()[s + 1];
        const int32_t context = batch.context.as<int32_t>()[s];
        for (; n < batch.logit_rows.dim(0) && batch.logit_rows.as<int32_t>()[n] < end; ++n) {
            const int32_t row = batch.logit_rows.as<int32_t>()[n];
            std::vector<float> seen;
            std::vector<int32_t> positions;
            bool poisoned = false;
            for (int64_t i = 0; i < context - (end - 1 - row); ++i) {
                const int64_t slot = batch.page_table.row<int32_t>(s)[i / B] * B + i % B;
                seen.push_back(keys.as<float>()[slot]);
                positions.push_back(static_cast<int32_t>(values.as<float>()[slot]));
                poisoned = poisoned || seen.back() == token_value(kPoison);
            }
            float* out = logits.row<float>(n);
            for (int64_t v = 0; v < kVocab; ++v)
                out[v] = poisoned ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
            out[next_token(seen, positions)] += 10.0f;
        }
    }
}

}  // namespace saker
