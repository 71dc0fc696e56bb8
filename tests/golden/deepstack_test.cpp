// Each DeepStack level matters: with one level's features zeroed, the logits are others. An engine
// that drops a level, or adds it to the wrong rows, still writes fluent text; only this shows it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "app/reference_case.h"
#include "app/session.h"
#include "engine/loop.h"
#include "tensor/device.h"

namespace saker {
namespace {

// A model whose vision tower loses one level.
class WithoutLevel : public Model {
  public:
    WithoutLevel(const Model& model, int level) : model_(model), level_(level) {
        shape_ = model.shape();
    }
    int64_t scratch_bytes(const StepLimits& limits) const override {
        return model_.scratch_bytes(limits);
    }
    Positions positions(int64_t n, std::span<const PositionBlock> blocks) const override {
        return model_.positions(n, blocks);
    }
    void encode(const Exec& ex, const VisionBatch& batch,
                std::span<const Tensor> features) const override {
        model_.encode(ex, batch, features);
        if (level_ >= 0) fill_bytes(features[static_cast<size_t>(level_)], 0, ex.stream);
    }
    void forward(const Exec& ex, const Batch& batch, const Tensor& logits) const override {
        model_.forward(ex, batch, logits);
    }

  private:
    const Model& model_;
    int level_;
};

class LogitsTap : public Tap {
  public:
    void see(std::string_view stage, int64_t, const Tensor& value) override {
        if (stage == "logits" && last.empty())
            last.assign(value.as<float>(), value.as<float>() + value.num_elements());
    }
    std::vector<float> last;
};

std::vector<float> first_logits(Session& session, const Prompt& prompt, int zeroed_level) {
    const WithoutLevel model(session.model(), zeroed_level);
    EngineLimits limits;
    limits.max_context = 1024;
    limits.num_pages = 16;
    limits.chunk_tokens = 1000;
    Loop loop(model, limits, session.exec());
    LogitsTap tap;
    loop.set_observer(nullptr, &tap);
    auto [writer, reader] = TokenChannel::make();
    Sampling sampling;
    sampling.temperature = 0;
    sampling.max_tokens = 1;
    loop.add(prompt, sampling, std::move(writer));
    while (loop.step()) {
    }
    return tap.last;
}

// The tiny models of the repository, and those of a folder `shared` where it is there.
std::vector<std::string> models() {
    std::vector<std::string> folders = {"tests/golden/tiny-moe", "tests/golden/tiny-dense"};
    for (const char* more : {"../shared/goldens/moe-a", "../shared/goldens/dense-a"})
        if (std::filesystem::exists(more)) folders.push_back(more);
    return folders;
}

TEST(DeepStack, ZeroingEachLevelChangesTheLogits) {
    for (const std::string& folder : models()) {
        SCOPED_TRACE(folder);
        Options options;
        options.model = folder;
        options.compute = "f32";
        Session session(options, true);
        const ReferenceCase reference(folder + "/cases/photo");
        auto prompt =
            prepare_prompt(split_rendered(session.tokenizer(), reference.prompt()),
                           reference.media(), session.prepare_settings(), session.media_pool());
        ASSERT_TRUE(prompt.ok());
        const auto whole = first_logits(session, *prompt, -1);
        ASSERT_FALSE(whole.empty());
        ASSERT_EQ(session.model().shape().num_feature_levels, 4);
        for (int level = 0; level < 4; ++level) {
            const auto without = first_logits(session, *prompt, level);
            ASSERT_EQ(without.size(), whole.size());
            double farthest = 0;
            for (size_t i = 0; i < whole.size(); ++i)
                farthest = std::max(farthest, std::fabs(double{whole[i]} - without[i]));
            EXPECT_GT(farthest, 0.05) << "level " << level;
        }
    }
}

}  // namespace
}  // namespace saker
