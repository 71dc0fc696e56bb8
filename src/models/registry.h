// The table of model families, and loading a model folder into memory.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"
#include "models/weight_source.h"
#include "tensor/arena.h"
#include "weights/checkpoint.h"
#include "weights/progress.h"

namespace saker {

/// A loaded model with what its weights live in. Weights that could stay where the file is mapped
/// point into `checkpoint`; the others are in `arena`.
struct LoadedModel {
    std::unique_ptr<Checkpoint> checkpoint;
    std::unique_ptr<Arena> arena;
    std::unique_ptr<Model> model;
};

struct LoadOptions {
    Backend backend = Backend::cpu;
    int8_t device = 0;
    DType compute = DType::bf16;
    // Rounds the decoder's rotary frequencies to bf16, as casting a whole model in PyTorch does.
    // For comparison with references made that way; wrong for answers.
    bool bf16_rope_frequencies = false;
    // How pixels become numbers (x / 255 - mean) / deviation; the front reads it from the folder.
    std::array<float, 3> pixel_mean = {0.5f, 0.5f, 0.5f};
    std::array<float, 3> pixel_deviation = {0.5f, 0.5f, 0.5f};
};

/// The values of model_type in config.json for which there is a family.
std::vector<std::string_view> served_model_types();

/// Reads config.json and the weights of `folder`. Throws StartupError.
LoadedModel load_model(const std::filesystem::path& folder, const LoadOptions& options,
                       ThreadPool& pool, Progress::Style style);

/// Bytes that loading copies out of the mapped files (host) or to the device, without loading.
/// Checks every name and shape on the way. Throws StartupError.
int64_t measure_model(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const LoadOptions& options);

/// Every tensor a checkpoint with this config.json has, in the released layout and a fixed order.
std::vector<WeightSpec> list_weights(const std::filesystem::path& config_json);

}  // namespace saker
