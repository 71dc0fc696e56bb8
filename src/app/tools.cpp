// The small commands: tokenize, render, inspect, synth.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "app/commands.h"
#include "app/session.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "cache/kv_pages.h"
#include "cache/page_pool.h"
#include "engine/engine.h"
#include "json/json.h"
#include "models/qwen3_vl_config.h"
#include "weights/writer.h"

namespace saker {

std::string version() {
    return "0.1.0";
}

int report(const Error& error) {
    std::fprintf(stderr, "saker: %s\n", error.message.c_str());
    const bool ours =
        error.code == ErrorCode::numeric_error || error.code == ErrorCode::internal_error;
    return ours ? 3 : 2;
}

namespace {

json::array ids_json(const std::vector<TokenId>& ids) {
    json::array out;
    for (TokenId id : ids) out.push_back(id.value);
    return out;
}

}  // namespace

namespace {

// The next line of stdin without its end, or nothing at the end of the input; of an endless line no
// more than the JSON parser takes.
std::optional<std::string> read_line() {
    constexpr size_t kMost = (size_t{64} << 20) + 1;
    std::string line;
    int c = 0;
    while (line.size() < kMost && (c = getc_unlocked(stdin)) != EOF && c != '\n')
        line += static_cast<char>(c);
    if (c == EOF && line.empty()) return std::nullopt;
    return line;
}

}  // namespace

int tokenize_command(const Options& options) {
    const Tokenizer tokenizer = Tokenizer::load(options.tokenizer);
    for (int64_t number = 1; const auto next = read_line(); ++number) {
        const std::string& line = *next;
        if (line.empty()) continue;
        const std::string what = "Line " + std::to_string(number);
        auto value = parse_json(line, what);
        if (!value) return report(value.error());
        const json::value* text =
            value->is_object() ? value->get_object().if_contains("text") : nullptr;
        if (!text || !text->is_string())
            return report(
                {ErrorCode::invalid_json, what + " is not an object with a string \"text\".", ""});
        const std::string_view bytes(text->get_string().data(), text->get_string().size());
        if (!is_utf8(bytes))
            return report({ErrorCode::invalid_utf8, what + ": text is not valid UTF-8.", ""});
        const auto ids = tokenizer.encode_with_added(bytes);
        json::object out;
        out["ids"] = ids_json(ids);
        out["text"] = tokenizer.decode(ids);
        fmt::print("{}\n", dump_json(out));
    }
    return 0;
}

int render_command(const Options& options) {
    std::string body;
    if (options.request == "-") {
        auto text = read_stdin();
        if (!text) return report(text.error());
        body = std::move(*text);
    } else {
        auto bytes = read_file(options.request);
        if (!bytes) return report(bytes.error());
        body.assign(bytes->begin(), bytes->end());
    }
    auto chat = parse_chat(body);
    if (!chat) return report(chat.error());
    const std::filesystem::path folder = options.model;
    const Tokenizer tokenizer = Tokenizer::load(folder / "tokenizer.json");
    for (std::string_view token :
         {kImagePad, kVideoPad, std::string_view("<|im_start|>"), std::string_view("<|im_end|>")})
        if (!tokenizer.added_token(token))
            throw StartupError(fmt::format("{}: has no added token {}: is it that of a Qwen3-VL?",
                                           (folder / "tokenizer.json").string(), token));
    auto parts = render_chat(detect_chat_template(folder), *chat);
    if (!parts) return report(parts.error());
    json::object out;
    out["prompt"] = rendered_text(*parts);
    out["ids"] = ids_json(encode_parts(tokenizer, *parts).ids);
    fmt::print("{}\n", dump_json(out));
    return 0;
}

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

}  // namespace

int inspect_command(const Options& options) {
    const std::filesystem::path folder = options.model;
    const Qwen3VlConfig config = Qwen3VlConfig::load(folder / "config.json");
    const Checkpoint checkpoint = Checkpoint::open(folder);
    const int64_t copied = measure_model(folder, checkpoint, {});  // checks every shape, too
    std::map<std::string, std::pair<int64_t, int64_t>> dtypes;     // name -> tensors, bytes
    std::map<std::string, int64_t> parts;
    int64_t parameters = 0;
    for (const std::string& name : checkpoint.names()) {
        const TensorEntry& entry = checkpoint.entry(name);
        auto& [count, bytes] = dtypes[std::string(to_string(entry.dtype))];
        ++count;
        bytes += entry.size_bytes;
        int64_t elements = 1;
        for (int64_t d : entry.shape) elements *= d;
        const bool scale = name.find("scale_inv") != std::string::npos;
        if (!scale) parameters += elements;
        const char* part =
            name.rfind("model.visual.", 0) == 0          ? "vision tower"
            : name.find(".experts") != std::string::npos ? "experts"
            : name.find("embed_tokens") != std::string::npos || name.rfind("lm_head", 0) == 0
                ? "embedding, head"
                : "attention, norms, dense MLP";
        parts[part] += entry.size_bytes;
    }
    const Qwen3VlTextConfig& text = config.text;
    fmt::print("{}\n", folder.string());
    fmt::print("  family        {}, {:.2f} M parameters\n", config.model_type,
               static_cast<double>(parameters) / 1e6);
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
    fmt::print("  files         {} with {}\n", checkpoint.num_files(),
               bytes_text(checkpoint.total_bytes()));
    for (const auto& [name, entry] : dtypes)
        fmt::print("    {:<28}{:>10}  in {} tensors\n", name, bytes_text(entry.second),
                   entry.first);
    for (const auto& [name, bytes] : parts)
        fmt::print("    {:<28}{:>10}\n", name, bytes_text(bytes));

    const int64_t context = std::min(options.context, text.max_context);
    const KvShape kv{text.num_layers, text.num_kv_heads, text.head_dim,
                     parse_compute(options.compute)};
    const int64_t kv_bytes = pages_for(context) * kPageTokens * kv.bytes_per_token();
    fmt::print("  memory at {} tokens of context, compute {}\n", context, options.compute);
    fmt::print("    {:<28}{:>10}\n", "weights, mapped", bytes_text(checkpoint.total_bytes()));
    fmt::print("    {:<28}{:>10}  what is not stored in the ops' order\n", "weights, copied",
               bytes_text(copied));
    fmt::print("    {:<28}{:>10}  {} a token\n", "KV cache", bytes_text(kv_bytes),
               bytes_text(kv.bytes_per_token()));
    fmt::print("    {:<28}{:>10}  on this machine\n", "free now", bytes_text(available_bytes()));
    return 0;
}

int synth_command(const Options& options) {
    namespace fs = std::filesystem;
    const fs::path config = options.config, out = options.out;
    const std::vector<WeightSpec> specs = list_weights(config);
    std::error_code ec;
    fs::create_directories(out, ec);
    if (ec) throw StartupError(out.string() + ": cannot be made (" + ec.message() + ").");
    if (fs::exists(out / "config.json"))
        return report({ErrorCode::invalid_value,
                       out.string() + ": holds a checkpoint already; give an empty folder.", ""});

    std::vector<SafetensorsWriter::Declared> declared;
    int64_t total = 0;
    for (const WeightSpec& spec : specs) {
        declared.push_back({spec.name, DType::bf16, spec.shape});
        if (__builtin_add_overflow(total, 2 * spec.num_elements(), &total))
            throw StartupError(config.string() + ": asks for more than 2^63 bytes of weights.");
    }
    SafetensorsWriter writer(out, declared, options.shard_mb << 20);
    Progress progress("writing weights", total);
    ThreadPool pool;
    const uint64_t seed = options.seed.value_or(0);
    const auto scale = static_cast<float>(options.scale);
    constexpr int64_t kPiece = 1 << 20;  // numbers at a time
    std::vector<Bf16> numbers;
    for (size_t i = 0; i < specs.size(); ++i) {
        const WeightSpec& spec = specs[i];
        // A norm's weight is near 1, or nothing would pass through a deep model.
        const bool is_norm = spec.shape.size() == 1 &&
                             spec.name.find("norm") != std::string::npos &&
                             spec.name.ends_with(".weight");
        const Rng rng(seed, Rng::hash(spec.name));
        for (int64_t begin = 0; begin < spec.num_elements(); begin += kPiece) {
            const int64_t count = std::min(kPiece, spec.num_elements() - begin);
            numbers.resize(static_cast<size_t>(count));
            pool.for_ranges(count, 4096, [&](int64_t from, int64_t to) {
                for (int64_t n = from; n < to; ++n)
                    numbers[static_cast<size_t>(n)] =
                        Bf16::from((is_norm ? 1.0f : 0.0f) +
                                   scale * rng.normal(static_cast<uint64_t>(begin + n)));
            });
            writer.write(numbers.data(), count * 2);
            progress.add(count * 2);
        }
    }
    writer.finish();
    progress.finish();
    for (const char* name :
         {"config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json",
          "chat_template.jinja", "chat_template.json", "preprocessor_config.json",
          "video_preprocessor_config.json", "processor_config.json"}) {
        const fs::path from =
            std::string(name) == "config.json" ? config : config.parent_path() / name;
        if (!fs::exists(from)) continue;
        fs::copy_file(from, out / name, fs::copy_options::overwrite_existing, ec);
        if (ec) throw StartupError((out / name).string() + ": cannot be written.");
    }
    fmt::print("{}: {} tensors, {} of random bf16 weights.\n", out.string(), specs.size(),
               bytes_text(total));
    return 0;
}

}  // namespace saker
