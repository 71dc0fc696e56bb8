// `saker inspect`: what a checkpoint holds and what memory it needs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/session.h"
#include "cache/kv_pages.h"
#include "cache/page_pool.h"
#include "models/qwen3_vl_config.h"

namespace saker {
namespace {

std::string layout_of(const Checkpoint& checkpoint, const Qwen3VlConfig& config) {
    const std::string prefix = "model.language_model.layers.";
    for (int64_t l = 0; l < config.text.num_layers; ++l) {
        if (!config.text.is_moe_layer(l)) continue;
        const std::string experts = prefix + std::to_string(l) + ".mlp.experts.";
        if (checkpoint.has(experts + "0.gate_proj.weight")) return "one tensor an expert";
        if (!checkpoint.has(experts + "gate_up_proj")) return "unknown";
        const auto& shape = checkpoint.entry(experts + "gate_up_proj").shape;
        const bool released = shape.size() == 3 && shape[1] == config.text.hidden_size &&
                              shape[2] == 2 * config.text.moe_intermediate_size;
        return released ? "released (input-major)" : "transformers 5 (Linear order)";
    }
    return "none (dense)";
}

const char* part_of(const std::string& name) {
    if (name.starts_with("model.visual.")) return "vision tower";
    if (name.find(".experts") != std::string::npos) return "experts";
    if (name.find("embed_tokens") != std::string::npos || name.starts_with("lm_head"))
        return "embedding, head";
    return "attention, norms, dense MLP";
}

int64_t count_parameters(const Checkpoint& checkpoint) {
    int64_t parameters = 0;
    for (const std::string& name : checkpoint.names()) {
        if (name.find("scale_inv") != std::string::npos) continue;
        const TensorEntry& entry = checkpoint.entry(name);
        parameters += entry.size_bytes / size_of(entry.dtype);
    }
    return parameters;
}

void print_shape(const Qwen3VlConfig& config, const Checkpoint& checkpoint) {
    const Qwen3VlTextConfig& text = config.text;
    fmt::print("  family        {}, {:.2f} M parameters\n", config.model_type,
               static_cast<double>(count_parameters(checkpoint)) / 1e6);
    fmt::print("  text          {} layers of {}, {} heads ({} KV) of {}, vocabulary {}\n",
               text.num_layers, text.hidden_size, text.num_heads, text.num_kv_heads, text.head_dim,
               text.vocab_size);
    if (text.num_experts > 0)
        fmt::print("  experts       {}, {} a token, of {}; layout: {}\n", text.num_experts,
                   text.num_experts_per_token, text.moe_intermediate_size,
                   layout_of(checkpoint, config));
    const Qwen3VlVisionConfig& vision = config.vision;
    fmt::print("  vision        {} blocks of {}, patches of {}, DeepStack after {} blocks\n",
               vision.depth, vision.hidden_size, vision.patch_size,
               vision.deepstack_indexes.size());
    fmt::print("  context       {} tokens\n", text.max_context);
}

void print_files(const Checkpoint& checkpoint) {
    std::map<std::string, std::pair<int64_t, int64_t>> dtypes;  // name -> tensors, bytes
    std::map<std::string, int64_t> parts;                       // name -> bytes
    for (const std::string& name : checkpoint.names()) {
        const TensorEntry& entry = checkpoint.entry(name);
        auto& [count, bytes] = dtypes[std::string(to_string(entry.dtype))];
        ++count;
        bytes += entry.size_bytes;
        parts[part_of(name)] += entry.size_bytes;
    }
    fmt::print("  files         {} with {}\n", checkpoint.num_files(),
               bytes_text(checkpoint.total_bytes()));
    for (const auto& [name, entry] : dtypes)
        fmt::print("    {:<28}{:>10}  in {} tensors\n", name, bytes_text(entry.second),
                   entry.first);
    for (const auto& [name, bytes] : parts)
        fmt::print("    {:<28}{:>10}\n", name, bytes_text(bytes));
}

void print_memory(const Options& options, const Qwen3VlTextConfig& text,
                  const Checkpoint& checkpoint, int64_t copied_bytes) {
    const int64_t context = std::min(options.context, text.max_context);
    const KvShape kv{text.num_layers, text.num_kv_heads, text.head_dim,
                     parse_compute(options.compute)};
    const int64_t kv_bytes = pages_for(context) * kPageTokens * kv.bytes_per_token();
    fmt::print("  memory at {} tokens of context, compute {}\n", context, options.compute);
    fmt::print("    {:<28}{:>10}\n", "weights, mapped", bytes_text(checkpoint.total_bytes()));
    fmt::print("    {:<28}{:>10}  what is not stored in the ops' order\n", "weights, copied",
               bytes_text(copied_bytes));
    fmt::print("    {:<28}{:>10}  {} a token\n", "KV cache", bytes_text(kv_bytes),
               bytes_text(kv.bytes_per_token()));
    fmt::print("    {:<28}{:>10}  on this machine\n", "free now", bytes_text(available_bytes()));
}

// The weights make answers that are no numbers: which of them?
void check_finite(const Checkpoint& checkpoint) {
    constexpr size_t kNamed = 20;
    ThreadPool pool;
    const std::vector<std::string> names = scan_finite(checkpoint, pool);
    if (names.empty()) return;
    std::string list;
    for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
        list += (i ? ", " : "") + quote(names[i]);
    if (names.size() > kNamed) list += fmt::format(" and {} more", names.size() - kNamed);
    throw StartupError(fmt::format(
        "{}: a NaN or an infinity lies in {} of {} tensors: {}; download the checkpoint again, or "
        "save it anew.",
        checkpoint.folder(), names.size(), checkpoint.names().size(), list));
}

}  // namespace

int inspect_command(const Options& options) {
    const std::filesystem::path folder = options.model;
    const Qwen3VlConfig config = Qwen3VlConfig::load(folder / "config.json");
    const Checkpoint checkpoint = Checkpoint::open(folder);
    const int64_t copied_bytes = measure_model(folder, checkpoint, {});  // checks every shape, too
    if (options.check_finite) check_finite(checkpoint);
    fmt::print("{}\n", folder.string());
    print_shape(config, checkpoint);
    print_files(checkpoint);
    print_memory(options, config.text, checkpoint, copied_bytes);
    if (options.check_finite)
        fmt::print("  weights       every number of {} tensors is finite\n",
                   checkpoint.names().size());
    return 0;
}

}  // namespace saker
