// Families by the model_type of config.json. A new family adds one line to kFamilies.
#include "models/registry.h"

#include <functional>

#include "json/json.h"
#include "models/qwen3_vl.h"
#include "weights/manifest.h"

namespace saker {
namespace {

// Makes a model, of one configuration, from any source of its weights.
using Maker = std::function<std::unique_ptr<Model>(WeightSource&)>;

// The file is read once, so that what is said of it is said once.
Maker read_qwen3_vl(const std::filesystem::path& config_json, const LoadOptions& options) {
    return [config = Qwen3VlConfig::load(config_json), options](WeightSource& source) {
        auto model = std::make_unique<Qwen3Vl>(config, source, options.compute);
        if (options.bf16_rope_frequencies) model->round_rope_frequencies();
        model->set_normalization(options.pixel_mean, options.pixel_deviation);
        return model;
    };
}

struct Family {
    const char* model_type;
    Maker (*read)(const std::filesystem::path&, const LoadOptions&);
};

constexpr Family kFamilies[] = {
    {"qwen3_vl", read_qwen3_vl},
    {"qwen3_vl_moe", read_qwen3_vl},
};

const Family& find_family(const std::filesystem::path& config_json) {
    const json::object file = read_json_file(config_json);
    const JsonReader reader(file, config_json.string());
    const std::string type = reader.string("model_type");
    std::string served;
    for (const Family& family : kFamilies) {
        if (type == family.model_type) return family;
        served += std::string(served.empty() ? "" : ", ") + family.model_type;
    }
    reader.fail("model_type",
                "is of a family that Saker does not serve (it serves " + served + ")");
}

Place place_of(const LoadOptions& options) {
    return options.backend == Backend::cuda ? Place::cuda(options.device) : Place::host();
}

}  // namespace

std::vector<std::string_view> served_model_types() {
    std::vector<std::string_view> types;
    for (const Family& family : kFamilies) types.emplace_back(family.model_type);
    return types;
}

LoadedModel load_model(const std::filesystem::path& folder, const LoadOptions& options,
                       ThreadPool& pool, Progress::Style style) {
    const std::filesystem::path config_json = folder / "config.json";
    const Maker make = find_family(config_json).read(config_json, options);
    LoadedModel loaded;
    loaded.checkpoint = std::make_unique<Checkpoint>(Checkpoint::open(folder));
    // Twice over the same list: once to check every name and shape and to learn the exact sizes,
    // once to read. So a wrong checkpoint is refused in milliseconds and memory is taken once.
    Loader measure = Loader::measuring(*loaded.checkpoint, place_of(options));
    CheckpointSource measuring(measure);
    make(measuring);
    verify_manifest(*loaded.checkpoint, pool, style);
    loaded.arena = std::make_unique<Arena>(measure.arena_bytes(), place_of(options));

    Progress progress("reading weights", measure.read_bytes(), style);
    Loader loader(*loaded.checkpoint, *loaded.arena, pool, &progress);
    CheckpointSource source(loader);
    loaded.model = make(source);
    loader.finish();
    progress.finish();
    return loaded;
}

int64_t measure_model(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const LoadOptions& options) {
    const std::filesystem::path config_json = folder / "config.json";
    Loader measure = Loader::measuring(checkpoint, place_of(options));
    CheckpointSource measuring(measure);
    find_family(config_json).read(config_json, options)(measuring);
    return measure.arena_bytes();
}

std::vector<WeightSpec> list_weights(const std::filesystem::path& config_json) {
    const Maker make = find_family(config_json).read(config_json, {});
    const json::object file = read_json_file(config_json);
    WeightList list(TieFlags::read(JsonReader(file, config_json.string())).tied());
    make(list);
    return list.specs();
}

}  // namespace saker
